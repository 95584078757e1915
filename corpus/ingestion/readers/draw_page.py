"""Draws one page of a document: grey and of limited size for text recognition, in colour with its words for people."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from itertools import islice, pairwise

from PIL import Image, ImageChops, ImageFilter, ImageOps
from pypdfium2 import PdfBitmap, PdfPage

from corpus.ingestion.readers.images import DPI, MAX_PIXELS, MAX_SIDE, MAX_VIEW_PIXELS, MAX_WORDS, Box, open_image
from corpus.ingestion.readers.pdf.left_out import find_letters, find_pixels
from corpus.ingestion.readers.pdf.letters import read_characters
from corpus.ingestion.readers.pdf.lines import open_document
from corpus.ingestion.readers.pdf.page_objects import find_objects, readable_pictures
from corpus.ingestion.readers.pdf.words import tidy
from corpus.ingestion.readers.structure import PDF

_SHADOW, _UNEVEN = 24, 50  # pixels of which the lightest is the paper; difference of its greys
_VIEW_DPI = 130
_SMALL_SIDE = 700  # pixels, of the picture on which lines are sought
_MAX_TURN, _MIN_TURN, _SHARPER = 15, 0.5, 1.15  # degrees, and times as sharp
_SMALL = 1600  # pixels of the longer side; smaller pictures are screenshots or a few lines


def draw_page(data: bytes, media_type: str, page: int, *, only_pictures: bool = False) -> Image.Image:
    """Draw a page in grey, from 1, with its lines level, or only the pictures of a PDF. Raises any error."""
    grey = _of_pdf(data, page, only_pictures) if media_type == PDF else _of_image(data, page)
    return grey if only_pictures else _straighten(_even_out(grey))


def fit_scale(width: float, height: float, scale: float) -> float:
    """The scale, reduced if a page of this width and height would exceed the limits."""
    most = min(MAX_SIDE / max(width, height), math.sqrt(MAX_PIXELS / width / height))
    return min(scale, most)


def _even_out(grey: Image.Image) -> Image.Image:
    """The picture with paper that is white all over, if a shadow lies on it as in a photograph."""
    small = grey.resize((max(1, grey.width // _SHADOW), max(1, grey.height // _SHADOW)), Image.Resampling.BOX)
    paper = small.filter(ImageFilter.MaxFilter(3)).filter(ImageFilter.GaussianBlur(2))
    ordered = sorted(paper.tobytes())
    if ordered[-len(ordered) // 10] - ordered[len(ordered) // 10] < _UNEVEN:
        return grey
    return ImageChops.invert(ImageChops.subtract(paper.resize(grey.size, Image.Resampling.BICUBIC), grey))


def _straighten(grey: Image.Image) -> Image.Image:
    """The picture turned so that its lines are level, if they stand out better then."""
    small = grey.copy()
    small.thumbnail((_SMALL_SIDE, _SMALL_SIDE), Image.Resampling.BOX)
    middle = sum(small.tobytes()) / (small.width * small.height)
    ink = small.point(lambda value: 255 * (value < 0.8 * middle))

    def sharpness(angle: float) -> int:
        rows = ink.rotate(angle, Image.Resampling.BILINEAR).resize((1, ink.height), Image.Resampling.BOX).tobytes()
        return sum((one - other) ** 2 for one, other in pairwise(rows))

    angle = float(max(range(-_MAX_TURN, _MAX_TURN + 1), key=sharpness))
    angle = max((angle + step / 4 for step in range(-3, 4)), key=sharpness)
    if abs(angle) < _MIN_TURN or sharpness(angle) <= _SHARPER * sharpness(0):
        return grey
    turned = grey.rotate(angle, Image.Resampling.BICUBIC, expand=True, fillcolor=255)
    return _scale(turned, fit_scale(turned.width, turned.height, 1.0))


def _of_pdf(data: bytes, page: int, only_pictures: bool) -> Image.Image:
    with open_document(data) as document:
        found = document[page - 1]
        width, height = (max(1.0, side) for side in found.get_size())
        bitmap = found.render(scale=fit_scale(width, height, DPI / 72), grayscale=True, may_draw_forms=False)
        grey: Image.Image = bitmap.to_pil()
        if not only_pictures:
            return grey.copy()
        mask = Image.new("1", grey.size)
        for sides in readable_pictures(find_objects(found).pictures):
            mask.paste(1, find_pixels(bitmap, found, sides))
        return Image.composite(grey, Image.new("L", grey.size, 255), mask)


def _of_image(data: bytes, page: int) -> Image.Image:
    image = open_image(data, page)
    least = _find_scale(image.size)
    size = (math.ceil(image.width * least), math.ceil(image.height * least))
    image.draft("L", size)  # decode a JPEG no larger than needed
    scale = _find_scale(image.size)
    return _scale(_on_white(ImageOps.exif_transpose(image)), scale)


def _find_scale(size: tuple[int, int]) -> float:
    return fit_scale(*size, 2.0 if max(size) < _SMALL else 1.0)


def _scale(grey: Image.Image, scale: float) -> Image.Image:
    width, height = (max(1, round(scale * side)) for side in grey.size)
    return grey.resize((width, height), Image.Resampling.BICUBIC)


def _on_white(image: Image.Image) -> Image.Image:
    """The image in grey, on white where it is transparent."""
    if image.mode.startswith("I"):  # 16 bits a pixel
        image = image.convert("I").point(lambda value: value / 256)
    if not image.has_transparency_data:
        return image.convert("L")
    layers = image if image.mode in ("LA", "RGBA") else image.convert("RGBA")
    paper = Image.new("L", layers.size, 255)
    return Image.composite(layers.convert("L"), paper, layers.getchannel("A"))


def view_page(data: bytes, page: int) -> tuple[Image.Image, tuple[tuple[str, tuple[Box, ...]], ...]]:
    """A page of a PDF, from 1, in colour, and its words in the order of the file with a box for each of their parts."""
    with open_document(data) as document:
        document.init_forms()  # draws what was filled in
        found = document[page - 1]
        width, height = (max(1.0, side) for side in found.get_size())
        scale = min(_VIEW_DPI / 72, math.sqrt(MAX_VIEW_PIXELS / width / height))
        bitmap = found.render(scale=scale)
        return bitmap.to_pil().convert("RGB"), tuple(islice(_words(found, bitmap), MAX_WORDS))


def _words(page: PdfPage, bitmap: PdfBitmap) -> Iterator[tuple[str, tuple[Box, ...]]]:
    textpage = page.get_textpage()
    text = read_characters(textpage)
    for word in re.finditer(r"\S+", text):
        parts = re.compile(r"[^\x02]+").finditer(text, *word.span())  # PDFium's sign between parts of a broken word
        if boxes := tuple(find_letters(bitmap, page, textpage, range(*part.span())) for part in parts):
            yield tidy(word.group().replace("\x02", "")), boxes
