"""Formulas in Markdown, written in TeX between dollars or brackets, as MathML that the browser sets by itself.

What cannot be set, or would take too long, stays as it was written, in one piece, as code.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache
from html import escape, unescape
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

_LONGEST = 400
"""Characters of a formula that is set: the time to set one grows with the square, some 20 ms at this length."""
_LONG = 60  # characters: a longer one stands on a line of its own, which can scroll
_WORK = 500_000
"""Squared characters of all formulas in one text: more are left as code, so that a text takes 50 ms at most."""

FORMULA = re.compile(
    r"\$\$(?P<display>[^$]{1,600})\$\$"
    # A dollar that opens has no white space after it, one that closes none before it and no digit after it.
    r"|\$(?=[^\s$])(?P<dollars>(?:\\.|[^$\\]){1,600})(?<!\s)\$(?!\d)"
    r"|\\\((?P<round>.{1,600}?)\\\)|\\\[(?P<square>.{1,600}?)\\\]",
    re.DOTALL,
)
_CITED = re.compile(
    "[\ue002\ue003]"
)  # what stands for a citation while an answer is rendered: no formula has one
_CLOSING = {"$$": "$$", "\\[": "\\]"}
_MOST_LINES = 20
# Commands that define others (they can grow without bound), that are for pages rather than formulas, or that were not
# understood: those come out with their backslash.
_REFUSED = re.compile(
    r"\\(?:\w*def|\w*command\*?|let|href|style|class|html\w*|include\w*)(?![a-z])|<[a-z/!]", re.I
)


def add_formulas(parser: MarkdownIt, signs: str) -> None:
    """Teach a parser formulas. `signs` are characters that mark places in a text: they come out beside a formula."""
    parser.inline.ruler.before("escape", "formula", _inline)
    parser.block.ruler.before(
        "fence", "formula", _block, {"alt": ["paragraph", "reference", "blockquote", "list"]}
    )

    def render(_: Any, tokens: Sequence[Any], index: int, options: Any, memory: dict[str, int]) -> str:
        token = tokens[index]
        found = [sign for sign in token.content if sign in signs]
        text = "".join(character for character in token.content if character not in signs).strip()
        memory["work"] = memory.get("work", 0) + len(text) ** 2
        html = formula_html(text, display=token.markup != "$") if memory["work"] <= _WORK else None
        html = html or f"<code>{escape(token.info)}</code>"
        for sign in signs:
            html = html.replace(sign, "")
        # The first of two signs opens a mark, the second closes it.
        html = "".join(s for s in found if s == signs[0]) + html + "".join(s for s in found if s != signs[0])
        return f"<p>{html}</p>\n" if token.block else html

    parser.add_render_rule("formula", render)


@lru_cache(maxsize=4000)
def formula_html(tex: str, *, display: bool) -> str | None:
    """A formula as MathML, in nothing but TAGS and ATTRIBUTES; None if it cannot be set."""
    if not tex or len(tex) > _LONGEST or _REFUSED.search(tex):
        return None
    from latex2mathml.converter import convert_to_element

    shown = "block" if display or len(tex) > _LONG else "inline"
    try:
        math = convert_to_element(tex, display=shown)
        if shown == "block" and len(tex) > _LONG // 2:
            math.set("tabindex", "0")  # it may be wide enough to scroll, then also by keyboard
        html = "".join(_serialised(math))
    except Exception:  # of many kinds, one for each way in which TeX can be wrong
        return None
    return None if "\\" in html else html


def render_formulas(text: str) -> str:
    """Plain text as HTML in which nothing but its formulas is set."""
    parts, done, work = [], 0, 0
    for match in FORMULA.finditer(text):
        tex = match[match.lastgroup or 0].strip()
        work += len(tex) ** 2
        html = formula_html(tex, display=False) if work <= _WORK else None
        parts += [escape(text[done : match.start()]), html or escape(match[0])]
        done = match.end()
    return "".join([*parts, escape(text[done:])])


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
    """A formula on lines of its own, which no other rule may take for a list or an underline."""
    opening = state.getLines(start, start + 1, state.blkIndent, False).strip()[:2]
    closing = _CLOSING.get(opening)
    at = state.bMarks[start] + state.tShift[start] + 2
    if closing is None or state.src.find(closing, at, at + 2000) < 0:
        return False
    for last in range(start, min(end, start + _MOST_LINES)):
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
