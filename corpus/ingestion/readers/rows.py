"""Rows of a spreadsheet or CSV file as sections, each with the header row and its row numbers."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from corpus.ingestion.readers.structure import Section
from corpus.ingestion.readers.tables import table_parts

NumberedRow = tuple[int, list[str]]
"""The number of a row as the program shows it, and its cells."""

MAX_CELLS = 100_000
"""The most filled cells that are read of one file, enough for 2,000 pupils with 50 marks each."""
_MOST_ROWS = 200_000  # of one sheet, including empty ones
_AMOUNT = re.compile(r"\W*+\d[\d.,:/\s]*+\W*+|[.,:/\s]++")


def read_rows(
    rows: Iterable[NumberedRow], path: tuple[str, ...] = (), *, left: int = MAX_CELLS
) -> tuple[list[Section], str, int]:
    """Sections under `path`, a note on rows that were left out, and how many filled cells may still be read.

    At most `left` filled cells are read. The note is "" if no rows were left out.
    """
    kept: list[NumberedRow] = []
    note = ""
    for seen, (number, cells) in enumerate(rows):
        filled = sum(bool(cell.strip()) for cell in cells)
        if seen >= _MOST_ROWS or filled > left:
            where = f" of “{path[-1]}”" if path else ""
            note = f"Rows from {number} on{where} were left out: at most {MAX_CELLS:,} filled cells are read."
            break
        left -= filled
        if filled:
            kept.append((number, cells))
    used = sorted({column for _, cells in kept for column, cell in enumerate(cells) if cell.strip()})
    narrow = [(number, [cells[n] if n < len(cells) else "" for n in used]) for number, cells in kept]
    return list(_sections(narrow, path)), note, left


def _sections(rows: list[NumberedRow], path: tuple[str, ...]) -> Iterator[Section]:
    """The rows as sections. If there are several, the row numbers are the last heading of each."""
    if not rows:
        return
    if len(rows[0][1]) == 1:
        yield Section(path, "\n".join(cells[0] for _, cells in rows))
        return
    titles, header, body = _header(rows)
    parts = list(table_parts(header, [cells for _, cells in body]))
    numbers = [number for number, _ in body or rows[-1:]]
    for index, part in enumerate(parts):
        first, last = numbers[part.first], numbers[part.last]
        place = f"Row {first}" if first == last else f"Rows {first}–{last}"
        text = f"{titles}\n\n{part.text}" if titles and index == 0 else part.text
        yield Section((*path, place) if len(parts) > 1 else path, text)


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
