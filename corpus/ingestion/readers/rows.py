"""Rows of a spreadsheet or CSV file as sections, each with the header row and its row numbers."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence

from corpus.ingestion.readers.structure import Section
from corpus.ingestion.readers.tables import TablePart, table_parts

NumberedRow = tuple[int, list[str]]
"""The number of a row as the program shows it, and its cells."""

MAX_CELLS = 100_000
"""The most filled cells that are read of one file, enough for 2,000 pupils with 50 marks each."""
_MOST_ROWS = 200_000  # of one sheet, including empty ones
_AMOUNT = re.compile(r"\W*+\d[\d.,:/\s]*+\W*+|[.,:/\s]++")


class CellBudget:
    """The filled cells that may still be read of one file."""

    def __init__(self, most: int = MAX_CELLS) -> None:
        self._left = most

    def limit(self, rows: Iterable[NumberedRow]) -> Iterator[NumberedRow]:
        """The rows that are not empty, within the budget. The first row beyond it comes last, without cells."""
        for seen, (number, cells) in enumerate(rows):
            filled = sum(bool(cell.strip()) for cell in cells)
            if seen >= _MOST_ROWS or filled > self._left:
                yield number, []
                return
            self._left -= filled
            if filled:
                yield number, cells


def read_rows(rows: Iterable[NumberedRow], budget: CellBudget, path: tuple[str, ...]) -> tuple[list[Section], str]:
    """Sections under `path`, and a note on rows that were left out, "" if there are none."""
    kept = list(budget.limit(rows))
    note = ""
    if kept and not kept[-1][1]:
        where = f" of “{path[-1]}”" if path else ""
        note = f"Rows from {kept.pop()[0]} on{where} were left out: at most {MAX_CELLS:,} filled cells are read."
    return list(_sections(_without_empty_columns(kept), path)), note


def _without_empty_columns(rows: Sequence[NumberedRow]) -> list[NumberedRow]:
    used = sorted({column for _, cells in rows for column, cell in enumerate(cells) if cell.strip()})
    return [(number, [cells[column] if column < len(cells) else "" for column in used]) for number, cells in rows]


def _sections(rows: list[NumberedRow], path: tuple[str, ...]) -> Iterator[Section]:
    if not rows:
        return
    if len(rows[0][1]) == 1:
        yield Section(path, "\n".join(cells[0] for _, cells in rows))
        return
    titles, header, body = _header(rows)
    parts = list(table_parts(header, [cells for _, cells in body]))
    yield from _placed(parts, body or rows[-1:], path, titles)


def _header(rows: list[NumberedRow]) -> tuple[str, list[str], list[NumberedRow]]:
    """The lines above the table, its header row, and the rest. Without a header the columns are named A, B, C."""
    start = next((index for index, (_, cells) in enumerate(rows) if sum(map(bool, cells)) > 1), 0)
    titles = "\n".join(cell for _, cells in rows[:start] for cell in cells if cell)
    first = rows[start][1]
    if all(_AMOUNT.fullmatch(cell) for cell in first if cell):
        return titles, [_letter(column) for column in range(len(first))], rows[start:]
    return titles, first, rows[start + 1 :]


def _letter(column: int) -> str:
    return (_letter(column // 26 - 1) if column >= 26 else "") + chr(ord("A") + column % 26)


def _placed(
    parts: Sequence[TablePart], rows: Sequence[NumberedRow], path: tuple[str, ...], titles: str
) -> Iterator[Section]:
    """The parts as sections. If there are several, the row numbers are the last heading of each."""
    for index, part in enumerate(parts):
        first, last = rows[part.first][0], rows[part.last][0]
        place = f"Row {first}" if first == last else f"Rows {first}–{last}"
        text = f"{titles}\n\n{part.text}" if titles and index == 0 else part.text
        yield Section((*path, place) if len(parts) > 1 else path, text)
