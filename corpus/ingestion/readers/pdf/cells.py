"""From lines of letters to columns, rows and cells. Pure."""

from __future__ import annotations

import re
import unicodedata
from bisect import bisect
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from statistics import median

from corpus.ingestion.readers.pdf.glyphs import Glyph, TextLine, text_lines

Cell = tuple[str, ...]
"""The lines of a cell, from top to bottom."""
Row = tuple[Cell, ...]

AMOUNT = re.compile(r"\W*+(?:\d[\d.,:/%\s]*+)?\W*+")
"""A number, a date or nothing: no name of a column."""

_YEAR = re.compile(r"(?:1[5-9]|20)\d\d(?:\s?[/–-]\s?\d{2,4})?")
_GUTTER, _WIDE_GUTTER = 0.6, 0.9  # of the size; two lines alone need the wide one
_PIECE = 0.45  # of the size; words nearer than this are of one cell
_MIN_CROSSED_LINES = 5  # lines from which on one of them may cross a gutter, such as a heading of two columns
_TIGHT = 1.45  # of the size: the usual distance of the lines of one paragraph
_LOOSE = 1.3  # by how much rows are further apart than the lines of a cell


@dataclass(frozen=True)
class PdfTable:
    """A table on one page, without rows and columns that are empty."""

    rows: tuple[Row, ...]  # of one length
    has_header: bool  # whether the first row names the columns
    left: float  # in points, as displayed
    right: float
    caption: Cell = ()  # a title in a cell above the others


@dataclass(frozen=True)
class PlacedTable:
    """A table and the letters that it takes from the running text."""

    table: PdfTable
    glyphs: frozenset[int]  # their indices in the text of the page


def cell_text(glyphs: Sequence[Glyph]) -> Cell:
    """The lines of the letters of one cell, which may be turned."""
    if not glyphs:
        return ()
    turns = max({glyph.turns for glyph in glyphs}, key=lambda turns: sum(glyph.turns == turns for glyph in glyphs))
    upright = [glyph.upright() for glyph in glyphs if glyph.turns == turns]
    others = [glyph for glyph in glyphs if glyph.turns != turns]
    return tuple(_text(line) for line in text_lines(upright)) + (cell_text(others) if others else ())


def _text(line: TextLine) -> str:
    if not any(unicodedata.bidirectional(glyph.text[0]) in ("R", "AL") for glyph in line.glyphs):
        return line.text
    ordered = sorted(line.glyphs, key=lambda glyph: glyph.index)  # PDFium has them in the order of reading
    gaps = [after.index > before.index + 1 for before, after in pairwise(ordered)]
    return "".join(glyph.text + " " * gap for glyph, gap in zip(ordered, [*gaps, False], strict=True))


def table_columns(lines: Sequence[TextLine], *, strict: bool = False) -> list[float]:
    """The middles of the gutters between columns: strips that at most one of several lines crosses; `strict`, none."""
    if not lines:
        return []
    allowed = int(len(lines) >= _MIN_CROSSED_LINES and not strict)
    size = median(line.unit for line in lines)
    least = size * (_GUTTER if len(lines) > 2 else _WIDE_GUTTER)
    events = sorted(event for line in lines for word in line.words for event in ((word.left, 1), (word.right, -1)))
    found: list[float] = []
    covered, since = 0, None
    first, last = events[0][0], events[-1][0]
    for x, step in events:
        covered += step
        if covered <= allowed and since is None:
            since = x
        elif covered > allowed and since is not None:
            if since > first and x < last and x - since >= least:
                found.append((since + x) / 2)
            since = None
    return _filled(found, lines)


def _filled(gutters: list[float], lines: Sequence[TextLine]) -> list[float]:
    """The gutters without those to the left of a column that hardly any line has text in."""
    least = max(2, len(lines) // 8) if len(lines) > 2 else 1
    counts = [0] * (len(gutters) + 1)
    for line in lines:
        for column, pieces in enumerate(line_cells(line, gutters)):
            counts[column] += bool(pieces)
    kept = [gutter for gutter, count in zip(gutters, counts[1:], strict=True) if count >= least]
    return kept[1:] if kept and counts[0] < least and gutters[0] == kept[0] else kept


def line_cells(line: TextLine, gutters: Sequence[float]) -> list[tuple[Glyph, ...]]:
    """The letters of a line in each column. Words that cross a gutter belong to the column where they begin."""
    found: list[tuple[Glyph, ...]] = [()] * (len(gutters) + 1)
    for piece in line.pieces(_PIECE):
        column = bisect(gutters, min(piece.left + piece.unit / 3, (piece.left + piece.right) / 2))
        found[column] += piece.glyphs
    return found


def split_rows(lines: Sequence[TextLine], gutters: Sequence[float]) -> list[list[TextLine]]:
    """The lines of each row. A line goes on with the row above if it is near and has less, or if all rows are apart."""
    filled = [[bool(cell) for cell in line_cells(line, gutters)] for line in lines]
    apart = _row_distance(lines, filled)
    rows: list[list[TextLine]] = []
    opening: list[bool] = []
    for line, cells in zip(lines, filled, strict=True):
        distance = rows[-1][-1].y - line.y if rows else 0.0
        if rows and (distance < apart if apart else _goes_on(cells, opening, distance, line.size)):
            rows[-1].append(line)
        else:
            rows.append([line])
            opening = cells
    return rows


def _goes_on(cells: Sequence[bool], opening: Sequence[bool], distance: float, size: float) -> bool:
    few = sum(cells) <= max(1, len(cells) // 2)
    return distance <= _TIGHT * size and not cells[0] and few and sum(cells) <= sum(opening)


def _row_distance(lines: Sequence[TextLine], filled: Sequence[Sequence[bool]]) -> float:
    """The least distance between rows, if lines within cells are clearly closer than rows; else 0."""
    distances = sorted(above.y - below.y for above, below in pairwise(lines))
    if len(distances) < 3 or all(map(all, filled)) or distances[0] > _TIGHT * median(line.size for line in lines):
        return 0.0
    jumps = [(after / max(before, 1.0), before, after) for before, after in pairwise(distances)]
    ratio, before, after = max(jumps)
    wide = sum(distance >= after for distance in distances)
    return (before + after) / 2 if ratio >= _LOOSE and wide >= max(2, 0.25 * len(distances)) else 0.0


def row_cells(lines: Sequence[TextLine], gutters: Sequence[float]) -> Row:
    """The cells of a row of several lines."""
    cells: list[list[Glyph]] = [[] for _ in range(len(gutters) + 1)]
    for line in lines:
        for column, glyphs in enumerate(line_cells(line, gutters)):
            cells[column] += glyphs
    return tuple(cell_text(cell) for cell in cells)


def drop_empty(rows: Sequence[Sequence[Cell]]) -> tuple[Row, ...]:
    """The rows and columns that have text."""
    kept = [row for row in rows if any(row)]
    used = [column for column in range(len(rows[0])) if any(row[column] for row in kept)] if kept else []
    return tuple(tuple(row[column] for column in used) for row in kept)


def is_numbered(rows: Sequence[Row]) -> bool:
    """Whether the first row names the columns by years, or by numbers beside an empty corner."""
    corner, *names = (" ".join(cell) for cell in rows[0])
    years = all(_YEAR.fullmatch(name) for name in names) and bool(names[1:])
    counted = not corner and all(name.isdecimal() for name in names)
    below = [" ".join(row[0]) for row in rows[1:]]
    named = sum(not AMOUNT.fullmatch(name) for name in below) > len(below) / 2
    return (years or counted) and len(set(names)) == len(names) and named
