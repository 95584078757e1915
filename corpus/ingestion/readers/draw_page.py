"""Draws one page of a document: grey and of limited size for text recognition, in colour with its words for people."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING

from corpus.ingestion.readers import images
from corpus.ingestion.readers.pdf.words import tidy
from corpus.ingestion.readers.structure import PDF

if TYPE_CHECKING:
    from PIL.Image import Image
    from pypdfium2 import PdfPage, PdfTextPage

DPI = 300  # Tesseract was trained with this resolution
MAX_PIXELS = 20_000_000  # of a picture; A3 at 300 dpi has 17 million
MAX_SIDE = 20_000  # pixels; Tesseract accepts 32,767
_SHADOW, _UNEVEN = 24, 50  # pixels of which the lightest is the paper; difference of its greys
_SMALL_SIDE = 700  # pixels, of the picture on which lines are sought
_MAX_TURN, _MIN_TURN, _SHARPER = 15, 0.5, 1.15  # degrees, and times as sharp
_SMALL = 1600  # pixels of the longer side; smaller pictures are screenshots or a few lines


@dataclass(frozen=True)
class PageDrawing:
    width: int
    height: int
    pixels: bytes  # one byte each, row by row; 0 is black

    @property
    def is_blank(self) -> bool:
        return self.pixels.count(self.pixels[:1]) == len(self.pixels)


def draw_page(data: bytes, media_type: str, page: int, *, only_pictures: bool = False) -> PageDrawing:
    """Draw a page, from 1, with its lines level, or only the pictures of a PDF. Raises any error of the decoder."""
    grey = _of_pdf(data, page, only_pictures) if media_type == PDF else _of_image(data, page)
    if not only_pictures:
        grey = _straighten(_even_out(grey))
    return PageDrawing(grey.width, grey.height, grey.tobytes())


def fit_scale(width: float, height: float, scale: float) -> float:
    """The scale, reduced if a page of this width and height would exceed the limits."""
    most = min(MAX_SIDE / max(width, height), math.sqrt(MAX_PIXELS / width / height))
    return min(scale, most)


def _even_out(grey: Image) -> Image:
    """The picture with paper that is white all over, if a shadow lies on it as in a photograph."""
    from PIL import Image, ImageChops, ImageFilter

    small = grey.resize((max(1, grey.width // _SHADOW), max(1, grey.height // _SHADOW)), Image.Resampling.BOX)
    paper = small.filter(ImageFilter.MaxFilter(3)).filter(ImageFilter.GaussianBlur(2))
    ordered = sorted(paper.tobytes())
    if ordered[-len(ordered) // 10] - ordered[len(ordered) // 10] < _UNEVEN:
        return grey
    return ImageChops.invert(ImageChops.subtract(paper.resize(grey.size, Image.Resampling.BICUBIC), grey))


def _straighten(grey: Image) -> Image:
    """The picture turned so that its lines are level, if they stand out better then."""
    from PIL import Image

    small = grey.copy()
    small.thumbnail((_SMALL_SIDE, _SMALL_SIDE), Image.Resampling.BOX)
    middle = sum(small.tobytes()) / (small.width * small.height)
    ink = small.point(lambda value: 255 * (value < 0.8 * middle))

    def sharpness(angle: float) -> int:
        rows = ink.rotate(angle, Image.Resampling.BILINEAR).resize((1, ink.height), Image.Resampling.BOX).tobytes()
        return sum((one - other) ** 2 for one, other in pairwise(rows))

    angle = float(max(range(-_MAX_TURN, _MAX_TURN + 1), key=sharpness))
    angle = max((angle + step / 4 for step in range(-3, 4)), key=sharpness)
    if abs(angle) < _MIN_TURN or sharpness(angle) < _SHARPER * sharpness(0):
        return grey
    turned = grey.rotate(angle, Image.Resampling.BICUBIC, expand=True, fillcolor=255)
    scale = fit_scale(turned.width, turned.height, 1.0)
    return turned.resize((int(turned.width * scale), int(turned.height * scale))) if scale < 1 else turned


def _of_pdf(data: bytes, page: int, only_pictures: bool) -> Image:
    from PIL import Image

    from corpus.ingestion.readers.pdf import lines, page_objects

    with lines.open_document(data) as document:
        found = document[page - 1]
        width, height = (max(1.0, side) for side in found.get_size())
        bitmap = found.render(scale=fit_scale(width, height, DPI / 72), grayscale=True, may_draw_forms=False)
        grey: Image.Image = bitmap.to_pil()
        if not only_pictures:
            return grey.copy()
        mask = Image.new("1", grey.size)
        for left, bottom, right, top in page_objects.readable_pictures(page_objects.find_objects(found).pictures):
            corners = [bitmap.get_posconv(found).to_bitmap(x, y) for x, y in ((left, top), (right, bottom))]
            (x0, x1), (y0, y1) = (sorted(places) for places in zip(*corners, strict=True))
            mask.paste(1, (x0, y0, x1, y1))
        return Image.composite(grey, Image.new("L", grey.size, 255), mask)


def _of_image(data: bytes, page: int) -> Image:
    from PIL import Image, ImageOps

    image = images.open_image(data, page)
    least = _scale(image.size)
    size = (math.ceil(image.width * least), math.ceil(image.height * least))
    image.draft("L", size)  # decode a JPEG no larger than needed
    scale = _scale(image.size)
    grey = _on_white(ImageOps.exif_transpose(image))
    if scale != 1:
        size = (max(1, int(grey.width * scale)), max(1, int(grey.height * scale)))
        grey = grey.resize(size, Image.Resampling.BICUBIC)
    return grey


def _scale(size: tuple[int, int]) -> float:
    return fit_scale(*size, 2.0 if max(size) < _SMALL else 1.0)


def _on_white(image: Image) -> Image:
    """The image in grey, on white where it is transparent."""
    from PIL import Image

    if image.mode.startswith("I"):  # 16 bits a pixel
        image = image.convert("I").point(lambda value: value / 256)
    if not image.has_transparency_data:
        return image.convert("L")
    layers = image if image.mode in ("LA", "RGBA") else image.convert("RGBA")
    paper = Image.new("L", layers.size, 255)
    return Image.composite(layers.convert("L"), paper, layers.getchannel("A"))


VIEW_DPI = 130
MAX_VIEW_PIXELS = 3_000_000  # of a picture; A4 at 130 dpi has 1.6 million
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
    from corpus.ingestion.readers.pdf.lines import open_document

    with open_document(data) as document:
        document.init_forms()  # draws what was filled in
        found = document[page - 1]
        width, height = (max(1.0, side) for side in found.get_size())
        scale = min(VIEW_DPI / 72, math.sqrt(MAX_VIEW_PIXELS / width / height))
        picture = found.render(scale=scale).to_pil().convert("RGB")
        textpage = found.get_textpage()
        words = tuple(_words(found, textpage, picture.width, picture.height))[:MAX_WORDS]
        return ViewedPage(picture.width, picture.height, picture.tobytes(), words)


def _words(page: PdfPage, textpage: PdfTextPage, width: int, height: int) -> Iterator[tuple[str, tuple[Box, ...]]]:
    from pypdfium2 import raw

    from corpus.ingestion.readers.pdf.left_out import letter_pixels

    text = "".join(chr(raw.FPDFText_GetUnicode(textpage.raw, index)) for index in range(textpage.count_chars()))
    word, box = "", _NO_BOX
    parts: list[Box] = []
    for index, letter in enumerate(text + " "):
        if letter == "\x02":  # PDFium's sign for a word that goes on in the next line
            parts, box = [*parts, box], _NO_BOX
        elif not letter.isspace():
            one = letter_pixels(page, textpage, index, width, height) or _NO_BOX
            box = min(box[0], one[0]), min(box[1], one[1]), max(box[2], one[2]), max(box[3], one[3])
            word += letter
        elif word and box != _NO_BOX:
            yield tidy(word), (*parts, box)
            word, parts, box = "", [], _NO_BOX


_NO_BOX: Box = (1 << 30, 1 << 30, 0, 0)
