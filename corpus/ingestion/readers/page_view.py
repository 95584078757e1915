"""One page of a PDF as people see it: a picture in colour, and where its words stand on it."""

from __future__ import annotations

import ctypes
import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from corpus.ingestion.readers.pdf.lines import open_document, tidy

if TYPE_CHECKING:
    from pypdfium2 import PdfPage, PdfTextPage

DPI = 130
MAX_PIXELS = 3_000_000  # of a picture; A4 at 130 dpi has 1.6 million
MAX_WORDS = 5_000

Box = tuple[int, int, int, int]
"""Left, top, right and bottom in pixels, from the top left corner."""


@dataclass(frozen=True)
class ViewedPage:
    """A picture with three bytes a pixel (red, green, blue), row by row, and words in the order of the file.

    A word that is broken at the end of a line has a box for each part.
    """

    width: int
    height: int
    pixels: bytes
    words: tuple[tuple[str, tuple[Box, ...]], ...]


def view_page(data: bytes, page: int) -> ViewedPage:
    """Draw page number `page` of a PDF, from 1. Raises UnreadableDocument, or any error of PDFium."""
    with open_document(data) as document:
        found = document[page - 1]
        width, height = (max(1.0, side) for side in found.get_size())
        scale = min(DPI / 72, math.sqrt(MAX_PIXELS / width / height))
        picture = found.render(scale=scale, may_draw_forms=False).to_pil().convert("RGB")
        textpage = found.get_textpage()
        words = tuple(_words(found, textpage, picture.width, picture.height))[:MAX_WORDS]
        return ViewedPage(picture.width, picture.height, picture.tobytes(), words)


def _words(page: PdfPage, textpage: PdfTextPage, width: int, height: int) -> Iterator[tuple[str, tuple[Box, ...]]]:
    from pypdfium2 import raw

    text = "".join(chr(raw.FPDFText_GetUnicode(textpage.raw, index)) for index in range(textpage.count_chars()))
    word, box = "", _NO_BOX
    parts: list[Box] = []
    for index, letter in enumerate(text + " "):
        if letter == "\x02":  # PDFium's sign for a word that goes on in the next line
            parts, box = [*parts, box], _NO_BOX
        elif not letter.isspace():
            word, box = word + letter, _around(box, _box(page, textpage, index, width, height))
        elif word and box != _NO_BOX:
            yield tidy(word), (*parts, box)
            word, parts, box = "", [], _NO_BOX


_NO_BOX: Box = (1 << 30, 1 << 30, 0, 0)


def _around(one: Box, other: Box) -> Box:
    return min(one[0], other[0]), min(one[1], other[1]), max(one[2], other[2]), max(one[3], other[3])


def _box(page: PdfPage, textpage: PdfTextPage, index: int, width: int, height: int) -> Box:
    """Where a letter stands on the picture, however the page is turned or cut."""
    from pypdfium2 import raw

    rect, x, y = raw.FS_RECTF(), ctypes.c_int(), ctypes.c_int()
    if not raw.FPDFText_GetLooseCharBox(textpage.raw, index, rect):
        return _NO_BOX
    corners = []
    for side, edge in ((rect.left, rect.top), (rect.right, rect.bottom)):
        raw.FPDF_PageToDevice(page.raw, 0, 0, width, height, 0, side, edge, x, y)
        corners.append((min(max(x.value, 0), width), min(max(y.value, 0), height)))
    (x0, y0), (x1, y1) = corners
    return min(x0, x1), min(y0, y1), max(x0, x1), max(y0, y1)
