"""Converts the elements of a web page to headings, paragraphs, lists, tables and code in Markdown."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from corpus.ingestion.readers.html.text import (
    BLOCKS,
    HEADINGS,
    MAX_DEPTH,
    all_text,
    has_blocks,
    inline_text,
    is_data_table,
    is_hidden_element,
    line_text,
    rows_of,
)
from corpus.ingestion.readers.structure import SectionBuilder, one_line
from corpus.ingestion.readers.tables import table_parts

if TYPE_CHECKING:
    from lxml.html import HtmlElement


class HtmlBlocks:
    """Walks the elements and feeds the builder. Headings are `shift` levels deeper than in the page."""

    def __init__(self, builder: SectionBuilder, *, shift: int = 0) -> None:
        self._builder = builder
        self._shift = shift
        self._run: list[str] = []  # inline text since the last block
        self._lists: list[str] = []  # the item mark of each open list, outermost first
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
            self._run.append(inline_text(child))
        else:
            self._end()
            self._block(child, depth + 1)
            self._end()

    def _block(self, element: HtmlElement, depth: int) -> None:
        tag = element.tag
        if tag in HEADINGS and (title := line_text(element)):
            self._builder.heading(HEADINGS[tag] + self._shift, title)
            self._in_list = False
        elif tag == "pre":
            code = "".join(element.itertext()).strip("\n")
            fence = "`" * max([3, *(len(run) + 1 for run in re.findall("`{3,}", code))])
            self._add(f"{fence}\n{code}\n{fence}")
        elif tag == "table" and is_data_table(element):
            self._table(element)
        elif tag in ("ul", "ol", "dl"):
            self._list(element, depth)
        elif tag in ("li", "dt"):
            self._mark = self._item_mark()
            self._inside(element, depth)
        else:
            self._inside(element, depth)

    def _table(self, element: HtmlElement) -> None:
        for caption in filter(None, map(line_text, element.iterchildren("caption"))):
            self._add(caption)
        if rows := list(rows_of(element)):
            for part in table_parts(rows[0], rows[1:]):
                self._add(part.text)

    def _list(self, element: HtmlElement, depth: int) -> None:
        self._in_list = self._in_list and bool(self._lists)  # adjacent lists stay apart
        start = element.get("start", "1")
        number = start if start.isdecimal() and len(start) < 9 else "1"
        self._lists.append(number if element.tag == "ol" else "-")
        self._inside(element, depth)
        self._end()
        self._lists.pop()
        self._mark = ""

    def _item_mark(self) -> str:
        if not self._lists or self._lists[-1] == "-":
            return "- "
        number = int(self._lists[-1])
        self._lists[-1] = str(number + 1)
        return f"{number}. "

    def _end(self) -> None:
        """Add the inline text since the last block as a paragraph or list item."""
        lines = (one_line(part) for part in "".join(self._run).split("\v"))
        self._run.clear()
        if text := "\n".join(filter(None, lines)):
            self._add(text)

    def _add(self, text: str) -> None:
        indent = "".join("  " if mark == "-" else "   " for mark in self._lists)
        first = indent[: len(indent) - len(self._mark)] + self._mark
        glue = "\n" if self._lists and self._in_list else "\n\n"
        self._builder.paragraph(first + text.replace("\n", "\n" + indent), glue=glue)
        self._mark, self._in_list = "", bool(self._lists)
