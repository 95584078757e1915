"""The letters of a page with their places, and the words and lines that they make. Used where a table may be."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from corpus.ingestion.readers.pdf.letters import PageLetters

Turn = Callable[[float, float], tuple[float, float]]
_WORD_GAP = 0.3  # times the size; a wider gap separates two words, also without a space
_BOLD = re.compile("bold|black|heavy|demi")
_BOLD_WEIGHT = 600
_TYPEWRITER, _ENOUGH = 1.5, 12  # letters of a line that tell
_HYPHENS = {"\x02": "-", "\xad": "\xad"}  # after the last letter of a line; PDFium writes U+0002 for a hyphen
_HEIGHT = 1.2  # of a letter's box, times its size


@dataclass(frozen=True, slots=True)
class Glyph:
    """A visible letter. Lengths are in points as displayed; y grows upwards."""

    index: int  # in the text of the page
    text: str  # with the hyphen where a word is broken after it
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
        """About the size of its type."""
        tall = self.right - self.left if self.turns % 2 else self.top - self.bottom
        return max(tall / _HEIGHT, 1.0)

    def upright(self) -> Glyph:
        """The letter as if the page were turned so that it is upright."""
        return self.turned(self.turns)

    def turned(self, turns: int) -> Glyph:
        """The letter as if the page were turned clockwise by this many quarters."""
        sides = self.left, self.bottom, self.right, self.top
        for _ in range(turns):
            left, bottom, right, top = sides
            sides = bottom, -right, top, -left
        return Glyph(self.index, self.text, *sides, turns=(self.turns - turns) % 4)


@dataclass(frozen=True)
class Word:
    """Letters without space between them."""

    glyphs: tuple[Glyph, ...]

    @cached_property
    def left(self) -> float:
        return min(glyph.left for glyph in self.glyphs)

    @cached_property
    def right(self) -> float:
        return max(glyph.right for glyph in self.glyphs)

    @property
    def x(self) -> float:
        return (self.left + self.right) / 2

    @property
    def text(self) -> str:
        return "".join(glyph.text for glyph in self.glyphs)


@dataclass(frozen=True)
class TextLine:
    """The words at one height, from left to right."""

    words: tuple[Word, ...]

    @cached_property
    def glyphs(self) -> tuple[Glyph, ...]:
        return tuple(glyph for word in self.words for glyph in word.glyphs)

    @cached_property
    def y(self) -> float:
        return max(glyph.y for glyph in self.glyphs)

    @cached_property
    def size(self) -> float:
        return max(glyph.size for glyph in self.glyphs)

    @cached_property
    def unit(self) -> float:
        """The size, or more if all letters are as wide as each other: a typewriter's spaces are twice as wide."""
        widths = [glyph.right - glyph.left for glyph in self.glyphs if not glyph.text.isdecimal()]
        same = len(widths) >= _ENOUGH and max(widths) < 1.05 * min(widths)
        return self.size * (_TYPEWRITER if same else 1.0)

    @property
    def left(self) -> float:
        return self.words[0].left

    @property
    def right(self) -> float:
        return max(word.right for word in self.words)

    @property
    def text(self) -> str:
        return " ".join(word.text for word in self.words)

    def pieces(self, gap: float) -> list[TextLine]:
        """The line cut wherever two words are further apart than `gap` times its unit."""
        found: list[list[Word]] = [[]]
        for word in self.words:
            if found[-1] and word.left - max(one.right for one in found[-1]) > gap * self.unit:
                found.append([])
            found[-1].append(word)
        return [TextLine(tuple(words)) for words in found]


def quarter_turn(rotation: int, width: float, height: float) -> Turn:
    """A function from a point of the page to where it is displayed, for a page of this size turned clockwise."""
    turns: dict[int, Turn] = {
        90: lambda x, y: (y, width - x),
        180: lambda x, y: (width - x, height - y),
        270: lambda x, y: (height - y, x),
    }
    return turns.get(rotation, lambda x, y: (x, y))


def page_glyphs(page: PageLetters, rotation: int) -> list[Glyph]:
    """The visible letters of a page, as they are to be written."""
    from pypdfium2 import raw

    found = []
    for index, letter in enumerate(page.text):
        written = page.written.get(index, letter)
        if letter.isspace() or not letter.isprintable() or not written.strip():
            continue
        angle = raw.FPDFText_GetCharAngle(page.page, index)
        turns = -(round(angle / (math.pi / 2)) + rotation // 90) % 4  # PDFium's angle is clockwise
        broken = _HYPHENS.get(page.text[index + 1 : index + 2], "")
        found.append(Glyph(index, written + broken, *page.box(index), turns))
    return found


def is_bold(page: PageLetters, index: int) -> bool:
    """Whether the letter at this index is of a bold font, by its weight or by the font's name."""
    from pypdfium2 import raw

    return bool(raw.FPDFText_GetFontWeight(page.page, index) >= _BOLD_WEIGHT or _BOLD.search(page.font(index)))


def text_lines(glyphs: Sequence[Glyph]) -> list[TextLine]:
    """The lines of upright letters from top to bottom. Letters whose heights overlap by half share a line."""
    rows: list[list[Glyph]] = []
    for glyph in sorted(glyphs, key=lambda glyph: -glyph.y):
        if rows and _share_line(rows[-1][0], glyph):
            rows[-1].append(glyph)
        else:
            rows.append([glyph])
    return [TextLine(tuple(_words(sorted(row, key=lambda glyph: (glyph.left, glyph.index))))) for row in rows]


def _share_line(one: Glyph, other: Glyph) -> bool:
    common = min(one.top, other.top) - max(one.bottom, other.bottom)
    return common > 0.5 * min(one.top - one.bottom, other.top - other.bottom)


def _words(row: Sequence[Glyph]) -> Iterator[Word]:
    word: list[Glyph] = []
    for glyph in row:
        if word and glyph.left - word[-1].right > _WORD_GAP * glyph.size:
            yield Word(tuple(word))
            word = []
        elif word and glyph.index != word[-1].index + 1 and glyph.left - word[-1].right > 0.1 * glyph.size:
            yield Word(tuple(word))  # there is a space between them, though a narrow one
            word = []
        word.append(glyph)
    if word:
        yield Word(tuple(word))
