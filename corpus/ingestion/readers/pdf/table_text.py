"""Tables of a PDF as Markdown, also those that go on over several pages. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from functools import reduce
from typing import NamedTuple

from corpus.ingestion.readers.pdf.headings import body_size, is_large
from corpus.ingestion.readers.pdf.lines import Line, tidy
from corpus.ingestion.readers.pdf.margins import is_at_edge
from corpus.ingestion.readers.pdf.paragraphs import Paragraph, join_lines
from corpus.ingestion.readers.pdf.tables import Cell
from corpus.ingestion.readers.tables import find_depth, read_table, table_parts

_SAME_SIDE = 6.0  # points between the sides of two parts of one table


class _OpenTable(NamedTuple):
    """The last table of a page, which may go on on the next one."""

    page: int
    header: list[str]  # empty names, if it has none
    left: float
    right: float

    def goes_on(self, after: _OpenTable) -> bool:
        apart = max(abs(self.left - after.left), abs(self.right - after.right))
        return self.page + 1 == after.page and len(self.header) == len(after.header) and apart <= _SAME_SIDE


def table_paragraphs(pages: Sequence[Sequence[Line]], words: frozenset[str]) -> dict[int, list[Paragraph]]:
    """The tables of all pages by the id of their line: a caption, and parts that each have the header.

    A part of a table on the next page shares its header.
    """
    body = body_size(pages)
    found: dict[int, list[Paragraph]] = {}
    before: _OpenTable | None = None
    for number, lines in enumerate(pages, start=1):
        for line in lines:
            if line.table:
                rows = [[_cell(cell, words) for cell in row] for row in line.table.rows]
                caption = _cell(line.table.caption, words)
                read = read_table(rows, depth=max(line.table.depth, find_depth(rows)))
                own = _OpenTable(number, read.header, line.table.left, line.table.right)
                if before and not caption and before.goes_on(own):
                    read = read if read.header == before.header else read_table(rows, depth=0)
                    own = own._replace(header=before.header)
                texts = [part.text for part in table_parts(own.header, read.rows)]
                found[id(line)] = [Paragraph(text, number, 0.0, False) for text in (caption, *texts) if text]
                before = own
            elif is_large(line, body) or not is_at_edge(line):
                before = None
    return found


def _cell(lines: Cell, words: frozenset[str]) -> str:
    """The lines of a cell joined, with words that are broken between them mended."""
    if not lines:
        return ""
    return tidy(
        reduce(lambda text, line: join_lines(text.removesuffix("\xad"), line, text.endswith("\xad"), words), lines)
    )
