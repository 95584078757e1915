"""Bytes to sections: what a file says, under which heading, on which page or lines."""

from __future__ import annotations

from importlib import import_module

from corpus.ingestion.readers.sniffing import refusal, sniff
from corpus.ingestion.readers.structure import (
    BOOK,
    CSV,
    DOCX,
    EPUB,
    HTML,
    IMAGES,
    MARKDOWN,
    PDF,
    PLAIN,
    PPTX,
    XLSX,
    Parsed,
    Section,
    UnreadableDocument,
    too_many,
)

__all__ = ["Parsed", "Section", "UnreadableDocument", "parse", "sniff"]

# Imported when they are needed: the process that reads a file does so once, and takes half its time to start.
_READERS = {
    PDF: "pdf.reader",
    DOCX: "office.word",
    PPTX: "office.slides",
    XLSX: "office.workbook",
    CSV: "delimited",
    HTML: "html.reader",
    EPUB: "epub",
    MARKDOWN: "markdown.reader",
    BOOK: "textbook.reader",
    PLAIN: "plain_text",
    **dict.fromkeys(IMAGES, "images"),
}


def parse(data: bytes, *, filename: str = "", most_pages: int | None = None) -> Parsed:
    """Read a document. Its kind is decided by content; the name only tells CSV and Markdown from plain text.

    Raises UnreadableDocument, whose message is meant for the teacher, for a file that is empty, damaged,
    protected by a password, or of a kind that is not supported, and for one of more than `most_pages` pages or slides.
    A page that may be a scan comes back as a section without text: see `Parsed.blank_pages`.
    """
    media_type = sniff(data, filename)
    reader = _READERS.get(media_type)
    if reader is None:
        raise UnreadableDocument(refusal(media_type))
    read = import_module(f"corpus.ingestion.readers.{reader}").read
    parsed: Parsed = read(data, most_pages=most_pages) if media_type == PDF else read(data)
    if most_pages and parsed.pages and parsed.pages > most_pages:
        raise too_many("slides" if media_type == PPTX else "pages", parsed.pages, most_pages)
    if not parsed.sections:
        raise UnreadableDocument("There is no text in this file.")
    return parsed
