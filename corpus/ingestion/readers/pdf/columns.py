"""Columns of a page: those of running text in their order, however it was drawn, and tables without drawn lines."""

from __future__ import annotations

import re
from bisect import bisect
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from itertools import pairwise
from statistics import median

from corpus.ingestion.readers.pdf.letters import PageLetters, Span
from corpus.ingestion.readers.pdf.words import PdfTable, Row, TextLine, Word, cell_text, place_table, text_lines
from corpus.ingestion.readers.structure import group_while

_APART, _MIN_COUNT, _PIECE = 0.9, 0.6, 0.45  # times the size: between two columns in a line and in all; within a cell
_MIN_LINES, _PROSE = 4, 12  # with text in two columns, and letters of a line in a column
_FULL = 0.6  # of the lines of a column, into which the next word would not fit
_LEADING = 1.9  # times the size, to the next line of a column

_SHORT, _AROUND = 30, 3  # characters of a line that may be a cell; lines before and after, since a header may come last
_MIN_HINTS, _COLUMN = 3, 8  # lines with a gap; times the size

Strip = tuple[float, float]
Columns = dict[int, tuple[int, int]]
"""By the first letter of a word: the number of the part of the page, and of the column in it."""


def hints_at_columns(spans: Sequence[Span], words: Sequence[Word]) -> bool:
    """Whether texts stand beside each other: turned, with gaps, drawn apart or upwards. Else there is no search."""
    gaps = {
        round(word.y)
        for before, word in pairwise(words)
        if word.left - before.right > word.top - word.bottom > 2 * abs(word.bottom - before.bottom)
    }
    heights = Counter(round(span.y) for span in spans if span.stop - span.start <= _SHORT)
    backwards = any(
        below.y > above.y + 2 * above.size and below.left < above.left - _COLUMN * above.size
        for above, below in pairwise(spans[_AROUND:-_AROUND])
    )
    several = sum(count > 1 for count in heights.values()) + len(gaps) >= _MIN_HINTS
    return several or backwards or len({span.turns for span in spans}) > 1


def in_columns(page: PageLetters, spans: Sequence[Span], words: Sequence[Word]) -> list[Span]:
    """The lines of a page, cut where a column begins and ordered column by column. `words` are in no table."""
    places: Columns = {}
    for number, (block, gutters) in enumerate(prose_columns(text_lines(word for word in words if not word.turns))):
        cells = ((column, cell) for line in block for column, cell in enumerate(line_cells(line, gutters)))
        found = {word.start: (number, column) for column, cell in cells for word in cell}
        drawn = [found[index][1] for index in sorted(found)]
        if drawn != sorted(drawn):
            places |= found
    parts: dict[int, list[tuple[int, Span]]] = defaultdict(list)
    for span in spans:
        for part, place in page.cut(span, places):
            number, column = place or (-1 - part.start, 0)
            parts[number].append((column, part))
    for same in parts.values():
        same.sort(key=lambda one: (one[0], -round(one[1].y), one[1].left, one[1].start))
    return [part for same in parts.values() for _, part in same]


def line_cells(line: TextLine, gutters: Sequence[float]) -> list[list[Word]]:
    """The words of a line in each column. Words that cross a gutter belong to the column where they begin."""
    found: list[list[Word]] = [[] for _ in range(len(gutters) + 1)]
    for piece in line.pieces(_PIECE):
        found[bisect(gutters, min(piece.left + piece.unit / 3, (piece.left + piece.right) / 2))] += piece.words
    return found


def prose_columns(lines: Sequence[TextLine]) -> Iterator[tuple[list[TextLine], list[float]]]:
    """Blocks of lines whose text runs in columns, with the gutters between these."""
    start = done = 0
    while start < len(lines):
        block, strips = _block(lines, start)
        gutters = [(left + right) / 2 for left, right in strips]
        stop = start + max(len(block), 1)
        if _is_in_columns(block, gutters):
            while start > done and _belongs_above(lines[start - 1], block[0], gutters):
                start -= 1
                block.insert(0, lines[start])
            done = stop
            yield block, gutters
        start = stop


def _block(lines: Sequence[TextLine], start: int) -> tuple[list[TextLine], list[Strip]]:
    """The longest block that begins with this line and has free strips from top to bottom."""
    block = [lines[start]]
    strips = [(one.right, other.left) for one, other in pairwise(lines[start].pieces(_APART))]
    for line in lines[start + 1 :] if strips else ():
        free = _free_strips(line, strips)
        far = block[-1].y - line.y > _LEADING * max(line.size, block[-1].size)
        if far or not free or (len(block) >= _MIN_LINES and len(free) < len(strips)):
            break
        block.append(line)
        strips = free
    return block, strips


def _free_strips(line: TextLine, strips: Sequence[Strip]) -> list[Strip]:
    """The parts of these strips that the words of a line leave free."""
    found = []
    for left, right in strips:
        for word in line.words:
            if word.left < right and word.right > left:
                found.append((left, word.left))
                left = max(left, word.right)
        found.append((left, right))
    return [(left, right) for left, right in found if right - left >= _MIN_COUNT * line.size]


def _is_in_columns(block: Sequence[TextLine], gutters: Sequence[float]) -> bool:
    several = sum(len(line.pieces(_APART)) > 1 for line in block)
    columns = zip(*(line_cells(line, gutters) for line in block), strict=True)
    return several >= _MIN_LINES and all(_is_prose([cell for cell in column if cell]) for column in columns)


def _belongs_above(line: TextLine, first: TextLine, gutters: Sequence[float]) -> bool:
    near = line.y - first.y <= _LEADING * first.size and abs(line.size - first.size) <= 0.1 * first.size
    return near and not any(word.left < gutter < word.right for word in line.words for gutter in gutters)


def _is_prose(cells: Sequence[Sequence[Word]]) -> bool:
    """Whether the lines of a column are filled as far as words go, as those of running text are."""
    if len(cells) < _MIN_LINES - 1 or median(sum(len(word.text) for word in cell) for cell in cells) < _PROSE:
        return False
    right = max(word.right for cell in cells for word in cell)
    full = sum(
        max(word.right for word in above) + 0.2 * below[0].size + below[0].right - below[0].left > right
        for above, below in pairwise(cells)
    )
    return full >= _FULL * (len(cells) - 1)


_WIDE, _GUTTER = 1.0, 0.6  # times the size, between words of two columns: in a line, and in all lines
_MIN_ROWS, _MIN_CROSSED_LINES = 3, 5  # with text in two columns; from which on one may cross a gutter, as headings do
_FURTHEST, _TIGHT, _LOOSE = 3.6, 1.45, 1.3  # times the size, between lines of a table and of a cell; rows to the latter
_DRAWN_APART = 250  # letters drawn between two words at one height that are not of one table
_DRAWN_TOGETHER, _DRAWN_BESIDE = 5, 20  # letters between cells of a row, and between two tables beside each other
_LONG = 22  # characters of a line of running text in a column
_MIN_FILLED = 0.5  # of the cells
_AMOUNT = re.compile(r"\W*+(?:\d[\d.,:/%\s]*+)?\W*+")  # a number, a date or nothing
_NUMBERING = re.compile(r"(?:\(?\w{1,3}[.)]|[•●▪■◦○‣⁃∙·–—*☐☑☒✓✔✕✖✗✘-]|\d{1,3}(?:\.\d{1,3})*\.?)")


def aligned_tables(words: Sequence[Word]) -> Iterator[PdfTable]:
    for zone in _zones(text_lines(word for word in words if not word.turns)):
        prose = {id(line) for block, _ in prose_columns(zone) for line in block}
        for run in _runs([line for line in zone if id(line) not in prose]):
            if found := _table(run):
                yield found


def _zones(lines: Sequence[TextLine]) -> list[list[TextLine]]:
    """The lines of each column of running text: where words at one height were drawn far from each other in time."""
    gaps = sorted(gap for line in lines for gap in _time_gaps(line))
    common = group_while(gaps, lambda group, gap: gap[0] < min(right for _, right in group))
    borders = [(group[-1][0] + min(right for _, right in group)) / 2 for group in common if len(group) >= _MIN_ROWS]
    if not borders:
        return [list(lines)]
    columns = zip(*(line_cells(line, borders) for line in lines), strict=True)
    return [[TextLine(words) for words in column if words] for column in columns]


def _time_gaps(line: TextLine) -> Iterator[tuple[float, float]]:
    pairs = list(pairwise(line.pieces(_WIDE)))
    distances = [abs(other.words[0].start - one.words[-1].stop + 1) for one, other in pairs]
    apart = _DRAWN_APART if min(distances, default=0) > _DRAWN_TOGETHER else _DRAWN_BESIDE
    for (one, other), distance in zip(pairs, distances, strict=True):
        if distance > apart:
            yield one.right, other.left


def _runs(lines: Sequence[TextLine]) -> Iterator[list[TextLine]]:
    """Lines in a row with several pieces, with the lines between them that may go on with a cell."""

    def goes_on(run: list[TextLine], line: TextLine) -> bool:
        near = run[-1].y - line.y <= _FURTHEST * max(line.size, run[-1].size)
        return near and len(run[0].pieces(_WIDE)) > 1 and (len(line.pieces(_WIDE)) > 1 or _fits(line, run))

    return map(_trimmed, group_while(lines, goes_on))


def _fits(line: TextLine, run: Sequence[TextLine]) -> bool:
    """Whether a line of one piece lies within one column of the lines above it."""
    left = min(row.left for row in run)
    ahead = [piece.left for row in run for piece in row.pieces(_WIDE) if piece.left > left + line.size]
    return bool(ahead) and (line.right < min(ahead) or any(abs(line.left - place) <= 2 for place in ahead))


def _trimmed(run: list[TextLine]) -> list[TextLine]:
    """The run without lines of one piece at its end, unless they go on with a cell of a later column."""
    while run and len(run[-1].pieces(_WIDE)) < 2:
        near = len(run) > 1 and run[-2].y - run[-1].y <= _TIGHT * run[-1].size
        if near and run[-1].left > min(line.left for line in run) + run[-1].size:
            break
        run.pop()
    return run


def _table(lines: Sequence[TextLine]) -> PdfTable | None:
    if sum(len(line.pieces(_WIDE)) > 1 for line in lines) < _MIN_ROWS or not (gutters := _find_gutters(lines)):
        return None
    rows: list[Row] = []
    for row in _split_rows(lines, gutters):
        columns = zip(*(line_cells(line, gutters) for line in row), strict=True)
        rows.append(tuple(cell_text([word for cell in column for word in cell]) for column in columns))
    words = [word for line in lines for word in line.words]
    left, right = min(line.left for line in lines), max(line.right for line in lines)
    table = place_table(rows, words, left, right)
    return table if table and len(table.rows) >= _MIN_ROWS and _is_table(lines, gutters, table.rows) else None


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
    return found


def _split_rows(lines: Sequence[TextLine], gutters: Sequence[float]) -> list[list[TextLine]]:
    """The lines of each row. A line goes on with the row above if it is near and has less, or if all rows are apart."""
    filled = [[bool(cell) for cell in line_cells(line, gutters)] for line in lines]
    apart = _row_distance(lines, filled)

    def goes_on(row: list[tuple[TextLine, list[bool]]], last: tuple[TextLine, list[bool]]) -> bool:
        (line, cells), distance = last, row[-1][0].y - last[0].y
        few = sum(cells) <= min(max(1, len(cells) // 2), sum(row[0][1]))
        return distance < apart if apart else distance <= _TIGHT * line.size and not cells[0] and few

    rows = group_while(zip(lines, filled, strict=True), goes_on)
    return [[line for line, _ in row] for row in rows]


def _row_distance(lines: Sequence[TextLine], filled: Sequence[Sequence[bool]]) -> float:
    """The least distance between rows, if lines within cells are clearly closer than rows; else 0."""
    distances = sorted(above.y - below.y for above, below in pairwise(lines))
    if len(distances) < 3 or all(map(all, filled)) or distances[0] > _TIGHT * median(line.size for line in lines):
        return 0.0
    ratio, before, after = max((after / max(before, 1.0), before, after) for before, after in pairwise(distances))
    wide = sum(distance >= after for distance in distances)
    return (before + after) / 2 if ratio >= _LOOSE and wide >= max(2, 0.25 * len(distances)) else 0.0


def _is_table(lines: Sequence[TextLine], gutters: Sequence[float], rows: Sequence[Row]) -> bool:
    """Whether it is no running text in columns, no numbered list and no form of labels."""
    if sum(any(cell) for row in rows for cell in row) < _MIN_FILLED * len(rows) * len(rows[0]):
        return False
    if len(rows[0]) == 2:
        names = [" ".join(row[0]) for row in rows if row[0]]
        if sum(bool(_NUMBERING.fullmatch(name)) for name in names) > 0.7 * len(names):
            return any(_AMOUNT.fullmatch(" ".join(row[1])) for row in rows[1:])  # measured values
        if sum(name.endswith(":") for name in names) > 0.5 * len(names):
            return False
    columns = list(zip(*(line_cells(line, gutters) for line in lines), strict=True))
    return sum(_is_long(column) for column in columns) < 2


def _is_long(column: Sequence[Sequence[Word]]) -> bool:
    lengths = [sum(len(word.text) for word in cell) for cell in column if cell]
    return len(lengths) >= 0.7 * len(column) and median(lengths) >= _LONG
