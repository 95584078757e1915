"""Pictures of text: every page of one is a page without text, until something is recognised there."""

from __future__ import annotations

import io
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from corpus.ingestion.readers.structure import JPEG, PNG, TIFF, WEBP, Parsed, Section, UnreadableDocument

if TYPE_CHECKING:
    from PIL.Image import Image

FORMATS = {"PNG": PNG, "JPEG": JPEG, "TIFF": TIFF, "WEBP": WEBP, "MPO": JPEG}
"""Pillow's names. The last is a JPEG with more than one picture, as some cameras write it; the first counts."""

MAX_STATED_PIXELS = (
    100_000_000  # pixels, as the file states them; more than an A0 poster at 200 dots an inch has
)
_DAMAGED = (
    "This picture is damaged and cannot be opened. Open it in a program for pictures, "
    "save it again, and upload that."
)
_LARGE = "This picture has {million} million pixels; at most 100 million can be read. Save it smaller, or in parts."


def read(data: bytes) -> Parsed:
    """The pages of a TIFF, or the one page of another picture, without text and without decoding them."""
    image = open_image(data)
    with _damage_told():
        pages = getattr(image, "n_frames", 1) if image.format == "TIFF" else 1
    sections = tuple(Section((), "", page=number) for number in range(1, pages + 1))
    return Parsed(FORMATS[image.format or ""], None, sections, pages)


def open_image(data: bytes, page: int = 1) -> Image:
    """One page of a picture, not decoded yet. Raises UnreadableDocument when it is damaged or too large."""
    from PIL import Image, JpegImagePlugin, MpoImagePlugin, PngImagePlugin, TiffImagePlugin, WebPImagePlugin

    assert JpegImagePlugin and MpoImagePlugin and PngImagePlugin and TiffImagePlugin and WebPImagePlugin
    Image.MAX_IMAGE_PIXELS = None  # the limit is ours: a warning reaches nobody
    with _damage_told():
        image = Image.open(io.BytesIO(data), formats=list(FORMATS))
        if page > 1:
            image.seek(page - 1)
    if image.width * image.height > MAX_STATED_PIXELS:
        raise UnreadableDocument(_LARGE.format(million=image.width * image.height // 1_000_000))
    return image


@contextmanager
def _damage_told() -> Iterator[None]:
    """Whatever a decoder stumbles over becomes words for the teacher."""
    try:
        yield
    except MemoryError:
        raise
    except Exception as error:
        raise UnreadableDocument(_DAMAGED) from error
