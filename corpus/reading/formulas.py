"""Formulas in Markdown: TeX between dollars or brackets, rendered as MathML.

A formula that cannot be converted, or would take too long, is shown as code.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache
from html import escape, unescape
from itertools import pairwise
from typing import Any
from xml.etree.ElementTree import Element

from markdown_it import MarkdownIt

MATHML_TAGS = {
    *(
        "math",
        "mrow",
        "mi",
        "mn",
        "mo",
        "mtext",
        "mspace",
        "msup",
        "msub",
        "msubsup",
        "mfrac",
        "msqrt",
        "mroot",
    ),
    *("mover", "munder", "munderover", "mtable", "mtr", "mtd", "mstyle", "mpadded", "mphantom", "menclose"),
}
_ATTRIBUTES = {
    "display": r"inline|block",
    "tabindex": r"0",
    "mathvariant": r"normal",
    "stretchy": r"true|false",
    "displaystyle": r"true|false",
    "linethickness": r"0",
    "width": r"-?[01](?:\.\d{1,4})?em|2em",
}
MATHML_ATTRIBUTES = {tag: set(_ATTRIBUTES) for tag in MATHML_TAGS}

_MAX_CHARACTERS = 400
"""Of a formula. The time to convert it grows with the square, to about 20 ms at this length."""
_LONG = 60  # characters: a longer formula is a block of its own, which can scroll
_MAX_WORK = 500_000
"""The sum of squared lengths of the formulas in one text, about 50 ms. Further ones are shown as code."""

FORMULA = re.compile(
    r"\$\$(?P<display>[^$]{1,600})\$\$"
    # An opening dollar has no white space after it; a closing one has none before it and no digit after it.
    r"|\$(?=[^\s$])(?P<dollars>(?:\\.|[^$\\]){1,600})(?<!\s)\$(?!\d)"
    r"|\\\((?P<round>.{1,600}?)\\\)|\\\[(?P<square>.{1,600}?)\\\]",
    re.DOTALL,
)
_CITED = re.compile("[\ue002\ue003]")  # placeholders of citations in an answer; a formula contains none
_NO_TEXT = re.compile(r"(<math\b.*?</math>|<code\b.*?</code>|<[^>]*>)", re.DOTALL)
_RAISED = re.compile(
    r"\^\((?P<group>[^()<>^]{1,40})\)|(?<=[^\W_])\^(?P<sign>[^\W_])(?!\w)|(?<=[^\W_])_\((?P<low>[^()<>]{1,40})\)"
)
_CLOSING = {"$$": "$$", "\\[": "\\]"}
# Commands that define others (they can grow without bound) or are meant for pages, and HTML.
_REFUSED = re.compile(r"\\(?:\w*def|\w*command\*?|let|href|style|class|html\w*|include\w*)(?![a-z])|<[a-z/!]", re.I)


def add_formulas(parser: MarkdownIt, signs: str) -> None:
    """Add formulas to a parser. `signs` are an opening and a closing mark; those in a formula are put around it."""
    parser.inline.ruler.before("escape", "formula", _inline)
    parser.block.ruler.before("fence", "formula", _block, {"alt": ["paragraph", "reference", "blockquote", "list"]})

    def render(_: object, tokens: Sequence[Any], index: int, options: object, memory: dict[str, int]) -> str:
        token = tokens[index]
        found = [sign for sign in token.content if sign in signs]
        text = "".join(character for character in token.content if character not in signs).strip()
        memory["work"] = memory.get("work", 0) + len(text) ** 2
        html = formula_html(text, display=token.markup != "$") if memory["work"] <= _MAX_WORK else None
        html = html or f"<code>{escape(token.info)}</code>"
        for sign in signs:
            html = html.replace(sign, "")
        html = "".join(s for s in found if s == signs[0]) + html + "".join(s for s in found if s != signs[0])
        return f"<p>{html}</p>\n" if token.block else html

    parser.add_render_rule("formula", render)


@lru_cache(maxsize=4000)
def formula_html(tex: str, *, display: bool) -> str | None:
    """A formula as MathML with only MATHML_TAGS and MATHML_ATTRIBUTES. None if it cannot be converted."""
    if not tex or len(tex) > _MAX_CHARACTERS or _REFUSED.search(tex):
        return None
    from latex2mathml.converter import convert_to_element

    tex = _write_groups(tex)
    shown = "block" if display or len(tex) > _LONG else "inline"
    try:
        math = convert_to_element(tex, display=shown)
        if shown == "block" and len(tex) > _LONG // 2:
            math.set("tabindex", "0")  # a wide formula scrolls, also by keyboard
        html = "".join(_serialised(math))
    except Exception:  # the library raises many kinds of errors for wrong TeX
        return None
    return None if "\\" in html else html


def _write_groups(tex: str) -> str:
    """TeX with braces for the brackets of x^(2), x_(i) and √(x), as formulas of Office files are written."""
    groups: list[bool] = []
    written = ""
    for before, sign in pairwise(f" {tex}"):
        if sign == "(":
            groups.append(before in "^_√")
            sign = "{" if groups[-1] else sign
        elif sign == ")" and groups and groups.pop():
            sign = "}"
        written += sign
    return tex if groups else written.replace("√{", r"\sqrt{")


def render_formulas(text: str) -> str:
    """Plain text as escaped HTML with its formulas as MathML."""
    parts, done, work = [], 0, 0
    for match in FORMULA.finditer(text):
        tex = match[match.lastgroup or 0].strip()
        work += len(tex) ** 2
        html = formula_html(tex, display=False) if work <= _MAX_WORK else None
        parts += [escape(text[done : match.start()]), html or escape(match[0])]
        done = match.end()
    return show_raised("".join([*parts, escape(text[done:])]))


def show_raised(html: str) -> str:
    """HTML in which `10^(23)`, `m^2` and `v_(max)` of a text are raised and lowered, but in code and formulas."""
    parts = _NO_TEXT.split(html)
    return "".join(part if part.startswith("<") else _RAISED.sub(_raised_element, part) for part in parts)


def _raised_element(match: re.Match[str]) -> str:
    name = "sub" if match["low"] else "sup"
    return f"<{name}>{match['group'] or match['sign'] or match['low']}</{name}>"


def _serialised(element: Element) -> Iterator[str]:
    known = element.tag in MATHML_TAGS
    if known:
        attributes = "".join(
            f' {name}="{value}"'
            for name, value in element.attrib.items()
            if name in _ATTRIBUTES and re.fullmatch(_ATTRIBUTES[name], value)
        )
        yield f"<{element.tag}{attributes}>"
    yield escape(unescape(element.text or ""))
    for child in element:
        yield from _serialised(child)
        yield escape(unescape(child.tail or ""))
    if known:
        yield f"</{element.tag}>"


def _inline(state: Any, silent: bool) -> bool:
    if state.src[state.pos] not in "$\\":
        return False
    match = FORMULA.match(state.src, state.pos)
    if match is None or _CITED.search(match[0]):
        return False
    if not silent:
        token = state.push("formula", "", 0)
        token.content, token.info = match[match.lastgroup or 0], match[0]
        token.markup = "$" if match.lastgroup in ("dollars", "round") else "$$"
    state.pos = match.end()
    return True


def _block(state: Any, start: int, end: int, silent: bool) -> bool:
    """The block rule: a formula on lines of its own, which must not be parsed as a list or underline."""
    opening = state.getLines(start, start + 1, state.blkIndent, False).strip()[:2]
    closing = _CLOSING.get(opening)
    at = state.bMarks[start] + state.tShift[start] + 2
    if closing is None or state.src.find(closing, at, at + 2000) < 0:
        return False
    for last in range(start, min(end, start + 20)):
        line = state.getLines(last, last + 1, state.blkIndent, False).strip()
        inner = line[2:] if last == start else line
        if not line or closing in inner[: -len(closing)]:
            return False
        if inner.endswith(closing):
            break
    else:
        return False
    text = state.getLines(start, last + 1, state.blkIndent, False).strip()
    if not text[2:-2].strip() or _CITED.search(text):
        return False
    if not silent:
        token = state.push("formula", "", 0)
        token.block, token.map = True, [start, last + 1]
        token.content, token.info, token.markup = text[2:-2], text, "$$"
        state.line = last + 1
    return True
