"""Draws one page of a document as a grey picture of limited size, for text recognition."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

from corpus.ingestion.readers import images
from corpus.ingestion.readers.pdf.lines import open_document
from corpus.ingestion.readers.structure import PDF

if TYPE_CHECKING:
    from PIL.Image import Image

DPI = 300  # Tesseract was trained with this resolution
MAX_PIXELS = 20_000_000  # of a picture; A3 at 300 dpi has 17 million
MAX_SIDE = 20_000  # pixels; Tesseract accepts 32,767
_SMALL = 1600  # pixels of the longer side; smaller pictures are screenshots or a few lines


@dataclass(frozen=True)
class PageDrawing:
    """A grey picture."""

    width: int
    height: int
    pixels: bytes  # one byte each, row by row; 0 is black

    @property
    def is_blank(self) -> bool:
        """Whether all pixels have the same colour."""
        return self.pixels.count(self.pixels[:1]) == len(self.pixels)


def draw_page(data: bytes, media_type: str, page: int) -> PageDrawing:
    """Draw page number `page`, from 1. Raises UnreadableDocument, or any error of the decoder."""
    return _of_pdf(data, page) if media_type == PDF else _of_image(data, page)


def fit_scale(width: float, height: float, scale: float) -> float:
    """The scale, reduced if a page of this width and height would exceed the limits."""
    most = min(MAX_SIDE / max(width, height), math.sqrt(MAX_PIXELS / width / height))
    return min(scale, most)


def _of_pdf(data: bytes, page: int) -> PageDrawing:
    with open_document(data) as document:
        found = document[page - 1]
        width, height = (max(1.0, side) for side in found.get_size())
        bitmap = found.render(scale=fit_scale(width, height, DPI / 72), grayscale=True, may_draw_forms=False)
        rows = memoryview(bitmap.buffer).cast("B")
        lines = (rows[start : start + bitmap.width] for start in range(0, bitmap.height * bitmap.stride, bitmap.stride))
        return PageDrawing(bitmap.width, bitmap.height, b"".join(lines))


def _of_image(data: bytes, page: int) -> PageDrawing:
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
    return PageDrawing(grey.width, grey.height, grey.tobytes())


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
