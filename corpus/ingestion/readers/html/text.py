"""The text of web page elements, and the rows of tables."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

from corpus.ingestion.readers.structure import one_line

if TYPE_CHECKING:
    from lxml.html import HtmlElement

_DROPPED = {
    *("script", "style", "template", "noscript", "nav", "head", "iframe", "object", "embed", "svg", "canvas"),
    *("audio", "video", "button", "select", "input", "textarea", "dialog", "datalist", "map", "rp", "rt"),
}
HEADINGS = {f"h{level}": level for level in range(1, 7)}
BLOCKS = {
    *("address", "article", "aside", "blockquote", "body", "center", "dd", "details", "div", "dl", "dt"),
    *("fieldset", "figcaption", "figure", "footer", "form", "header", "hgroup", "hr", "html", "li", "main"),
    *("ol", "p", "pre", "section", "summary", "table", "ul", *HEADINGS),
}
_HIDDEN_STYLE = re.compile(r"display\s*:\s*none|visibility\s*:\s*hidden", re.IGNORECASE)
_MOST_SPAN = 64  # columns
_MOST_ROWS = 1000
MAX_DEPTH = 100  # of nested elements; deeper ones are read as plain text


def is_hidden_element(element: HtmlElement) -> bool:
    """Whether the element is invisible or not part of the text: navigation, scripts, form controls."""
    return (
        not isinstance(element.tag, str)
        or element.tag in _DROPPED
        or element.get("hidden") is not None
        or element.get("aria-hidden") == "true"
        or element.get("role") in ("navigation", "search", "menu", "menubar")
        or (bool(_HIDDEN_STYLE.search(element.get("style") or "")) and not _is_formula(element))
    )


def _is_formula(element: HtmlElement) -> bool:
    """Whether it is the hidden formula that MediaWiki puts beside a picture of it."""
    return "mwe-math-mathml" in element.get("class", "") and element.find("math") is not None


def is_data_table(table: HtmlElement) -> bool:
    """Whether it is a table of data, not one for layout."""
    if table.get("role") in ("presentation", "none") or not table.xpath("descendant::tr/*[2]"):
        return False
    inside = {element.tag for element in table.iterdescendants() if isinstance(element.tag, str)}
    return not inside & {"table", "article", "section", "form", "h1", "h2", "h3", "pre"}


def all_text(element: HtmlElement) -> str:
    """All text in the element, including hidden text."""
    return " ".join(element.itertext())


def inline_text(element: HtmlElement, depth: int = 0) -> str:
    r"""The text of the element, blocks between spaces: line breaks as \v, code as `...`, powers as ^2, TeX as $...$."""
    if depth > MAX_DEPTH:
        return all_text(element)
    if element.tag == "br":
        return "\v"
    if element.tag == "math":
        tex = element.xpath("descendant::*[local-name()='annotation' and contains(@encoding, 'tex')]")
        formula = one_line(element.get("alttext") or "".join((tex[0] if tex else element).itertext()))
        return f"${formula}$" if formula else ""
    parts = [element.text or ""]
    for child in element:
        if not is_hidden_element(child):
            text = inline_text(child, depth + 1)
            parts.append(f" {text} " if child.tag in BLOCKS else text)
        parts.append(child.tail or "")
    text = "".join(parts)
    if element.tag in ("code", "kbd", "samp") and text.strip() and "`" not in text:
        return f"`{text}`"
    if element.tag == "sup" and text.strip() and not element.xpath("descendant::a"):
        return f"^{text}" if len(text.strip()) == 1 else f"^({text.strip()})"
    return text


def line_text(element: HtmlElement) -> str:
    """The text of the element on one line."""
    return one_line(inline_text(element).replace("\v", " "))


def has_blocks(element: HtmlElement) -> bool:
    """Whether an inline element contains block elements."""
    return any(inner.tag in BLOCKS for inner in element.iterdescendants())


def rows_of(table: HtmlElement) -> Iterator[list[str]]:
    """The rows that are not empty, each cell on one line. Empty cells follow one that spans columns or rows."""
    group, below = None, dict[int, int]()  # by column: the rows that a cell above still spans
    for row in table.iter("tr"):
        if row.getparent() is not group:
            group, below = row.getparent(), {}
        taken, below = below, {column: rows - 1 for column, rows in below.items() if rows > 1}
        cells: list[str] = []
        for cell in row.iterchildren("td", "th"):
            while len(cells) in taken:
                cells.append("")
            across, down = _span(cell, "colspan", _MOST_SPAN), _span(cell, "rowspan", _MOST_ROWS)
            if down > 1:
                columns = range(len(cells), min(len(cells) + across, _MOST_SPAN))
                below.update((column, down - 1) for column in columns)
            cells += [line_text(cell), *[""] * (across - 1)]
        if any(cells):
            yield cells


def _span(cell: HtmlElement, name: str, most: int) -> int:
    text = cell.get(name, "1")
    return max(1, min(int(text[:9]), most)) if text.isdecimal() else 1
