"""Puts the lines of columns of running text in their order, however the page was drawn."""

from __future__ import annotations

from bisect import bisect
from collections.abc import Iterator, Sequence
from itertools import pairwise
from statistics import median

from corpus.ingestion.readers.pdf.letters import PageLetters, Span
from corpus.ingestion.readers.pdf.words import TextLine, Word, text_lines

_APART, _MIN_COUNT, _PIECE = 0.9, 0.6, 0.45  # times the size: between two columns in a line and in all; within a cell
_MIN_LINES, _PROSE = 4, 12  # with text in two columns, and letters of a line in a column
_FULL = 0.6  # of the lines of a column, into which the next word would not fit
_LEADING = 1.9  # times the size, to the next line of a column

Strip = tuple[float, float]
Columns = dict[int, tuple[int, int]]
"""By the first letter of a word: the number of the part of the page, and of the column in it."""


def in_columns(page: PageLetters, spans: Sequence[Span], words: Sequence[Word]) -> list[Span]:
    """The lines of a page, cut where a column begins and ordered column by column. `words` are in no table."""
    places: Columns = {}
    for number, (block, gutters) in enumerate(prose_columns(text_lines(word for word in words if not word.turns))):
        cells = ((column, cell) for line in block for column, cell in enumerate(line_cells(line, gutters)))
        found = {word.start: (number, column) for column, cell in cells for word in cell}
        drawn = [found[index][1] for index in sorted(found)]
        if drawn != sorted(drawn):
            places |= found
    parts = [part for span in spans for part in page.cut(span, places)]
    ordered: list[Span] = []
    done: set[int] = set()
    for span, place in parts:
        if place is None:
            ordered.append(span)
        elif place[0] not in done:
            done.add(place[0])
            same = [
                (other[1], -round(part.y), part.left, part.start, part)
                for part, other in parts
                if other and other[0] == place[0]
            ]
            ordered += [part for *_, part in sorted(same)]
    return ordered


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
