"""Converts the elements of a web page to headings, paragraphs, lists, tables and code in Markdown."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from corpus.ingestion.readers.html.text import (
    BLOCKS,
    HEADINGS,
    MAX_DEPTH,
    add_inline,
    all_text,
    has_blocks,
    is_data_table,
    line_text,
    read_html_table,
)
from corpus.ingestion.readers.html.unseen import is_hidden_element
from corpus.ingestion.readers.numerals import format_number
from corpus.ingestion.readers.structure import SectionBuilder, fence_code, one_line
from corpus.ingestion.readers.tables import table_parts

if TYPE_CHECKING:
    from lxml.html import HtmlElement


_FORMS = {"1": "decimal", "a": "lowerLetter", "A": "upperLetter", "i": "lowerRoman", "I": "upperRoman"}
_STYLES = {
    **{"decimal": "1", "lower-alpha": "a", "upper-alpha": "A", "lower-latin": "a", "upper-latin": "A"},
    **{"lower-roman": "i", "upper-roman": "I"},
}
_STYLE = re.compile(rf"list-style(?:-type)?\s*:[^;]*?\b({'|'.join(_STYLES)})\b")


@dataclass
class _List:
    """An open list: how it numbers its items, if it does."""

    style: str = ""  # as the `type` of an <ol>; "" without numbers
    number: int = 1
    step: int = 1

    @property
    def indent(self) -> str:
        return "   " if self.style == "1" else "  "


class HtmlBlocks:
    """Walks the elements and feeds the builder. Headings are `shift` levels deeper than in the page.

    With `page` everything is on this page or slide.
    """

    def __init__(self, builder: SectionBuilder, *, shift: int = 0, page: int | None = None) -> None:
        self._page = page
        self._builder = builder
        self._shift = shift
        self._run: list[str] = []  # inline text since the last block
        self._lists: list[_List] = []  # outermost first
        self._mark = ""  # of the next item
        self._in_list = False  # whether the last paragraph was a list item

    def read(self, element: HtmlElement) -> None:
        """Convert everything in the element, in reading order."""
        self._inside(element, 0)
        self._end()

    def _inside(self, element: HtmlElement, depth: int) -> None:
        self._run.append(element.text or "")
        for child in element:
            if not is_hidden_element(child):
                self._child(child, depth)
            self._run.append(child.tail or "")

    def _child(self, child: HtmlElement, depth: int) -> None:
        if depth > MAX_DEPTH:
            self._run.append(all_text(child))
        elif child.tag not in BLOCKS and not has_blocks(child):
            add_inline(self._run, child)
        else:
            self._end()
            self._block(child, depth + 1)
            self._end()

    def _block(self, element: HtmlElement, depth: int) -> None:
        tag = element.tag
        if tag in HEADINGS and (title := line_text(element)):
            self._builder.heading(HEADINGS[tag] + self._shift, title, page=self._page)
            self._in_list = False
        elif tag == "pre":
            self._add(fence_code("".join(element.itertext()).strip("\n")))
        elif tag == "table" and is_data_table(element):
            self._table(element)
        elif tag in ("ul", "ol", "dl"):
            self._list(element, depth)
        elif tag in ("li", "dt"):
            self._mark = self._item_mark(element)
            self._inside(element, depth)
        else:
            self._inside(element, depth)

    def _table(self, element: HtmlElement) -> None:
        for caption in filter(None, map(line_text, element.iterchildren("caption"))):
            self._add(caption)
        table = read_html_table(element)
        if table and table.title:
            self._add(table.title)
        for part in table_parts(table.header, table.rows) if table else ():
            self._add(part.text)

    def _list(self, element: HtmlElement, depth: int) -> None:
        self._in_list = self._in_list and bool(self._lists)  # adjacent lists stay apart
        self._lists.append(_numbering(element) if element.tag == "ol" else _List())
        self._inside(element, depth)
        self._end()
        self._lists.pop()
        self._mark = ""

    def _item_mark(self, element: HtmlElement) -> str:
        if not self._lists or not self._lists[-1].style:
            return "- "
        numbering = self._lists[-1]
        numbering.number = _integer(element.get("value"), numbering.number)
        mark = f"{format_number(numbering.number, _FORMS[numbering.style])}. "
        numbering.number += numbering.step
        return mark if numbering.style == "1" else f"- {mark}"

    def _end(self) -> None:
        """Add the inline text since the last block as a paragraph or list item."""
        lines = (one_line(part) for part in "".join(self._run).split("\v"))
        self._run.clear()
        if text := "\n".join(filter(None, lines)):
            self._add(text)

    def _add(self, text: str) -> None:
        indent = "".join(one.indent for one in self._lists)
        first = "".join(one.indent for one in self._lists[:-1]) + self._mark if self._mark else indent
        glue = "\n" if self._lists and self._in_list else "\n\n"
        self._builder.paragraph(first + text.replace("\n", "\n" + indent), page=self._page, glue=glue)
        self._mark, self._in_list = "", bool(self._lists)


def _numbering(element: HtmlElement) -> _List:
    found = _STYLE.search(element.get("style") or "")
    style = _STYLES[found[1]] if found else element.get("type") or "1"
    is_reversed = element.get("reversed") is not None
    first = len(element.findall("li")) if is_reversed else 1
    return _List(style if style in _FORMS else "1", _integer(element.get("start"), first), -1 if is_reversed else 1)


def _integer(text: str | None, default: int) -> int:
    return int(text) if text and re.fullmatch(r"-?\d{1,8}", text.strip()) else default
