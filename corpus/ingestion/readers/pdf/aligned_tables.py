"""Tables without drawn lines, whose columns stand below each other. Pure."""

from __future__ import annotations

import re
from bisect import bisect
from collections.abc import Callable, Iterator, Sequence
from itertools import pairwise
from statistics import median

from corpus.ingestion.readers.pdf.columns import line_cells, prose_columns
from corpus.ingestion.readers.pdf.tables import PdfTable, Row, cell_text, place_table
from corpus.ingestion.readers.pdf.words import TextLine, Word, text_lines

_APART, _GUTTER = 1.0, 0.6  # times the size, between words of two columns: in a line, and in all lines
_MIN_LINES, _MIN_CROSSED_LINES = 3, 5  # with text in two columns; from which on one may cross a gutter, as headings do
_FURTHEST, _TIGHT, _LOOSE = 3.6, 1.45, 1.3  # times the size, between lines of a table and of a cell; rows to the latter
_DRAWN_APART = 250  # letters drawn between two words at one height that are not of one table
_DRAWN_TOGETHER, _DRAWN_BESIDE = 5, 20  # letters between cells of a row, and between two tables beside each other
_PROSE = 22  # characters of a line of running text in a column
_MIN_FILLED = 0.5  # of the cells
_NUMBERING = re.compile(r"(?:\(?\w{1,3}[.)]|[•●▪■◦○‣⁃∙·–—*☐☑☒✓✔✕✖✗✘-]|\d{1,3}(?:\.\d{1,3})*\.?)")
_AMOUNT = re.compile(r"\W*+(?:\d[\d.,:/%\s]*+)?\W*+")  # a number, a date or nothing

IsBold = Callable[[Word], bool]


def aligned_tables(words: Sequence[Word], is_bold: IsBold) -> Iterator[PdfTable]:
    for zone in _zones(text_lines(word for word in words if not word.turns)):
        prose = {id(line) for block, _ in prose_columns(zone) for line in block}
        for run in _runs([line for line in zone if id(line) not in prose]):
            if found := _table(run, is_bold):
                yield found


def _zones(lines: Sequence[TextLine]) -> list[list[TextLine]]:
    """The lines of each column of running text: where words at one height were drawn far from each other in time."""
    gaps = [gap for line in lines for gap in _time_gaps(line)]
    borders: list[float] = []
    while len(gaps) >= _MIN_LINES:
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
        parts: dict[int, list[Word]] = {}
        for piece in line.pieces(_APART):
            parts.setdefault(bisect(borders, piece.left), []).extend(piece.words)
        for number, words in parts.items():
            zones[number].append(TextLine(words))
    return zones


def _time_gaps(line: TextLine) -> Iterator[tuple[float, float]]:
    pairs = list(pairwise(line.pieces(_APART)))
    distances = [abs(other.words[0].start - one.words[-1].stop + 1) for one, other in pairs]
    apart = _DRAWN_APART if min(distances, default=0) > _DRAWN_TOGETHER else _DRAWN_BESIDE
    for (one, other), distance in zip(pairs, distances, strict=True):
        if distance > apart:
            yield one.right, other.left


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
    left = min(row.left for row in run)
    ahead = [piece.left for row in run for piece in row.pieces(_APART) if piece.left > left + line.size]
    return bool(ahead) and (line.right < min(ahead) or any(abs(line.left - place) <= 2 for place in ahead))


def _trimmed(run: list[TextLine]) -> list[TextLine]:
    """The run without lines of one piece at its end, unless they go on with a cell of a later column."""
    while run and len(run[-1].pieces(_APART)) < 2:
        near = len(run) > 1 and run[-2].y - run[-1].y <= _TIGHT * run[-1].size
        if near and run[-1].left > min(line.left for line in run) + run[-1].size:
            break
        run.pop()
    return run


def _table(lines: Sequence[TextLine], is_bold: IsBold) -> PdfTable | None:
    if sum(len(line.pieces(_APART)) > 1 for line in lines) < _MIN_LINES:
        return None
    if not (gutters := _find_gutters(lines)):
        return None
    grouped = _split_rows(lines, gutters)
    rows = [_row_cells(row, gutters) for row in grouped]
    words = [word for line in lines for word in line.words]
    left, right = min(line.left for line in lines), max(line.right for line in lines)
    table = place_table(rows, words, left, right, depth=int(_has_header(grouped, is_bold)))
    return table if table and len(table.rows) >= _MIN_LINES and _is_table(lines, gutters, table.rows) else None


def _find_gutters(lines: Sequence[TextLine]) -> list[float]:
    """The middles of the gutters between columns: strips that at most one of several lines crosses."""
    allowed = int(len(lines) >= _MIN_CROSSED_LINES)
    least = _GUTTER * median(line.unit for line in lines)
    events = sorted(event for line in lines for word in line.words for event in ((word.left, 1), (word.right, -1)))
    found: list[float] = []
    covered, since = 0, events[0][0]
    for x, step in events:
        if covered <= allowed < covered + step and since > events[0][0] and x - since >= least:
            found.append((since + x) / 2)
        covered += step
        if covered == allowed and step < 0:
            since = x
    return _filled(found, lines)


def _filled(gutters: list[float], lines: Sequence[TextLine]) -> list[float]:
    """The gutters without those to the left of a column that hardly any line has text in."""
    least = max(2, len(lines) // 8)
    counts = [sum(map(bool, column)) for column in zip(*(line_cells(line, gutters) for line in lines), strict=True)]
    kept = [gutter for gutter, count in zip(gutters, counts[1:], strict=True) if count >= least]
    return kept[1:] if kept and counts[0] < least and gutters[0] == kept[0] else kept


def _split_rows(lines: Sequence[TextLine], gutters: Sequence[float]) -> list[list[TextLine]]:
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
    ratio, before, after = max((after / max(before, 1.0), before, after) for before, after in pairwise(distances))
    wide = sum(distance >= after for distance in distances)
    return (before + after) / 2 if ratio >= _LOOSE and wide >= max(2, 0.25 * len(distances)) else 0.0


def _row_cells(lines: Sequence[TextLine], gutters: Sequence[float]) -> Row:
    """The cells of a row of several lines."""
    columns = zip(*(line_cells(line, gutters) for line in lines), strict=True)
    return tuple(cell_text([word for cell in column for word in cell]) for column in columns)


def _is_table(lines: Sequence[TextLine], gutters: Sequence[float], rows: Sequence[Row]) -> bool:
    """Whether it is no running text in columns, no numbered list and no form of labels."""
    if sum(bool(cell) for row in rows for cell in row) < _MIN_FILLED * len(rows) * len(rows[0]):
        return False
    if len(rows[0]) == 2:
        names = [" ".join(row[0]) for row in rows if row[0]]
        if sum(bool(_NUMBERING.fullmatch(name)) for name in names) > 0.7 * len(names):
            return any(_AMOUNT.fullmatch(" ".join(row[1])) for row in rows[1:])
        if sum(name.endswith(":") for name in names) > 0.5 * len(names):
            return False
    columns = list(zip(*(line_cells(line, gutters) for line in lines), strict=True))
    return sum(_is_prose(column) for column in columns) < 2


def _is_prose(column: Sequence[Sequence[Word]]) -> bool:
    """Whether most lines have long text in this column."""
    lengths = [sum(len(word.text) for word in cell) for cell in column if cell]
    return len(lengths) >= 0.7 * len(column) and median(lengths) >= _PROSE


def _has_header(rows: Sequence[Sequence[TextLine]], is_bold: IsBold) -> bool:
    """Whether the first row is alone in bold type, or further from the next than others are."""
    words = [[word for line in row for word in line.words] for row in rows]
    first, *others = (sum(map(is_bold, row)) / len(row) for row in words)
    if others and first > 0.5 > median(others):
        return True
    distances = [above[-1].y - below[0].y for above, below in pairwise(rows)]
    return len(distances) > 1 and distances[0] > 1.3 * max(distances[1:])
