"""The characters of one page by index, with their places, and what is written instead of some of them."""

from __future__ import annotations

import ctypes
import math
import re
from bisect import bisect
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from statistics import median
from typing import TypeVar

from pypdfium2 import PdfMatrix, PdfTextPage, raw

from corpus.ingestion.readers.pdf.page_objects import Color, Rule, Sides, read_values
from corpus.ingestion.readers.pdf.words import Word

_SAMPLES = 5  # letters of a line whose size is measured
_MIDDLE = 0.7  # times the size, from the baseline: where a line may cross letters out
_BOLD = re.compile("bold|black|heavy|demi")
_WORD = re.compile(r"[^\s\x02]+")
_UNMAPPED = re.compile(  # a sign without a meaning that stands where English and French have an apostrophe
    r"(?<=[^\W\d_])[\x01\x03-\x08\x0e-\x1f](?=(?:s|t|d|m|ll|re|ve)\b)"
    r"|(?<=\b[ldjnstcmLDJNSTCM])[\x01\x03-\x08\x0e-\x1f](?=[^\W\d_])"
)
_WINDOWS = {code: bytes([code]).decode("cp1252", "ignore") or chr(code) for code in range(0x80, 0xA0)}


@dataclass(frozen=True)
class Span:
    """The letters of one line, as indices. Lengths are in points as displayed; y grows upwards."""

    start: int
    stop: int
    runs: int  # of one font, size and height
    size: float  # of most letters
    left: float
    right: float  # start of the last letter
    y: float  # of the baseline
    end_y: float  # of the last letter
    turns: int = 0  # quarter turns counter-clockwise: 1 reads upwards
    slanted: bool = False  # neither level nor upright, as a watermark is


T = TypeVar("T")


class PageLetters:
    """The characters of a text page of PDFium, which is displayed turned clockwise by `rotation`: see `turn`."""

    def __init__(self, textpage: PdfTextPage, turn: PdfMatrix, rotation: int) -> None:
        from pypdfium2 import raw

        # The raw handle is faster: the wrapper would be unwrapped for every letter.
        self.page, self._turn, self._rotation = textpage.raw, turn, rotation
        self.text = _UNMAPPED.sub("’", read_characters(textpage).translate(_WINDOWS))
        self.written: dict[int, str] = {}  # instead of the letter at this index; "" leaves it out
        self.borders: Sequence[Rule] = ()  # the vertical lines of the page, in order
        self.strikes: Sequence[Rule] = ()  # the horizontal ones, which may cross out a part of a word, in order
        self._matrix, self._rect = raw.FS_MATRIX(), raw.FS_RECTF()
        self._x, self._y = ctypes.c_double(), ctypes.c_double()

    def read(self, start: int, stop: int) -> str:
        """The text of a range as it is to be written."""
        if not self.written:
            return self.text[start:stop]
        return "".join([self.written.get(index, self.text[index]) for index in range(start, stop)])

    def spans(self) -> Iterator[Span]:
        """The lines. PDFium joins hyphenated words and marks the line end by U+0002."""
        for match in re.finditer(r"[^\r\n\x02]+", self.text):
            yield self.span(*match.span())

    def span(self, start: int, stop: int) -> Span:
        text = self.text[start:stop]
        first = start + (len(text) - len(text.lstrip())) % max(len(text), 1)
        last = max(start + len(text.rstrip()) - 1, first)
        runs = raw.FPDFText_CountRects(self.page, start, stop - start)
        step = max(1, (last - first) // (_SAMPLES if runs > 1 else 1))
        sizes = [self.size(index) for index in range(first, last + 1, step) if text[index - start] != " "]
        size = median(sizes or [self.size(first)])
        left, y = self.origin(first)
        right, end = self.origin(last)
        quarters = raw.FPDFText_GetCharAngle(self.page, first) / (math.pi / 2)  # clockwise
        turns = -(round(quarters) + self._rotation // 90) % 4
        return Span(start, stop, runs, size, left, right, y, end, turns, slanted=0.06 < quarters % 1 < 0.94)

    def words(self, span: Span) -> Iterator[Word]:
        for start, stop in self._find_words(span):
            if (text := self.read(start, stop).strip()) and max(text) >= " ":  # not only signs without a meaning
                left, bottom, right, top = self.box(start)
                if stop - start > 1:
                    x0, y0, x1, y1 = self.box(stop - 1)
                    left, right = min(left, x0), max(right, x1)
                    if span.turns % 2:
                        bottom, top = min(bottom, y0), max(top, y1)
                text += "-" * (self.text[stop : stop + 1] == "\x02")
                yield Word(start, stop, text, left, bottom, right, top, span.turns)

    def _find_words(self, span: Span) -> Iterator[tuple[int, int]]:
        """The words of a line. A gap as wide as a letter, a border or the end of a strike parts them as a space."""
        low, high = (bisect(self.strikes, span.y + part * span.size, key=lambda rule: rule.at) for part in (0, _MIDDLE))
        ends = [end for rule in self.strikes[low:high] for end in (rule.start, rule.stop)]
        for match in _WORD.finditer(self.text, span.start, span.stop):
            start, stop = match.span()
            left, right, y = self.box(start)[0], self.box(stop - 1)[2], span.y + span.size / 4
            first, last = (bisect(self.borders, at, key=lambda rule: rule.at) for at in (left + 1, right - 1))
            crossed = [rule.at for rule in self.borders[first:last] if rule.start < y < rule.stop]
            crossed += [end for end in ends if left < end < right]
            if not span.turns and (crossed or right - left > (stop - start) * span.size):
                for index in range(start + 1, stop):
                    before, after = self.box(index - 1), self.box(index)
                    apart = after[0] - before[2] > span.size
                    if apart or any(before[0] + before[2] < 2 * at < after[0] + after[2] for at in crossed):
                        yield start, index
                        start = index
            yield start, stop

    def cut(self, span: Span, places: Mapping[int, T]) -> Iterator[tuple[Span, T | None]]:
        """A line cut where its words change their place, with the place of each part: `places` are by first letter."""
        words = self._find_words(span) if places else iter(())
        runs = [(place, list(group)) for place, group in groupby(words, key=lambda word: places.get(word[0]))]
        if len(runs) < 2:
            yield span, runs[0][0] if runs else None
            return
        for number, (place, run) in enumerate(runs, start=1):
            yield self.span(run[0][0], span.stop if number == len(runs) else run[-1][1]), place

    def visible(self, start: int, stop: int) -> list[int]:
        """The indices of letters that are no white space."""
        return [index for index in range(start, stop) if not self.text[index].isspace()]

    def size(self, index: int) -> float:
        """The size on the page: the nominal font size times the height of its matrix."""
        size: float = raw.FPDFText_GetFontSize(self.page, index)
        if raw.FPDFText_GetMatrix(self.page, index, self._matrix):
            size *= math.hypot(self._matrix.c, self._matrix.d)
        return round(size * 2) / 2

    def origin(self, index: int) -> tuple[float, float]:
        """Where a letter begins on its baseline."""
        raw.FPDFText_GetCharOrigin(self.page, index, self._x, self._y)
        place: tuple[float, float] = self._x.value, self._y.value
        if self._rotation:
            place = self._turn.on_point(*place)
        return place

    def box(self, index: int) -> Sides:
        """Left, bottom, right and top of a letter."""
        rect = self._rect
        raw.FPDFText_GetLooseCharBox(self.page, index, rect)
        sides: Sides = rect.left, rect.bottom, rect.right, rect.top
        if self._rotation:
            sides = self._turn.on_rect(*sides)
        return sides

    def color(self, index: int) -> Color:
        """Red, green, blue and alpha; black for a sign that PDFium has added, such as a hyphen."""
        values = read_values(raw.FPDFText_GetFillColor, self.page, index, kind=ctypes.c_uint)
        red, green, blue, alpha = values or (0, 0, 0, 255)
        return red, green, blue, alpha

    def runs(self, span: Span) -> Iterator[Sides]:
        """Left, bottom, right and top of the ink of each run of a line."""
        for number in range(raw.FPDFText_CountRects(self.page, span.start, span.stop - span.start)):
            left, top, right, bottom = read_values(raw.FPDFText_GetRect, self.page, number, kind=ctypes.c_double)
            yield self._turn.on_rect(left, bottom, right, top)

    def is_bold(self, index: int) -> bool:
        """Whether a letter is of a bold font, by its weight or by the font's name."""
        return bool(raw.FPDFText_GetFontWeight(self.page, index) >= 600 or _BOLD.search(self.font(index)))

    def font(self, index: int) -> str:
        name, flags = ctypes.create_string_buffer(200), ctypes.c_int()
        raw.FPDFText_GetFontInfo(self.page, index, name, len(name), flags)
        return name.value.decode("utf-8", "replace").lower()


def read_characters(textpage: PdfTextPage) -> str:
    """All characters, read at once. One by one where some have no meaning or need two codes: indices must not move."""
    count = textpage.count_chars()
    buffer = (ctypes.c_ushort * (2 * count + 2))()
    length = raw.FPDFText_GetText(textpage.raw, 0, count, buffer) - 1
    text = bytes(buffer)[: 2 * max(length, 0)].decode("utf-16-le", "surrogatepass").replace("\ufffe", "\x02")
    if len(text) == count:
        return text
    return "".join([chr(raw.FPDFText_GetUnicode(textpage.raw, index)) for index in range(count)])
