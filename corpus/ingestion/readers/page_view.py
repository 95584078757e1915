"""One page of a PDF as people see it: a picture in colour, and where its words stand on it."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from corpus.ingestion.readers.pdf.left_out import letter_pixels
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
    """Three bytes a pixel, row by row, and words in the order of the file. A broken word has a box for each part."""

    width: int
    height: int
    pixels: bytes
    words: tuple[tuple[str, tuple[Box, ...]], ...]


def view_page(data: bytes, page: int) -> ViewedPage:
    """Draw page number `page` of a PDF, from 1. Raises UnreadableDocument, or any error of PDFium."""
    with open_document(data) as document:
        document.init_forms()  # draws what was filled in
        found = document[page - 1]
        width, height = (max(1.0, side) for side in found.get_size())
        scale = min(DPI / 72, math.sqrt(MAX_PIXELS / width / height))
        picture = found.render(scale=scale).to_pil().convert("RGB")
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
            word, box = word + letter, _around(box, letter_pixels(page, textpage, index, width, height) or _NO_BOX)
        elif word and box != _NO_BOX:
            yield tidy(word), (*parts, box)
            word, parts, box = "", [], _NO_BOX


_NO_BOX: Box = (1 << 30, 1 << 30, 0, 0)


def _around(one: Box, other: Box) -> Box:
    return min(one[0], other[0]), min(one[1], other[1]), max(one[2], other[2]), max(one[3], other[3])
