"""Text recognition (OCR): pages without text, and pictures on the others, are drawn in one process and read in another.

The other process is Tesseract (ADR 9).
"""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import IO

from django.conf import settings

from corpus.ingestion.ocr.tesseract import RecognitionTimeout, Tesseract, page_reply
from corpus.ingestion.parsing import Parsed, Section, UnreadableDocument
from corpus.ingestion.readers.images import MAX_PIXELS
from corpus.ingestion.readers.structure import IMAGES
from corpus.ingestion.sandbox.runner import TOO_MUCH_TEXT, run_worker
from corpus.page_ranges import format_pages

MAX_SLOW_PAGES = 2
"""After this many timeouts the rest of a document is skipped, since it would delay all other documents."""

_SHARE = 0.5  # of the time limit of the Celery task; the rest is for parsing and embedding
_PICTURE = re.compile(rb"P5\n(\d{1,5}) (\d{1,5})\n255\n")  # before the pixels
_MAX_BYTES = int(1.01 * MAX_PIXELS)  # of a picture, whose sides were rounded

_SCAN = (
    "This PDF has no text: it looks like a scan. Run it through text recognition (OCR) and upload the result, "
    "or upload the document it was made from."
)
_IMAGE = (
    "This is a picture. Text in pictures can be read only where text recognition (Tesseract) is installed, and here it "
    "is not. Upload the document that it was made from, or tell your operator."
)
_NOTHING = (
    "No text could be recognised in this file: it is blank, too faint, or a picture without text. Scan it again, "
    "straight and with more contrast, or upload the document that it was made from."
)


def recognise_pages(
    parsed: Parsed, file: IO[bytes], tesseract: Tesseract | None, note: Callable[[int, int], None]
) -> tuple[Parsed, tuple[int, ...]]:
    """The document with recognised text on its blank pages, and the numbers of the pages that got text.

    `note` is called before each page with the number of finished pages and of all pages; an exception of it ends the
    work. Pages that could not be read are listed in the notes. Raises UnreadableDocument if there is no text in the
    end, and OSError if processes cannot be started.
    """
    blank = parsed.blank_pages
    texts = {} if tesseract is None else _recognised(parsed, file, tesseract, note)
    sections = tuple(_filled(parsed.sections, texts))
    if sum(len(text or "") for text in texts.values()) > settings.LECTERN_MAX_CHARACTERS:
        raise UnreadableDocument(TOO_MUCH_TEXT.format(characters=settings.LECTERN_MAX_CHARACTERS))
    if not sections:
        raise UnreadableDocument(_NOTHING if tesseract else _IMAGE if parsed.media_type in IMAGES else _SCAN)
    notes = (*parsed.notes, *_notes(blank, texts, installed=tesseract is not None))
    if unread := [page for page in parsed.picture_pages if texts.get(page) is None]:
        notes = (*notes, f"Pictures on {format_pages(unread).lower()} were not read.")
    found = tuple(page for page in sorted((*blank, *parsed.picture_pages)) if texts.get(page))
    return replace(parsed, sections=sections, notes=notes), found


def _filled(sections: Sequence[Section], texts: Mapping[int, str | None]) -> Iterator[Section]:
    """The sections with text, and the text of pictures behind the last one of their page."""
    for section, following in zip(sections, [*sections[1:], None], strict=True):
        text = texts.get(section.page or 0) or ""
        if section.text:
            yield section
            if section.page and following and following.page == section.page:
                continue
        if text:
            yield replace(section, text=text)


def _recognised(
    parsed: Parsed, file: IO[bytes], tesseract: Tesseract, note: Callable[[int, int], None]
) -> dict[int, str | None]:
    """The text of each page that was tried: "" if there is none on it, None if it could not be recognised."""
    blank = parsed.blank_pages
    chosen, slow = (*blank, *parsed.picture_pages)[: settings.LECTERN_OCR_PAGES], 0
    texts: dict[int, str | None] = {}
    end = time.monotonic() + _SHARE * settings.CELERY_TASK_TIME_LIMIT
    for done, page in enumerate(chosen):
        if slow == MAX_SLOW_PAGES or time.monotonic() > end:
            break
        note(done, len(chosen))
        texts[page] = None
        try:
            picture = _draw(file, parsed.media_type, page, page not in blank)
            if picture is not None:
                texts[page] = tesseract.read(picture) if picture else ""
        except RecognitionTimeout:
            slow += 1
    return texts


def _draw(file: IO[bytes], media_type: str, page: int, only_pictures: bool = False) -> bytes | None:
    """One page as a picture in PGM, empty if it is blank. None if it cannot be drawn. Raises RecognitionTimeout."""
    order = {"media_type": media_type, "page": page, "only_pictures": only_pictures}
    done = run_worker(file, seconds=settings.LECTERN_OCR_SECONDS, limit=_MAX_BYTES, order=order)
    reply = page_reply("The process that draws pages", *done)
    return reply if reply == b"" or is_picture(reply or b"") else None


def is_picture(reply: bytes) -> bool:
    """Whether a reply is a picture in PGM. It is not trusted: a file may have taken over the process."""
    head = _PICTURE.match(reply)
    return head is not None and 0 < int(head[1]) * int(head[2]) == len(reply) - head.end()


def _notes(blank: Sequence[int], texts: Mapping[int, str | None], *, installed: bool) -> Iterator[str]:
    empty = [page for page in blank if texts.get(page) == ""]
    failed = [page for page in blank if texts.get(page, "") is None]
    left = [page for page in blank if page not in texts]
    if empty:
        yield f"{format_pages(empty)} {_have(empty)} no text."
    if failed:
        yield f"{format_pages(failed)} could not be recognised."
    if left and not installed:
        yield f"{format_pages(left)} {_have(left)} no text ({'they may be scans' if left[1:] else 'it may be a scan'})."
    elif left:
        most = settings.LECTERN_OCR_PAGES
        why = f"at most {most} pages of a document are recognised" if len(blank) > most else "it took too long"
        yield f"{format_pages(left)} {_have(left)} no text that could be searched: {why}. Split the file into parts."


def _have(pages: Sequence[int]) -> str:
    return "have" if len(pages) > 1 else "has"
