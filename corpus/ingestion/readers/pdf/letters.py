"""The characters of one page by index, with their places, and what is written instead of some of them."""

from __future__ import annotations

import ctypes
import math
import re
from collections.abc import Iterator
from dataclasses import dataclass
from statistics import median
from typing import TYPE_CHECKING

from corpus.ingestion.readers.pdf.glyphs import Turn
from corpus.ingestion.readers.pdf.page_objects import Sides

if TYPE_CHECKING:
    from pypdfium2 import PdfTextPage

_SAMPLES = 5  # letters of a line whose size is measured
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
    turns: int = 0  # quarter turns of its first letter on the page
    slanted: bool = False  # neither level nor upright, as a watermark is


class PageLetters:
    """The characters of a text page of PDFium."""

    def __init__(self, textpage: PdfTextPage, turn: Turn) -> None:
        from pypdfium2 import raw

        # The raw handle is faster: the wrapper would be unwrapped for every letter.
        self._raw, self.page, self._turn = raw, textpage.raw, turn
        self.text = _UNMAPPED.sub("’", _read_characters(textpage).translate(_WINDOWS))
        self.written: dict[int, str] = {}  # instead of the letter at this index; "" leaves it out
        self._matrix, self._rect = raw.FS_MATRIX(), raw.FS_RECTF()
        self._x, self._y = ctypes.c_double(), ctypes.c_double()

    def read(self, start: int, stop: int) -> str:
        """The text of a range as it is to be written."""
        if not self.written:
            return self.text[start:stop]
        return "".join([self.written.get(index, self.text[index]) for index in range(start, stop)])

    def leave_out(self, indices: set[int]) -> None:
        """Write nothing instead of these letters."""
        self.written.update(dict.fromkeys(indices, ""))

    def spans(self) -> Iterator[Span]:
        """The lines. PDFium joins hyphenated words and marks the line end by U+0002."""
        for match in re.finditer(r"[^\r\n\x02]+", self.text):
            yield self.span(*match.span())

    def span(self, start: int, stop: int) -> Span:
        """The measures of a line."""
        text = self.text[start:stop]
        first = start + (len(text) - len(text.lstrip())) % max(len(text), 1)
        last = max(start + len(text.rstrip()) - 1, first)
        runs = self._raw.FPDFText_CountRects(self.page, start, stop - start)
        step = max(1, (last - first) // (_SAMPLES if runs > 1 else 1))
        size = median([self.size(index) for index in range(first, last + 1, step) if text[index - start] != " "])
        left, y = self.origin(first)
        right, end = self.origin(last)
        quarters = self._raw.FPDFText_GetCharAngle(self.page, first) / (math.pi / 2)
        return Span(
            start, stop, runs, size, left, right, y, end, round(quarters) % 4, slanted=0.06 < quarters % 1 < 0.94
        )

    def visible(self, start: int, stop: int) -> list[int]:
        """The indices of letters that are no white space."""
        return [index for index in range(start, stop) if not self.text[index].isspace()]

    def size(self, index: int) -> float:
        """The size on the page: the nominal font size times the height of its matrix."""
        size: float = self._raw.FPDFText_GetFontSize(self.page, index)
        if self._raw.FPDFText_GetMatrix(self.page, index, self._matrix):
            size *= math.hypot(self._matrix.c, self._matrix.d)
        return round(size * 2) / 2

    def origin(self, index: int) -> tuple[float, float]:
        """Where a letter begins on its baseline."""
        self._raw.FPDFText_GetCharOrigin(self.page, index, self._x, self._y)
        return self._turn(self._x.value, self._y.value)

    def box(self, index: int) -> Sides:
        """Left, bottom, right and top of a letter."""
        rect = self._rect
        if not self._raw.FPDFText_GetLooseCharBox(self.page, index, rect):
            return (0.0, 0.0, 0.0, 0.0)
        (x0, y0), (x1, y1) = self._turn(rect.left, rect.bottom), self._turn(rect.right, rect.top)
        return min(x0, x1), min(y0, y1), max(x0, x1), max(y0, y1)

    def color(self, index: int) -> tuple[int, int, int, int]:
        """Red, green, blue and alpha of a letter."""
        parts = [ctypes.c_uint() for _ in range(4)]
        self._raw.FPDFText_GetFillColor(self.page, index, *parts)
        red, green, blue, alpha = (part.value for part in parts)
        return red, green, blue, alpha

    def runs(self, span: Span) -> Iterator[Sides]:
        """Left, bottom, right and top of the ink of each run of a line."""
        edges = tuple(ctypes.c_double() for _ in range(4))
        for number in range(self._raw.FPDFText_CountRects(self.page, span.start, span.stop - span.start)):
            self._raw.FPDFText_GetRect(self.page, number, *edges)
            left, top, right, bottom = (edge.value for edge in edges)
            (x0, y0), (x1, y1) = self._turn(left, bottom), self._turn(right, top)
            yield min(x0, x1), min(y0, y1), max(x0, x1), max(y0, y1)

    def font(self, index: int) -> str:
        """The name of a letter's font in lower case."""
        name, flags = ctypes.create_string_buffer(200), ctypes.c_int()
        self._raw.FPDFText_GetFontInfo(self.page, index, name, len(name), flags)
        return name.value.decode("utf-8", "replace").lower()


def _read_characters(textpage: PdfTextPage) -> str:
    """All characters, read at once. One by one where some have no meaning or need two codes: indices must not move."""
    from pypdfium2 import raw

    count = textpage.count_chars()
    buffer = (ctypes.c_ushort * (2 * count + 2))()
    length = raw.FPDFText_GetText(textpage.raw, 0, count, buffer) - 1
    text = bytes(buffer)[: 2 * max(length, 0)].decode("utf-16-le", "surrogatepass").replace("\ufffe", "\x02")
    if len(text) == count:
        return text
    return "".join([chr(raw.FPDFText_GetUnicode(textpage.raw, index)) for index in range(count)])
