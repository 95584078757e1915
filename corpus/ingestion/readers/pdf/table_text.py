"""Tables of a PDF as Markdown, also those that go on over several pages. Pure."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import reduce

from corpus.ingestion.readers.pdf.headings import body_size, is_large
from corpus.ingestion.readers.pdf.lines import Line, tidy
from corpus.ingestion.readers.pdf.margins import is_at_edge
from corpus.ingestion.readers.pdf.paragraphs import join_lines
from corpus.ingestion.readers.pdf.tables import Cell, PdfTable
from corpus.ingestion.readers.tables import Cells, find_depth, read_table, table_parts

_SAME_SIDE = 6.0  # points between the sides of two parts of one table


@dataclass(frozen=True)
class TableText:
    """A table of one page, as its cells read."""

    page: int
    header: Sequence[str]  # empty names, if it has none
    rows: Sequence[Cells]
    caption: str
    sides: tuple[float, float]

    def parts(self) -> Iterator[str]:
        """Its caption, and the table in parts that each have the header."""
        if self.caption:
            yield self.caption
        yield from (part.text for part in table_parts(self.header, self.rows))


def table_texts(pages: Sequence[Sequence[Line]], words: frozenset[str]) -> dict[int, TableText]:
    """The tables of all pages by the id of their line. A part of a table on the next page shares its header."""
    body = body_size(pages)
    found: dict[int, TableText] = {}
    before: TableText | None = None  # at the end of the page before, if nothing stands between
    for number, lines in enumerate(pages, start=1):
        for line in lines:
            if line.table:
                before = found[id(line)] = _table_text(line.table, number, words, before)
            elif is_large(line, body) or not is_at_edge(line):
                before = None
    return found


def _table_text(table: PdfTable, page: int, words: frozenset[str], before: TableText | None) -> TableText:
    rows = [[_cell(cell, words) for cell in row] for row in table.rows]
    caption, sides = _cell(table.caption, words), (table.left, table.right)
    read = read_table(rows, depth=max(table.depth, find_depth(rows)))
    goes_on = before and not caption and before.page + 1 == page and len(before.header) == len(rows[0])
    if before and goes_on and all(abs(before.sides[side] - sides[side]) <= _SAME_SIDE for side in (0, 1)):
        body = read if read.header == before.header else read_table(rows, depth=0)
        return TableText(page, before.header, body.rows, "", sides)
    return TableText(page, read.header, read.rows, caption, sides)


def _cell(lines: Cell, words: frozenset[str]) -> str:
    """The lines of a cell joined, with words that are broken between them mended."""
    if not lines:
        return ""
    return tidy(
        reduce(lambda text, line: join_lines(text.removesuffix("\xad"), line, text.endswith("\xad"), words), lines)
    )
