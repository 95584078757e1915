"""Pictures of text, and limits of those that are drawn. Every page is one without text until OCR recognises some."""

from __future__ import annotations

import io
from typing import TYPE_CHECKING

from corpus.ingestion.readers import structure as formats
from corpus.ingestion.readers.structure import Parsed, Section, UnreadableDocument, report_damage

if TYPE_CHECKING:
    from PIL.Image import Image

FORMATS = {"PNG": formats.PNG, "JPEG": formats.JPEG, "TIFF": formats.TIFF, "WEBP": formats.WEBP, "MPO": formats.JPEG}
"""Media types by Pillow's names. MPO is a JPEG with several pictures, as from some cameras; the first counts."""

DPI = 300  # Tesseract was trained with this resolution
MAX_PIXELS = 20_000_000  # of a drawn picture; A3 at 300 dpi has 17 million
MAX_SIDE = 20_000  # pixels; Tesseract accepts 32,767
MAX_VIEW_PIXELS, MAX_WORDS = 3_000_000, 5_000  # of a page for people; A4 at 130 dpi has 1.6 million

Box = tuple[int, int, int, int]
"""Left, top, right and bottom in pixels, from the top left corner."""

MAX_STATED_PIXELS = 100_000_000  # as the file declares; an A0 poster at 200 dpi has fewer
_DAMAGED = (
    "This picture is damaged and cannot be opened. Open it in a program for pictures, save it again, and upload that."
)
_LARGE = "This picture has {million} million pixels; at most 100 million can be read. Save it smaller, or in parts."


def read(data: bytes) -> Parsed:
    """The pages of a TIFF, or the single page of another picture, without text. Nothing is decoded."""
    image = open_image(data)
    with report_damage(_DAMAGED):
        pages = getattr(image, "n_frames", 1) if image.format == "TIFF" else 1
    sections = tuple(Section((), "", page=number) for number in range(1, pages + 1))
    return Parsed(FORMATS[image.format or ""], None, sections, pages)


def open_image(data: bytes, page: int = 1) -> Image:
    """Open one page of a picture without decoding it. Raises UnreadableDocument if it is damaged or too large."""
    from PIL import Image, JpegImagePlugin, MpoImagePlugin, PngImagePlugin, TiffImagePlugin, WebPImagePlugin

    assert JpegImagePlugin and MpoImagePlugin and PngImagePlugin and TiffImagePlugin and WebPImagePlugin
    Image.MAX_IMAGE_PIXELS = None  # our own limit applies below; a warning would reach nobody
    with report_damage(_DAMAGED):
        image = Image.open(io.BytesIO(data), formats=list(FORMATS))
        if page > 1:
            image.seek(page - 1)
    if image.width * image.height > MAX_STATED_PIXELS:
        raise UnreadableDocument(_LARGE.format(million=image.width * image.height // 1_000_000))
    return image
