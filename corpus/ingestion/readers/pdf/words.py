"""The words of a page with their places, the lines and cells that they make."""

from __future__ import annotations

import unicodedata
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import pairwise

from corpus.ingestion.readers.structure import clean, group_while

_TYPEWRITER, _ENOUGH = 1.5, 12  # letters of a line that tell
_LIGATURES = str.maketrans({"ﬀ": "ff", "ﬁ": "fi", "ﬂ": "fl", "ﬃ": "ffi", "ﬄ": "ffl", "ﬅ": "st", "ﬆ": "st", "\xa0": " "})
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
        pieces = group_while(self.words, lambda piece, word: word.left - piece[-1].right <= gap * self.unit)
        return [TextLine(words) for words in pieces]


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

_MAX_CELL_LENGTH = 1500  # characters; with more the lines are a frame around text


@dataclass(frozen=True)
class PdfTable:
    rows: tuple[Row, ...]  # of one length
    words: frozenset[int]  # that it takes from the running text, by their first letters
    left: float  # in points, as displayed
    right: float
    depth: int = 0  # rows of its header that can be seen
    caption: Cell = ()  # a title in a cell above the others


@dataclass(frozen=True)
class Line:
    """A line of a page. Lengths are in points; y grows upwards, as in PDF."""

    text: str
    size: float  # of most of its letters
    left: float
    right: float  # start of the last letter
    y: float  # of the baseline
    depth: float = 0.5  # 0 at the top edge of the page, 1 at the bottom
    hyphen: bool = False  # whether its last word ends with a soft hyphen: it goes on in the next line
    table: PdfTable | None = None  # stands here instead of a line; the text is empty


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


def tidy(text: str) -> str:
    """Text of a page in composed characters (NFC), without ligatures, with single spaces."""
    return unicodedata.normalize("NFC", " ".join(clean(text).translate(_LIGATURES).split()))
