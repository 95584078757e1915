"""Tables without drawn lines, whose columns stand below each other. Pure."""

from __future__ import annotations

import re
from bisect import bisect
from collections.abc import Iterator, Sequence
from itertools import pairwise
from statistics import median

from corpus.ingestion.readers.pdf.cells import (
    AMOUNT,
    Cell,
    PdfTable,
    PlacedTable,
    Row,
    drop_empty,
    is_numbered,
    line_cells,
    row_cells,
    split_rows,
    table_columns,
)
from corpus.ingestion.readers.pdf.columns import prose_columns
from corpus.ingestion.readers.pdf.glyphs import Glyph, TextLine, text_lines

_APART = 1.0  # times the size; words as far from each other are of two columns
_MIN_LINES = 3  # with text in two columns
_FURTHEST = 3.6  # times the size, between the lines of a table
_CONTINUED = 1.45  # times the size, between the lines of a cell
_DRAWN_APART = 250  # letters drawn between two words at one height that are not of one table
_DRAWN_TOGETHER, _DRAWN_BESIDE = 5, 20  # letters between cells of a row, and between two tables beside each other
_PROSE = 22  # characters of a line of running text in a column
_MIN_FILLED = 0.5  # of the cells
_MAX_ZONES = 4
_NUMBERING = re.compile(r"(?:\(?\w{1,3}[.)]|[•●▪■◦○‣⁃∙·–—*☐☑☒✓✔✕✖✗✘-]|\d{1,3}(?:\.\d{1,3})*\.?)")


def aligned_tables(glyphs: Sequence[Glyph], bold: frozenset[int]) -> Iterator[PlacedTable]:
    """The tables among these letters; `bold` are the indices of those in a bold font."""
    lines = text_lines([glyph for glyph in glyphs if not glyph.turns])
    for zone in _zones(lines):
        prose = {id(line) for block, _ in prose_columns(zone) for line in block}
        for run in _runs([line for line in zone if id(line) not in prose]):
            found = _table(run, bold)
            if found:
                yield found


def _zones(lines: Sequence[TextLine]) -> list[list[TextLine]]:
    """The lines of each column of running text: where words at one height were drawn far from each other in time."""
    gaps = [gap for line in lines for gap in _time_gaps(line)]
    borders: list[float] = []
    while len(gaps) >= _MIN_LINES and len(borders) < _MAX_ZONES:
        places = [(left + right) / 2 for left, right in gaps]
        best = max(places, key=lambda x: sum(left < x < right for left, right in gaps))
        crossing = [gap for gap in gaps if gap[0] < best < gap[1]]
        if len(crossing) < _MIN_LINES:
            break
        borders.append((max(left for left, _ in crossing) + min(right for _, right in crossing)) / 2)
        gaps = [gap for gap in gaps if gap not in crossing]
    borders.sort()
    zones: list[list[TextLine]] = [[] for _ in range(len(borders) + 1)]
    for line in lines:
        for number, part in _by_zone(line, borders):
            zones[number].append(part)
    return zones


def _time_gaps(line: TextLine) -> Iterator[tuple[float, float]]:
    pairs = list(pairwise(line.pieces(_APART)))
    distances = [abs(other.glyphs[0].index - one.glyphs[-1].index) for one, other in pairs]
    apart = _DRAWN_APART if min(distances, default=0) > _DRAWN_TOGETHER else _DRAWN_BESIDE
    for (one, other), distance in zip(pairs, distances, strict=True):
        if distance > apart:
            yield one.right, other.left


def _by_zone(line: TextLine, borders: Sequence[float]) -> Iterator[tuple[int, TextLine]]:
    """The parts of a line by zone. A piece belongs to the zone where it begins."""
    parts: dict[int, list[TextLine]] = {}
    for piece in line.pieces(_APART):
        parts.setdefault(bisect(borders, piece.left), []).append(piece)
    for number, pieces in parts.items():
        yield number, TextLine(tuple(word for piece in pieces for word in piece.words))


def _runs(lines: Sequence[TextLine]) -> Iterator[list[TextLine]]:
    """Lines in a row with several pieces, with the lines between them that may go on with a cell."""
    run: list[TextLine] = []
    for line in lines:
        near = not run or run[-1].y - line.y <= _FURTHEST * max(line.size, run[-1].size)
        several = len(line.pieces(_APART)) > 1
        if near and (several or (run and _fits(line, run))):
            run.append(line)
            continue
        yield _trimmed(run)
        run = [line] if several else []
    yield _trimmed(run)


def _fits(line: TextLine, run: Sequence[TextLine]) -> bool:
    """Whether a line of one piece lies within one column of the lines above it."""
    above = [piece for row in run for piece in row.pieces(_APART)]
    left = min(row.left for row in run)
    ahead = [piece.left for piece in above if piece.left > left + line.size]
    return bool(ahead) and (line.right < min(ahead) or any(abs(line.left - place) <= 2 for place in ahead))


def _trimmed(run: list[TextLine]) -> list[TextLine]:
    """The run without lines of one piece at its end, unless they go on with a cell of a later column."""
    kept = list(run)
    while kept and len(kept[-1].pieces(_APART)) < 2:
        near = len(kept) > 1 and kept[-2].y - kept[-1].y <= _CONTINUED * kept[-1].size
        if near and kept[-1].left > min(line.left for line in kept) + kept[-1].size:
            break
        kept.pop()
    return kept


def _table(lines: Sequence[TextLine], bold: frozenset[int]) -> PlacedTable | None:
    if sum(len(line.pieces(_APART)) > 1 for line in lines) < _MIN_LINES:
        return None
    gutters = table_columns(lines)
    if not gutters:
        return None
    grouped = split_rows(lines, gutters)
    rows = drop_empty([row_cells(row, gutters) for row in grouped])
    if len(rows) < _MIN_LINES or len(rows[0]) < 2 or not _is_table(lines, gutters, rows):
        return None
    glyphs = [glyph for line in lines for glyph in line.glyphs]
    left, right = min(line.left for line in lines), max(line.right for line in lines)
    joined = _join_headers(rows)
    header = joined is not rows or _has_header(rows, grouped, bold)
    table = PdfTable(joined, has_header=header, left=left, right=right)
    return PlacedTable(table, frozenset(glyph.index for glyph in glyphs))


def _join_headers(rows: tuple[Row, ...]) -> tuple[Row, ...]:
    """The rows with names over several columns joined to those below them."""
    first, second, *others = rows
    names = all(second[1:]) and not any(AMOUNT.fullmatch(" ".join(cell)) for cell in second[1:])
    if not others or not names or all(first) or not any(first[1:]) or (first[0] and second[0]):
        return rows
    above: Cell = ()
    joined = [first[0] or second[0]]
    for over, name in zip(first[1:], second[1:], strict=True):
        above = over or above
        joined.append(above + name)
    return (tuple(joined), *others)


def _is_table(lines: Sequence[TextLine], gutters: Sequence[float], rows: Sequence[Row]) -> bool:
    """Whether it is no running text in columns, no numbered list and no form of labels."""
    cells = [cell for row in rows for cell in row]
    if sum(map(bool, cells)) < _MIN_FILLED * len(cells):
        return False
    if len(rows[0]) == 2:
        names = [" ".join(row[0]) for row in rows if row[0]]
        if sum(bool(_NUMBERING.fullmatch(name)) for name in names) > 0.7 * len(names):
            return any(AMOUNT.fullmatch(" ".join(row[1])) for row in rows[1:])
        if sum(name.endswith(":") for name in names) > 0.5 * len(names):
            return False
    return sum(_is_prose(lines, gutters, column) for column in range(len(gutters) + 1)) < 2


def _is_prose(lines: Sequence[TextLine], gutters: Sequence[float], column: int) -> bool:
    """Whether most lines have long text in this column."""
    lengths = [len(line_cells(line, gutters)[column]) for line in lines]
    filled = [length for length in lengths if length]
    return len(filled) >= 0.7 * len(lines) and median(filled) >= _PROSE


def _has_header(rows: Sequence[Row], grouped: Sequence[Sequence[TextLine]], bold: frozenset[int]) -> bool:
    """Whether the first row is alone in bold type, further from the next than others, or words above numbers."""
    first, *others = [[glyph for line in row for glyph in line.glyphs] for row in grouped]
    if _share_bold(first, bold) > 0.5 and median(_share_bold(row, bold) for row in others) < 0.5:
        return True
    distances = [above[-1].y - below[0].y for above, below in pairwise(grouped)]
    if len(distances) > 1 and distances[0] > 1.3 * max(distances[1:]):
        return True
    return is_numbered(rows) or any(
        _names_amounts([cell for cell in column if cell]) for column in zip(*rows, strict=True)
    )


def _names_amounts(column: Sequence[Cell]) -> bool:
    return len(column) > 1 and not _is_amount(column[0]) and all(map(_is_amount, column[1:]))


def _is_amount(cell: Cell) -> bool:
    return bool(AMOUNT.fullmatch(" ".join(cell)))


def _share_bold(glyphs: Sequence[Glyph], bold: frozenset[int]) -> float:
    return sum(glyph.index in bold for glyph in glyphs) / max(len(glyphs), 1)
