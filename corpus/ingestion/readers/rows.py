"""Rows of a spreadsheet or CSV file as sections: each table with its header row and its row numbers.

Of tables as text (.csv, .tsv) the separator is guessed.
"""

from __future__ import annotations

import csv
import io
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import groupby, islice
from types import MappingProxyType

from corpus.ingestion.readers import tables
from corpus.ingestion.readers.decoding import decode
from corpus.ingestion.readers.structure import CSV, Parsed, Section, UnreadableDocument, clean, one_line
from corpus.ingestion.readers.tables import SAMPLE

NumberedRow = tuple[int, list[str]]
"""The number of a row as the program shows it, and its cells."""
Merge = tuple[int, int, int, int]
"""The first and last row number of merged cells, and their first and last column from 0."""

MAX_CELLS = 100_000
"""The most filled cells that are read of one file, enough for 2,000 pupils with 50 marks each."""
MAX_COLUMNS = 256
"""The most columns that are read of a sheet."""
_MAX_ROWS = 200_000  # of one sheet, including empty ones
_MAX_GAPS = 20  # empty columns that may part tables


@dataclass
class _Block:
    columns: list[int]
    rows: list[NumberedRow]  # with the cells of these columns
    titles: list[tuple[int, str]]
    is_apart: bool = False  # whether a blank row precedes it
    body: list[list[str]] = field(default_factory=list)  # its first rows below the header, once asked for

    @property
    def lines(self) -> list[str]:
        return [line for _, line in self.titles]

    @property
    def cells(self) -> list[list[str]]:
        return [cells for _, cells in self.rows]

    def pick(self, columns: Sequence[int]) -> list[list[str]]:
        at = {column: index for index, column in enumerate(self.columns)}
        return [[cells[at[column]] if column in at else "" for column in columns] for _, cells in self.rows]


def read_rows(
    rows: Iterable[NumberedRow],
    path: tuple[str, ...] = (),
    *,
    left: int = MAX_CELLS,
    merges: Sequence[Merge] = (),
    remarks: Mapping[int, Sequence[str]] = MappingProxyType({}),
) -> tuple[list[Section], str, int]:
    """Sections under `path`, a note on rows that were left out, and how many filled cells may still be read.

    At most `left` filled cells are read. The note is "" if no rows were left out. An empty row has no filled cells;
    rows that are hidden do not come. `remarks` are lines, by the row that they stand below.
    """
    kept: list[NumberedRow] = []
    note = ""
    for seen, (number, cells) in enumerate(rows):
        filled = sum(map(bool, map(str.strip, cells)))
        if seen >= _MAX_ROWS or filled > left:
            where = f" of “{path[-1]}”" if path else ""
            note = f"Rows from {number} on{where} were left out: at most {MAX_CELLS:,} filled cells are read."
            break
        left -= filled
        if filled or (kept and kept[-1][1]):
            kept.append((number, cells if filled else []))
    _repeat_merged(kept, merges)
    bands = (list(band) for filled, band in groupby(kept, key=lambda row: bool(row[1])) if filled)  # between empty ones
    blocks = _join_blocks(block for band in bands for block in _split_columns(band))
    alone = len(blocks) == 1
    sections = [section for block in blocks for section in _sections(block, path, merges, remarks, alone=alone)]
    return sections, note, left


def describe_hidden(rows: int, columns: int, name: str) -> str:
    hidden = [f"{many} {word}{'s' * (many > 1)}" for many, word in ((rows, "row"), (columns, "column")) if many]
    be = "is hidden and was" if rows + columns == 1 else "are hidden and were"
    return f"{' and '.join(hidden)} of “{name}” {be} left out." if hidden else ""


def _repeat_merged(rows: list[NumberedRow], merges: Sequence[Merge]) -> None:
    """Write the value of cells that are merged downwards in each row that has other cells."""
    by_number = dict(rows)
    for first, last, column, _ in merges:
        value = (by_number.get(first) or [])[column : column + 1]
        for number in range(first + 1, min(last, rows[-1][0] if rows else 0) + 1) if value else ():
            cells = by_number.get(number)
            if cells:
                cells += [""] * (column + 1 - len(cells))
                cells[column] = cells[column] or value[0]


def _split_columns(band: list[NumberedRow]) -> Iterator[_Block]:
    """The tables of a band: those beside each other, then those below each other with a line of one cell between."""
    used = sorted({column for _, cells in band for column, cell in enumerate(cells) if cell.strip()})
    gaps = [cut for cut in range(1, len(used)) if used[cut] > used[cut - 1] + 1]
    groups, start = list[list[int]](), 0
    for cut in (*(gaps if len(gaps) <= _MAX_GAPS else ()), len(used)):
        if cut == len(used) or _are_apart(band, used[start:cut], used[cut:]):
            groups.append(used[start:cut])
            start = cut
    for columns in groups:
        block = _Block(columns, [], [], is_apart=True)
        for number, cells in _pick_columns(band, columns):
            filled = [cell for cell in cells if cell.strip()]
            if len(filled) > 1 or (filled and block.rows and not cells[0]):
                block.rows.append((number, cells))
            elif filled:
                if block.rows:
                    yield block
                    block = _Block(columns, [], [])
                if filled[0] not in block.lines or len(columns) == 1:
                    block.titles.append((number, filled[0]))
        yield block


def _pick_columns(rows: Sequence[NumberedRow], columns: Sequence[int]) -> list[NumberedRow]:
    return [(number, [cells[n] if n < len(cells) else "" for n in columns]) for number, cells in rows]


def _are_apart(band: list[NumberedRow], left: list[int], right: list[int]) -> bool:
    """Whether an empty column parts two tables, not two groups of columns of one table."""
    sides = [{number: cells for number, cells in _pick_columns(band, side) if any(cells)} for side in (left, right)]
    heads = [next((n for n, cells in side.items() if sum(map(bool, cells)) > 1), 0) for side in sides]
    if len(right) == 1:
        return 0 < heads[0] < next(iter(sides[1]))  # a remark beside the table
    if not all(heads) or len(left) < 2:
        return False
    names = [cells[0] for number, cells in sides[1].items() if number > heads[1]]
    if heads[0] != heads[1] or next(iter(sides[1])) < heads[1] or not {*sides[1]} <= {*sides[0]}:
        return True
    worded = [name for name in names if sum(map(str.isalpha, name)) > 1]
    return 2 * len(worded) > len(names) and len(set(worded)) == len(worded)


def _join_blocks(blocks: Iterable[_Block]) -> list[_Block]:
    """The blocks, each continuation of a table together with it, and each line alone with the table below."""
    found: list[_Block] = []
    for block in blocks:
        before = next((one for one in reversed(found) if one.rows and {*one.columns} & {*block.columns}), None)
        if before and _continues(before, block):
            blank = [""] * (len(before.columns) - 1)
            before.rows += [(number, [title, *blank]) for number, title in block.titles]
            before.rows += zip((number for number, _ in block.rows), block.pick(before.columns), strict=True)
        elif found and not found[-1].rows and {*found[-1].columns} & {*block.columns}:
            found[-1] = _Block(block.columns, block.rows, [*found[-1].titles, *block.titles], is_apart=True)
        else:
            found.append(block)
    return found


def _continues(before: _Block, block: _Block) -> bool:
    """Whether the rows of a block belong to the table above it: they have its columns and no header of their own."""
    if not {*block.columns} <= {*before.columns} or len(before.columns) < 2:
        return False
    if not block.rows:
        return not block.is_apart
    if len(before.body) < SAMPLE // 2:
        sample = before.cells[:SAMPLE]
        before.body = sample[tables.find_depth(sample) :]
    fits = tables.fits_columns(block.pick(before.columns)[0], before.body) if before.body else None
    if fits is not None:
        return fits
    if len(block.rows) > 1 and tables.fits_columns(block.cells[0], block.cells[1:]) is False:
        return False
    return not (block.titles and block.is_apart)


def _sections(
    block: _Block, path: tuple[str, ...], merges: Sequence[Merge], remarks: Mapping[int, Sequence[str]], *, alone: bool
) -> Iterator[Section]:
    """A table as sections. If there are several parts or tables, title or row numbers are the last heading of each."""
    if not block.rows:
        yield Section(path, "\n".join(block.lines))
        return
    letters = list(map(tables.name_column, block.columns))
    table = tables.read_table(block.cells, depth=_find_merged_depth(block, merges), letters=letters)
    titles = block.lines
    if titles and not alone and len(titles[-1]) <= tables.MAX_NAME and titles[-1][-1:] != ".":
        path = (*path, one_line(titles.pop()))
        alone = True
    parts = list(tables.table_parts(table.header, table.rows))
    numbers = [number for number, _ in block.rows[table.depth :] or block.rows[-1:]]
    for index, part in enumerate(parts):
        first, last = numbers[part.first], numbers[part.last]
        start = first if index else (*block.titles, *block.rows)[0][0]
        below = [text for number in range(start, last + 1) for text in remarks.get(number, ())]
        place = f"Row {first}" if first == last else f"Rows {first}–{last}"
        text = "\n\n".join(filter(None, ["\n".join(titles) if index == 0 else "", part.text, *below]))
        yield Section(path if alone and len(parts) == 1 else (*path, place), text)


def _find_merged_depth(block: _Block, merges: Sequence[Merge]) -> int | None:
    """The rows of a header with merged cells. None if there are none in its first row."""
    numbers = [number for number, _ in block.rows]
    wide = {row for row, _, first, last in merges if last > first and {first, last} <= {*block.columns}}
    depth = 1
    while depth < len(numbers) and depth < 4 and numbers[depth - 1] in wide:
        depth += 1
    tall = (last - row + 1 for row, last, first, _ in merges if row == numbers[0] and first in block.columns)
    return min(4, max(depth, *tall, 0)) if depth > 1 else None


_SEPARATORS = "\t;|,"  # in order of preference: a comma is often a decimal sign
_BROKEN = (
    "This table cannot be read: one of its cells is longer than Lectern accepts. A quotation mark may be missing. "
    "Open it in a spreadsheet program, save it again, and upload that."
)


def read(data: bytes) -> Parsed:
    decoded, notes = decode(data)
    text = clean(decoded)
    has_hint = text[:4].lower() == "sep=" and text[5:6] == "\n"  # for Excel, no row
    rows = _rows(text[6:], text[4]) if has_hint else _rows(text, _find_separator(text))
    try:
        sections, note, _ = read_rows(rows)
    except csv.Error as error:
        raise UnreadableDocument(_BROKEN) from error
    return Parsed(CSV, None, tuple(sections), None, tuple(filter(None, (*notes, note))))


def _rows(text: str, separator: str) -> Iterator[NumberedRow]:
    return enumerate(csv.reader(io.StringIO(text), delimiter=separator, skipinitialspace=True), start=1)


def _find_separator(text: str) -> str:
    """The separator that gives most of the first rows the same number of cells, at least two."""

    def alike(separator: str) -> int:
        try:
            widths = Counter(len(cells) for _, cells in islice(_rows(text, separator), SAMPLE))
        except csv.Error:
            return 0
        return max((rows for width, rows in widths.items() if width > 1), default=0)

    return max(_SEPARATORS, key=alike)
