"""Finds the tables of a page, if anything hints at one: drawn lines, or several texts at one height."""

from __future__ import annotations

import unicodedata
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from corpus.ingestion.readers.pdf.letters import Span
from corpus.ingestion.readers.pdf.words import TextLine, Word, text_lines

Cell = tuple[str, ...]
"""The lines of a cell, from top to bottom."""
Row = tuple[Cell, ...]

_SHORT, _AROUND = 30, 3  # characters of a line that may be a cell; lines before and after, since a header may come last
_MIN_LINES, _COLUMN = 3, 8  # lines with a gap; times the size
_MAX_CELL_LENGTH = 1500  # characters; with more the lines are a frame around text


@dataclass(frozen=True)
class PdfTable:
    rows: tuple[Row, ...]  # of one length
    words: frozenset[int]  # that it takes from the running text, by their first letters
    left: float  # in points, as displayed
    right: float
    depth: int = 0  # rows of its header that can be seen
    caption: Cell = ()  # a title in a cell above the others


def place_table(
    rows: Sequence[Row], words: Sequence[Word], left: float, right: float, *, depth: int = 0, caption: Cell = ()
) -> PdfTable | None:
    named = [row for row in rows if any(row)]
    used = [column for column in range(len(rows[0])) if any(row[column] for row in named)] if named else []
    kept = tuple(tuple(row[column] for column in used) for row in named)
    if len(kept) < 2 or len(used) < 2 or max(sum(map(len, cell)) for row in kept for cell in row) > _MAX_CELL_LENGTH:
        return None
    return PdfTable(kept, frozenset(word.start for word in words), left, right, depth, caption)


def cell_text(words: Sequence[Word]) -> Cell:
    """The lines of the words of one cell, which may be turned."""
    if not words:
        return ()
    turns = Counter(word.turns for word in words).most_common(1)[0][0]
    upright = [word.turned(turns) for word in words if word.turns == turns]
    return tuple(map(_text, text_lines(upright))) + cell_text([word for word in words if word.turns != turns])


def _text(line: TextLine) -> str:
    if not any(unicodedata.bidirectional(word.text[0]) in ("R", "AL") for word in line.words):
        return line.text
    return " ".join(word.text for word in sorted(line.words, key=lambda word: word.start))  # as PDFium reads them


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
    several = sum(count > 1 for count in heights.values()) + len(gaps) >= _MIN_LINES
    return several or backwards or len({span.turns for span in spans}) > 1
