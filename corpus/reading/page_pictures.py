"""Pages of a PDF as pictures, drawn in a process without rights (ADR 9) and kept in memory for a while.

What is kept is of one version of a document, whose file never changes. Who may see it is checked before by the view.
"""

from __future__ import annotations

import io
import json
import logging
import threading
from collections import OrderedDict
from dataclasses import dataclass
from typing import IO, Any

from corpus.ingestion.readers.images import MAX_VIEW_PIXELS, MAX_WORDS, Box
from corpus.ingestion.readers.structure import PDF
from corpus.ingestion.sandbox.runner import run_worker
from corpus.models import Version

logger = logging.getLogger(__name__)

SECONDS = 20
"""For one page. Somebody waits for it."""
MAX_KEPT = 32 * 1024 * 1024
"""Bytes of the pictures that a process keeps; those that were asked for longest ago go first."""
MAX_SIDE = 16_383
"""Pixels of a side, which is WebP's limit. At 130 dpi that is a page of more than three metres."""
_SHADES = [17 * round(shade / 17) for shade in range(256)]
"""By each of 256 shades of grey the nearest of 16. Text is as readable, and its picture a fifth smaller."""
_AT_ONCE = threading.BoundedSemaphore(2)
_HEAD = 1024 * 1024  # bytes before the pixels

Words = tuple[tuple[str, tuple[Box, ...]], ...]


class PageNotDrawn(Exception):
    """The page cannot be drawn. The message is for the reader."""


@dataclass(frozen=True)
class PagePicture:
    """A page as WebP, with its words and their boxes in pixels. A page without colours has 16 shades of grey; one with
    colours is drawn without loss."""

    width: int
    height: int
    data: bytes
    words: Words


class _PictureCache:
    """The pictures of this process by version and page."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._pictures: OrderedDict[tuple[str, int, int], PagePicture] = OrderedDict()

    def get(self, key: tuple[str, int, int]) -> PagePicture | None:
        with self._lock:
            if key in self._pictures:
                self._pictures.move_to_end(key)
            return self._pictures.get(key)

    def put(self, key: tuple[str, int, int], picture: PagePicture) -> None:
        with self._lock:
            self._pictures[key] = picture
            while len(self._pictures) > 1 and sum(len(one.data) for one in self._pictures.values()) > MAX_KEPT:
                self._pictures.popitem(last=False)

    def clear(self) -> None:
        with self._lock:
            self._pictures.clear()


kept_pictures = _PictureCache()


def has_pages(version: Version) -> bool:
    """Whether pages of this version can be drawn: it is a PDF."""
    return version.media_type == PDF and bool(version.file)


def page_picture(version: Version, page: int) -> PagePicture:
    """Page number `page`, from 1, of a version that `has_pages`. Raises PageNotDrawn."""
    key = (version._meta.label, version.pk, page)
    if found := kept_pictures.get(key):
        return found
    if not _AT_ONCE.acquire(timeout=15):
        raise PageNotDrawn("Too many pages are being drawn at the moment. Please try again in a minute.")
    try:
        with version.file.open("rb") as file:
            picture = _drawn(file, page)
    except FileNotFoundError:
        raise PageNotDrawn("This server cannot reach the file just now. Please try again later.") from None
    finally:
        _AT_ONCE.release()
    kept_pictures.put(key, picture)
    return picture


def _drawn(file: IO[bytes], page: int) -> PagePicture:
    reply, code = run_worker(file, seconds=SECONDS, limit=_HEAD + 3 * MAX_VIEW_PIXELS + 4096, order={"page": page})
    if code is None:
        raise PageNotDrawn("Drawing this page takes too long. Download the file to see it.")
    if code != 0:
        logger.error("The process that shows pages ended with code %d.", code)
    picture = _picture(reply) if code == 0 else None
    if picture is None:
        raise PageNotDrawn("This page cannot be drawn. Download the file to see it.")
    return picture


def _picture(reply: bytes) -> PagePicture | None:
    """The picture in a reply. The reply is not trusted: a file may have taken over the process."""
    head, _, pixels = reply.partition(b"\n")
    try:
        told: dict[str, Any] = json.loads(head)
        width, height = told["width"], told["height"]
        words = tuple((str(text), tuple(_box(box, width, height) for box in boxes)) for text, boxes in told["words"])
        if (
            len(pixels) != 3 * width * height
            or not 0 < width * height <= 2 * MAX_VIEW_PIXELS
            or max(width, height) > MAX_SIDE
        ):
            return None
    except (ValueError, TypeError, KeyError, RecursionError):
        return None
    return PagePicture(width, height, _webp(pixels, width, height), words[:MAX_WORDS])


def _webp(pixels: bytes, width: int, height: int) -> bytes:
    from PIL import Image, ImageChops

    image = Image.frombytes("RGB", (width, height), pixels)
    red, green, blue = image.split()
    if not any(ImageChops.difference(red, other).getbbox() for other in (green, blue)):
        image = red.point(_SHADES).convert("RGB")
    file = io.BytesIO()
    image.save(file, "WEBP", lossless=True)
    return file.getvalue()


def _box(sides: Any, width: int, height: int) -> Box:
    left, top, right, bottom = (int(side) for side in sides)
    if not (0 <= left <= right <= width and 0 <= top <= bottom <= height):
        raise ValueError("outside of the picture")
    return left, top, right, bottom
