"""Puts the lines of columns of running text in their order, however the page was drawn."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import groupby, pairwise
from statistics import median

from corpus.ingestion.readers.pdf.cells import line_cells
from corpus.ingestion.readers.pdf.glyphs import Glyph, TextLine, text_lines
from corpus.ingestion.readers.pdf.letters import PageLetters, Span

_APART, _MIN_COUNT = 0.9, 0.6  # times the size, between two columns: in a line, and in all lines
_MIN_LINES, _PROSE = 4, 12  # with text in two columns, and letters of a line in a column
_FULL = 0.6  # of the lines of a column, into which the next word would not fit
_LEADING = 1.9  # times the size, to the next line of a column

Strip = tuple[float, float]
Columns = dict[int, tuple[int, int]]
"""By the index of a letter: the number of the part of the page, and of the column in it."""


def in_columns(page: PageLetters, spans: Sequence[Span], glyphs: Sequence[Glyph]) -> list[Span]:
    """The lines of a page, cut where a column begins and ordered column by column. `glyphs` are in no table."""
    places: Columns = {}
    lines = text_lines([glyph for glyph in glyphs if not glyph.turns])
    for number, (block, gutters) in enumerate(prose_columns(lines)):
        found: Columns = {}
        for line in block:
            for column, letters in enumerate(line_cells(line, gutters)):
                found.update((glyph.index, (number, column)) for glyph in letters)
        drawn = [found[index][1] for index in sorted(found)]
        if drawn != sorted(drawn):
            places |= found
    if not places:
        return list(spans)
    parts = [part for span in spans for part in _cut(page, span, places)]
    ordered: list[Span] = []
    done: set[int] = set()
    for part in parts:
        place = places.get(part.start)
        if place is None:
            ordered.append(part)
        elif place[0] not in done:
            done.add(place[0])
            same = [other for other in parts if places.get(other.start, (-1, 0))[0] == place[0]]
            ordered += sorted(same, key=lambda one: (places[one.start][1], -round(one.y), one.left))
    return ordered


def _cut(page: PageLetters, span: Span, places: Columns) -> Iterator[Span]:
    letters = page.visible(span.start, span.stop)
    runs = [list(run) for _, run in groupby(letters, key=places.get)]
    if len(runs) < 2:
        yield page.span(letters[0], span.stop) if letters and letters[0] in places else span
        return
    for run, following in pairwise([*runs, [span.stop]]):
        yield page.span(run[0], following[0])


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
    block: list[TextLine] = []
    strips: list[Strip] = []
    for line in lines[start:]:
        if not block:
            pieces = line.pieces(_APART)
            free = [(one.right, other.left) for one, other in pairwise(pieces)]
        elif block[-1].y - line.y > _LEADING * max(line.size, block[-1].size):
            break
        else:
            free = _free_strips(line, strips)
        if not free or (len(block) >= _MIN_LINES and len(free) < len(strips)):
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
    return several >= _MIN_LINES and all(_is_prose(block, gutters, column) for column in range(len(gutters) + 1))


def _belongs_above(line: TextLine, first: TextLine, gutters: Sequence[float]) -> bool:
    near = line.y - first.y <= _LEADING * first.size and abs(line.size - first.size) <= 0.1 * first.size
    return near and _keeps_to_columns(line, gutters)


def _keeps_to_columns(line: TextLine, gutters: Sequence[float]) -> bool:
    return not any(word.left < gutter < word.right for word in line.words for gutter in gutters)


def _is_prose(lines: Sequence[TextLine], gutters: Sequence[float], column: int) -> bool:
    """Whether the lines of this column are filled as far as words go, as those of running text are."""
    cells = [cell for cell in (line_cells(line, gutters)[column] for line in lines) if cell]
    if len(cells) < _MIN_LINES - 1 or median(map(len, cells)) < _PROSE:
        return False
    right = max(glyph.right for cell in cells for glyph in cell)
    full = 0
    for above, below in pairwise(cells):
        first = text_lines(below)[0].words[0]
        full += max(glyph.right for glyph in above) + 0.2 * first.glyphs[0].size + first.right - first.left > right
    return full >= _FULL * (len(cells) - 1)
