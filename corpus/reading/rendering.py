"""Untrusted Markdown, of documents and answers, as safe HTML."""

from __future__ import annotations

import re
from collections.abc import Sequence
from html import unescape
from typing import Any

import nh3
from django.utils.html import escape
from django.utils.safestring import SafeString, mark_safe
from markdown_it import MarkdownIt
from markdown_it.rules_core import StateCore
from markdown_it.token import Token

from corpus.reading.formulas import MATHML_ATTRIBUTES, MATHML_TAGS, add_formulas, show_raised

MAX_LENGTH = 32_000
"""Characters that are rendered. Longer text is cut; answers and blocks are far shorter."""

_START, _END = "\ue000", "\ue001"  # private use characters: placeholders for the ends of a mark
_TAG = re.compile(r"(<math\b.*?</math>|<[^>]*>)", re.DOTALL)  # a formula is marked as a whole
_TABLE = re.compile(r"<table>(\s*<thead>(.*?)</thead>)?", re.DOTALL)
_NEXT_PART = re.compile(r"</tbody>\s*</table>\s*<table>\s*<thead>(.*?)</thead>\s*<tbody>", re.DOTALL)
_SIGN = re.compile(f"[{_START}{_END}]")
_LINE_END = re.compile(r"\r\n?|\n")
_LABEL = 80  # characters of the name of a table
_TAGS = {
    *("p", "br", "hr", "strong", "em", "s", "code", "pre", "blockquote", "ul", "ol", "li", "a"),
    *("table", "thead", "tbody", "tr", "th", "td"),
    *MATHML_TAGS,
}
# Lines that consist of syntax: a fence, a rule or underline, the line below a table head, the ends of a formula.
_SYNTAX = re.compile(r"\s*(?:(?:```|~~~).*|[-=*_\s]*|\|?[\s:|-]+|\$\$|\\[\[\]])$")
# What can precede the words of a line: indentation, marks of lists, quotes, headings and cells.
_LEAD = re.compile(r"\s*(?:(?:[-*+>|]|\d{1,9}[.)]|#{1,6})\s*(?=\s|$|[|>]))*(?:[|>]\s*|\$\$|\\\[)?\s*")


def render_markdown(text: str, *, links: bool = True) -> SafeString:
    """Markdown, or plain text, as safe HTML.

    HTML in the text is escaped. Pictures become their description, headings bold lines, formulas MathML. Links open a
    new tab and may be http, https or mailto. There are no style or id attributes. Tables are in numbered boxes that
    scroll.
    """
    html = _safe_html(_without_signs(text)[:MAX_LENGTH], links=links)
    return mark_safe(_boxed(html, 0))  # noqa: S308 - cleaned by nh3


def render_marked(
    text: str, spans: Sequence[tuple[int, int]], *, anchor: bool = True, tables_before: int = 0
) -> SafeString:
    """Like `render_markdown`, with the spans in <mark> elements. With `anchor` the first one has the id "passage".
    Tables are numbered from `tables_before` + 1.

    A span may begin and end anywhere, also inside a list, a table, a code block or a formula. Spans are (start, end) in
    characters, in order and disjoint; 0 <= start <= end <= len(text).
    """
    text = _without_signs(text)[:MAX_LENGTH]
    spans = [(min(start, len(text)), min(end, len(text))) for start, end in spans]
    signed = text
    for start, end in reversed([_inner(text, *span) for span in spans]):
        signed = signed[:start] + _START + signed[start:end] + _END + signed[end:]
    html = _safe_html(signed)
    if spans and not html.count(_START) == html.count(_END) == len(spans):
        start, end = spans[0][0], spans[-1][1]
        html = "".join(map(_safe_html, (text[:start], _START + text[start:end] + _END, text[end:])))
    return mark_safe(_boxed(_marked(_join_parts(html), anchor), tables_before))  # noqa: S308 - cleaned by nh3


def _join_parts(html: str) -> str:
    """HTML in which a table that was cut into parts, each with the header, is one again."""

    def join(match: re.Match[str]) -> str:
        head = html[html.rfind("<thead>", 0, match.start()) :].partition("</thead>")[0].removeprefix("<thead>")
        marks = _SIGN.findall(match[1])
        return "\n" + "".join(marks) if _SIGN.sub("", head) == _SIGN.sub("", match[1]) else match[0]

    return _NEXT_PART.sub(join, html)


def _boxed(html: str, before: int) -> str:
    """HTML with each table in a box that can be reached and scrolled by keyboard, named after its header row."""
    number = before

    def box(match: re.Match[str]) -> str:
        nonlocal number
        number += 1
        cells = re.findall(r"<th>(.*?)</th>", match[2] or "", re.DOTALL)
        names = ", ".join(filter(None, (" ".join(unescape(_TAG.sub("", cell)).split()) for cell in cells)))
        label = f"Table {number}: {names}" if names else f"Table {number}"
        label = label if len(label) <= _LABEL else label[: _LABEL - 1] + "…"
        opening = f'<div class="table-box" dir="auto" role="region" aria-label="{escape(label)}" tabindex="0">'
        return opening + match[0]

    html = html.replace("<th></th>", "<td></td>")  # a header that says nothing is none
    return _TABLE.sub(box, html).replace("</table>", "</table></div>")


def _safe_html(text: str, *, links: bool = True) -> str:
    html = nh3.clean(
        (_MARKDOWN if links else _WITHOUT_LINKS).render(text),
        tags=_TAGS,
        attributes={"a": {"href"}, "ol": {"start", "dir"}, "ul": {"dir"}, "blockquote": {"dir"}} | MATHML_ATTRIBUTES,
        attribute_filter=_only_safe,
        url_schemes={"http", "https", "mailto"},
        link_rel="noopener noreferrer",
        set_tag_attribute_values={"a": {"target": "_blank"}},
    )
    return show_raised(html)


def _only_safe(tag: str, attribute: str, value: str) -> str | None:
    """The attribute filter: absolute links, list numbers, directions and MathML. No value can contain ">"."""
    if attribute == "href" and not value.lower().startswith(("http://", "https://", "mailto:")):
        return None
    return value if tag in MATHML_TAGS or attribute in ("href", "start", "dir", "target", "rel") else None


def _without_signs(text: str) -> str:
    # Replace each character by one, so that offsets stay valid.
    return text.replace(_START, " ").replace(_END, " ").replace("\0", " ")


def _inner(text: str, start: int, end: int) -> tuple[int, int]:
    """The span without syntax at its ends, where a placeholder would change the Markdown."""
    lines, offset = [], start
    for line in text[start:end].splitlines(keepends=True):
        if not _SYNTAX.match(line.rstrip("\n")):
            lines.append((offset, line))
        offset += len(line)
    if not lines:
        return start, end
    (first, opening), (last, closing) = lines[0], lines[-1]
    if first == 0 or text[first - 1] == "\n":
        lead = _LEAD.match(opening)
        first += lead.end() if lead else 0
    return first, max(first, last + len(closing.rstrip().rstrip("|").rstrip()))


def _marked(html: str, anchor: bool) -> str:
    """HTML with placeholders replaced by <mark> elements, one for each run of text between tags and each formula."""
    parts, inside, seen = [], False, not anchor
    for part in _TAG.split(html):
        if part.startswith("<") and not part.startswith("<math"):
            parts.append(part.replace(_START, "").replace(_END, ""))
            continue
        for piece in re.split(f"([{_START}{_END}])", part):
            if piece in (_START, _END):
                inside = piece == _START
            elif inside and piece.strip():
                parts.append(f"<mark>{piece}</mark>" if seen else f'<mark id="passage">{piece}</mark>')
                seen = True
            else:
                parts.append(piece)
    return "".join(parts)


def _picture(renderer: Any, tokens: Sequence[Token], index: int, options: Any, env: Any) -> str:
    words = renderer.renderInlineAsText(tokens[index].children or [], options, env)
    return f"[Picture: {escape(words)}]" if words else "[Picture]"


def _find_own_direction(state: StateCore) -> None:
    """Let a list or quotation run from right to left where its text does, as the browser finds; what is in it inherits
    that. Paragraphs need no attribute: style sheets have `unicode-bidi: plaintext`."""
    for token in state.tokens:
        if token.level == 0 and token.type in ("bullet_list_open", "ordered_list_open", "blockquote_open"):
            token.attrSet("dir", "auto")


def _parser() -> MarkdownIt:
    # "js-default" is CommonMark with tables and strikethrough, without HTML and linkify. Indented code is off, since
    # plain text often indents its paragraphs.
    parser = MarkdownIt("js-default").disable("code")
    add_formulas(parser, _START + _END)
    parser.core.ruler.push("direction", _find_own_direction)
    parser.add_render_rule("image", _picture)
    parser.add_render_rule("heading_open", lambda *_: "<p><strong>")
    parser.add_render_rule("heading_close", lambda *_: "</strong></p>\n")
    return parser


_MARKDOWN = _parser()
_WITHOUT_LINKS = _parser().disable(["link", "autolink", "reference"])


def last_block_start(text: str) -> int:
    """Where the last block of a text without links begins: the blocks before it stay as they are, whatever follows.

    A list and a table are one block each. 0 if there is only one block.
    """
    last = [token.map[0] for token in _WITHOUT_LINKS.parse(text) if token.level == 0 and token.map][-1:]
    ends = [found.end() for found in _LINE_END.finditer(text)]
    return ends[last[0] - 1] if last and last[0] else 0
