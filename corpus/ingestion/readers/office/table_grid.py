"""Tables of Office files, whose cells may span rows and columns, as Markdown."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

from corpus.ingestion.readers.tables import find_depth, read_table, table_parts


@dataclass(frozen=True)
class GridCell:
    """A cell of the grid: one with text, or covered by the cell above or to the left."""

    text: str = ""
    covered: Literal["", "down", "across"] = ""


def write_table(grid: Sequence[Sequence[GridCell]], depth: int = 0) -> Iterator[str]:
    """The table in parts, each with the header. What spans rows is in each of them; a title over all columns is a text.

    `depth` is the number of header rows that the file states, if it does.
    """
    width = max(map(len, grid), default=0)
    grid = [row for row in grid if any(cell.text or cell.covered for cell in row)]
    rows = [[*row, *[GridCell()] * (width - len(row))] for row in grid]
    while len(rows) > 2 and all(cell.covered == "across" for cell in rows[0][1:]):
        yield rows.pop(0)[0].text
        depth = max(depth - 1, 0)
    if not any(cell.text for row in rows for cell in row):
        return
    depth = depth or _find_spanned(rows) or find_depth([[cell.text for cell in row] for row in rows])
    texts: list[list[str]] = []
    for row in rows:
        above = texts[-1] if texts else [""] * width
        texts.append([said if cell.covered == "down" else cell.text for cell, said in zip(row, above, strict=True)])
    table = read_table(texts, depth=depth)
    yield from (part.text for part in table_parts(table.header, table.rows))


def _find_spanned(rows: Sequence[Sequence[GridCell]]) -> int:
    """The number of header rows, if the first has cells that span columns and others that span rows."""
    if not any(cell.covered == "across" for cell in rows[0]):
        return 0
    columns = range(len(rows[0]))
    ends = [next((n for n, row in enumerate(rows) if n and row[column].covered != "down"), 0) for column in columns]
    return max(ends) if max(ends) > 1 else 0
