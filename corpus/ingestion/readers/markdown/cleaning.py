"""Markdown as its readers see it: without comments and crossed-out text, HTML in it as Markdown, lists numbered."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence, Set
from functools import cache
from html import escape
from typing import TYPE_CHECKING

from corpus.ingestion.readers.html.blocks import HtmlBlocks
from corpus.ingestion.readers.html.reader import find_body, parse_html, prepare_page
from corpus.ingestion.readers.html.text import BLOCKS, inline_text
from corpus.ingestion.readers.html.unseen import COMMENTS, CROSSED, HIDING, is_hidden_element
from corpus.ingestion.readers.structure import SectionBuilder
from corpus.ingestion.readers.tables import PIPE, find_depth, markdown_table, read_table

if TYPE_CHECKING:
    from markdown_it.token import Token

NumberedLine = tuple[int, str]
"""The number of a line in the file, from 0, and its text."""

_COMMENT = re.compile(
    r"(?P<code>^[ \t>]*(?P<fence>`{3,}|~{3,}).*?(?:^[ \t>]*(?P=fence)|\Z)"
    r"|(?P<ticks>`+)(?:[^`\n]|\n(?!\n)){0,2000}?(?P=ticks))"
    r"|<!--.*?(?:-->|\Z)"
    r"""|^ {0,3}\[[^\]\n]*\]:[ \t]*(?:#|<>)[ \t]*(?:\([^()]*\)|"[^"]*"|'[^']*')?[ \t]*$""",
    re.DOTALL | re.MULTILINE,
)
# What is no HTML, and stays as it is: code, formulas, targets of links, addresses in brackets.
_LITERAL = (
    r"(?P<literal>(`+).{0,2000}?\2|\$\$?[^\s$][^$]*\$\$?|\\\(.{1,600}?\\\)|\]\([^()\s]*\)"
    r"|<(?:\w+:|[\w.+-]+@)[^<>\s]*>|\\.)"
)
_ATTRIBUTE = r"""[a-z_:@][\w.:-]*\s*=\s*(?:[^\s"'=<>`]+|'[^']*'|"[^"]*")|hidden|open|reversed"""
_TAG = (
    r"(?P<whole><!doctype\b[^<>]*>|<math\b[^<>]*>(?:(?!<math\b).){0,20000}?</math>)"
    rf"|(?P<tag><(?P<end>/?)(?P<name>[a-z][\w-]*)(?P<attributes>(?:\s+(?:{_ATTRIBUTE}))*)\s*/?>)"
)
_FLAGS = re.DOTALL | re.IGNORECASE
_INLINE = re.compile(rf"{_LITERAL}|{_TAG}|~~(?P<struck>(?!\s)(?:(?!~~).)+(?<!\s))~~|<", _FLAGS)
_IN_BLOCK = re.compile(rf"{_TAG}|<", _FLAGS)
_END_TAG = re.compile(r"</([a-z][\w-]*)\s*>", _FLAGS)
# Elements of which people see nothing or only the source. Without an end tag they would swallow what follows.
_RAW = {
    *("title", "textarea", "style", "xmp", "iframe", "noembed", "noframes", "script", "plaintext"),
    *("html", "head", "body"),
}
_EMPTY = {"br", "hr", "wbr"}
_OPEN_ENDED = BLOCKS | {"thead", "tbody", "tfoot", "col", "colgroup"}
_MARKUP = re.compile(r"</?[a-zA-Z]|&#?\w+;|~~")
_NUMBER = re.compile(r"([\s>]*(?:[-*+]\s+)*)\d{1,9}")
_BOX = re.compile(r"^([ \t>]*[-*+][ \t]+)\[([ xX])\](?=\s)", re.MULTILINE)
_MAX_BLOCK = 300  # lines of a table in HTML


def clean_markdown(
    lines: Sequence[str], parse: Callable[[str], list[Token]]
) -> tuple[list[NumberedLine], list[Token], tuple[str, ...]]:
    """The lines as people read them, each with its number in the file, their tokens, and notes on what was left out."""
    notes: dict[str, None] = {}
    text = "\n".join(lines)
    shown = _COMMENT.sub(_drop_comment, text) if "<!--" in text or "]:" in text else text
    if shown != text:
        notes[COMMENTS] = None
    lines, tokens, result = shown.split("\n"), parse(shown), list[NumberedLine]()
    position, is_same = 0, True
    for start, end, replacement, is_inline in _changes(lines, tokens, notes):
        new = replacement.split("\n")
        is_same = is_same and is_inline and len(new) == end - start
        result += [(number, lines[number]) for number in range(position, start)]
        result += [(min(start + n, end - 1), line) for n, line in enumerate(new)]
        position = end
    result += [(number, lines[number]) for number in range(position, len(lines))]
    return result, tokens if is_same else parse("\n".join(line for _, line in result)), tuple(notes)


def clean_inline(text: str, notes: dict[str, None] | None = None) -> str:
    """A paragraph or heading without crossed-out text, its HTML as Markdown."""
    if not _MARKUP.search(text):
        return text
    is_html = _find_html(text, allowed=_names() - _RAW, without_end=_EMPTY)

    def protect(match: re.Match[str]) -> str:
        ends = "\n" * match[0].count("\n")  # so that each line that follows keeps its number
        if match["struck"]:
            return f"<del>{match['struck']}</del>{ends}"
        return match[0] + ends if is_html(match) else escape(match[0], quote=False)

    root = parse_html(f"<span>{_INLINE.sub(protect, text)}</span>")
    noted = prepare_page(root, "")
    if notes is not None:
        notes |= dict.fromkeys(noted)
    shown = inline_text(find_body(root)).replace("\v", " ")
    return re.sub(r"(?<=\S) {2,}(?=\S)", " ", shown) if CROSSED in noted else shown


def _changes(
    lines: Sequence[str], tokens: Sequence[Token], notes: dict[str, None]
) -> Iterator[tuple[int, int, str, bool]]:
    """The runs of lines that read otherwise: first line, line after the last one, new text, whether it is prose."""
    numbers = _numbered_items(lines, tokens)
    done = 0
    for index, token in enumerate(tokens):
        start, end = token.map or (0, 0)
        if start < done or token.type not in ("html_block", "table_open", "inline") or not token.map:
            continue
        if token.type == "html_block":
            end = _end_of_html(lines, start, end)
            while (following := tokens[index + 1 : index + 2]) and following[0].type == "html_block":
                index, end = index + 1, max(end, (following[0].map or (0, 0))[1])
            text = _from_html("\n".join(lines[start:end]), notes)
        elif token.type == "table_open":
            text = _table([clean_inline(numbers.get(n, lines[n]), notes) for n in range(start, end)])
        else:
            text = clean_inline("\n".join(numbers.get(n, lines[n]) for n in range(start, end)), notes)
            text = _BOX.sub(lambda box: box[1] + ("☐" if box[2] == " " else "☑"), text) if "[" in text else text
        done = end
        if text != "\n".join(lines[start:end]):
            yield start, end, text, token.type == "inline"


def _numbered_items(lines: Sequence[str], tokens: Sequence[Token]) -> dict[int, str]:
    found: dict[int, str] = {}
    counts: list[int | None] = []
    for token in tokens:
        if token.type in ("ordered_list_open", "bullet_list_open"):
            counts.append(int(token.attrGet("start") or 1) if token.type[0] == "o" else None)
        elif token.type in ("ordered_list_close", "bullet_list_close"):
            counts.pop()
        elif token.type == "list_item_open" and (count := counts[-1]) is not None and token.map:
            if token.info and int(token.info) != count and token.map[0] not in found:
                found[token.map[0]] = _NUMBER.sub(rf"\g<1>{count}", lines[token.map[0]], count=1)
            counts[-1] = count + 1
    return found


def _end_of_html(lines: Sequence[str], start: int, end: int) -> int:
    """The line after an HTML block. A table and what is hidden may have blank lines inside, unlike for Markdown."""
    root = parse_html(lines[start])
    first = None if root is None else root.find("body/*")
    if first is None or (first.tag != "table" and not is_hidden_element(first)):
        return end
    depth, text = 0, "\n".join(lines[start : start + _MAX_BLOCK])
    for match in re.finditer(rf"<(/?){re.escape(first.tag)}\b", text, re.IGNORECASE):
        depth += -1 if match[1] else 1
        if depth <= 0:
            return max(end, start + text.count("\n", 0, match.start()) + 1)
    return end


def _drop_comment(match: re.Match[str]) -> str:
    """Nothing but the ends of lines, for a comment. One that does not end is text."""
    is_open = match[0].startswith("<!--") and not match[0].endswith("-->")
    return match[0] if match["code"] or is_open else "\n" * match[0].count("\n")


def _from_html(source: str, notes: dict[str, None]) -> str:
    is_html = _find_html(source, allowed=_names(), without_end=_EMPTY | _OPEN_ENDED)
    html = _IN_BLOCK.sub(lambda match: match[0] if is_html(match) else match[0].replace("<", "&lt;"), source)
    if html.lstrip().startswith("&lt;"):
        return source
    root = parse_html(html)
    if root is None:
        return ""
    notes |= dict.fromkeys(prepare_page(root, ""))
    builder, parts, before = SectionBuilder(), list[str](), tuple[str, ...]()
    HtmlBlocks(builder).read(find_body(root))
    for section in builder.finish():
        new = [title for title in section.heading_path if title not in before]
        before = section.heading_path
        parts += [*(f"{'#' * min(6, before.index(title) + 1)} {title}" for title in new), section.text]
    return "\n\n".join(parts)


def _find_html(text: str, *, allowed: Set[str], without_end: Set[str]) -> Callable[[re.Match[str]], bool]:
    """Whether a tag in the text is HTML. Other names in angle brackets are text: List<String>, <stdin>."""
    ends = {match[1].lower(): match.start() for match in _END_TAG.finditer(text)}

    def is_html(match: re.Match[str]) -> bool:
        if not match["tag"]:
            return bool(match["whole"])
        name = match["name"].lower()
        if name not in allowed or match["end"] or match.start() < ends.get(name, 0):
            return name in allowed
        return name in without_end or (bool(match["attributes"]) and name not in HIDING and name not in _RAW)

    return is_html


@cache
def _names() -> Set[str]:
    from lxml.html.defs import tags

    return {*tags, "main", "picture", "dialog", "template", "bdi", "strike", *_RAW, *_EMPTY}


def _table(lines: Sequence[str]) -> str:
    """A table with one row of names, its groups named in every row."""
    plain = [line.strip(" \t>").removeprefix("|").removesuffix("|") for line in (*lines[:1], *lines[2:])]
    rows = [[cell.strip() for cell in PIPE.split(line)] for line in plain]
    width = max(map(len, rows))
    even = [[*row, *[""] * (width - len(row))] for row in rows]
    table = read_table(even, depth=max(1, find_depth(even)))
    is_same = even == [table.header, *map(list, table.rows)]
    return "\n".join(lines) if is_same else markdown_table([table.header, *table.rows])
