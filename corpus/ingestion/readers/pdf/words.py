"""The words of a page with their places, the lines and cells that they make, and whether they hint at a table."""

from __future__ import annotations

import unicodedata
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import pairwise
from typing import TYPE_CHECKING

from corpus.ingestion.readers.structure import group_while

if TYPE_CHECKING:
    from corpus.ingestion.readers.pdf.letters import Span

_TYPEWRITER, _ENOUGH = 1.5, 12  # letters of a line that tell
_HEIGHT, _SPACE = 1.2, 0.1  # times the size: of a letter's box, and between two words


@dataclass(slots=True)
class Word:
    """Visible letters without space between them. Lengths are in points as displayed; y grows upwards."""

    start: int  # index of its first letter in the text of the page
    stop: int
    text: str  # as it is to be written, with the hyphen where it is broken at the end of a line
    left: float
    bottom: float
    right: float
    top: float
    turns: int = 0  # quarter turns counter-clockwise: 1 reads upwards

    @property
    def x(self) -> float:
        return (self.left + self.right) / 2

    @property
    def y(self) -> float:
        return (self.bottom + self.top) / 2

    @property
    def size(self) -> float:
        tall = self.right - self.left if self.turns % 2 else self.top - self.bottom
        return max(tall / _HEIGHT, 1.0)

    def turned(self, turns: int) -> Word:
        """The word as if the page were turned clockwise by this many quarters."""
        if not turns:
            return self
        left, bottom, right, top = self.bottom, -self.right, self.top, -self.left
        turned = replace(self, left=left, bottom=bottom, right=right, top=top, turns=(self.turns - 1) % 4)
        return turned.turned(turns - 1)


@dataclass(frozen=True)
class TextLine:
    words: Sequence[Word]

    @cached_property
    def y(self) -> float:
        return max(word.y for word in self.words)

    @cached_property
    def size(self) -> float:
        return max(word.size for word in self.words)

    @cached_property
    def unit(self) -> float:
        """The size, or more if all letters are as wide as each other: a typewriter's spaces are twice as wide."""
        lengths = [len(word.text) for word in self.words if not word.text.isdecimal()]
        widths = [(word.right - word.left) / len(word.text) for word in self.words if not word.text.isdecimal()]
        same = sum(lengths) >= _ENOUGH and len(widths) > 1 and max(widths) < 1.05 * min(widths)
        return self.size * (_TYPEWRITER if same else 1.0)

    @property
    def left(self) -> float:
        return self.words[0].left

    @cached_property
    def right(self) -> float:
        return max(word.right for word in self.words)

    @property
    def text(self) -> str:
        """The words with spaces between them, but where PDFium ends a line within a word that stands sideways."""
        gaps = [other.left - one.right > _SPACE * one.size for one, other in pairwise(self.words)]
        return "".join(" " * gap + word.text for gap, word in zip([False, *gaps], self.words, strict=True))

    def pieces(self, gap: float) -> list[TextLine]:
        """The line cut wherever two words are further apart than `gap` times its unit."""
        found: list[list[Word]] = []
        right = 0.0
        for word in self.words:
            if found and word.left - right <= gap * self.unit:
                found[-1].append(word)
                right = max(right, word.right)
            else:
                found.append([word])
                right = word.right
        return [TextLine(words) for words in found]


def text_lines(words: Iterable[Word]) -> list[TextLine]:
    """The lines of upright words from top to bottom. Words whose heights overlap by half share a line."""
    rows = group_while(sorted(words, key=lambda word: -word.y), lambda row, word: _share_line(row[0], word))
    return [TextLine(sorted(row, key=lambda word: (word.left, word.start))) for row in rows]


def _share_line(one: Word, other: Word) -> bool:
    common = min(one.top, other.top) - max(one.bottom, other.bottom)
    return common > 0.5 * min(one.top - one.bottom, other.top - other.bottom)


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
