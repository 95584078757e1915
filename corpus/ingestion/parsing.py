"""Parsing: from the bytes of a file to sections with headings, pages or lines."""

from __future__ import annotations

from dataclasses import replace
from importlib import import_module
from unicodedata import normalize

from corpus.ingestion.readers import structure as kinds
from corpus.ingestion.readers.sniffing import OCTETS, explain_refusal, guess_format_by_name, sniff, sniff_head
from corpus.ingestion.readers.structure import Parsed, Section, UnreadableDocument, make_too_many_error
from corpus.ingestion.sandbox.office import find_office

__all__ = ["HEAD", "Parsed", "Section", "UnreadableDocument", "find_early_refusal", "parse", "sniff"]

# Imported lazily: a parse worker reads a single file, and imports are half of its start-up time.
_READERS = {
    kinds.PDF: "pdf.reader",
    kinds.DOCX: "office.word",
    kinds.PPTX: "office.slides",
    kinds.XLSX: "office.workbook",
    kinds.CSV: "rows",
    kinds.HTML: "html.reader",
    kinds.EPUB: "epub.reader",
    kinds.MARKDOWN: "markdown.reader",
    kinds.BOOK: "textbook.reader",
    kinds.PLAIN: "plain_text",
    kinds.SUBTITLES: "subtitles",
    kinds.MAIL: "mail",
    kinds.NOTEBOOK: "notebook",
    kinds.RTF: "rich_text",
    **dict.fromkeys((kinds.ODT, kinds.ODS, kinds.ODP), "open_document"),
    **dict.fromkeys(kinds.IMAGES, "images"),
}


HEAD = 1 << 18
"""Bytes of a file that `find_early_refusal` wants."""


def find_early_refusal(head: bytes, filename: str) -> str | None:
    """Why a file that begins so cannot be read, for the teacher; None if it may be. Opens no archive."""
    media_type = sniff_head(head, filename)
    if media_type is None or media_type in _READERS or find_office(media_type):
        return None
    if media_type == OCTETS and (promised := guess_format_by_name(filename)):
        return (
            f"It is named like {promised}, but it is not one: it may be damaged, or another kind of file "
            "that was renamed. Open it in the program it was made with, save it again, and upload that."
        )
    return explain_refusal(media_type)


def parse(data: bytes, *, filename: str = "", most_pages: int | None = None) -> Parsed:
    """Parse a document. The content decides its format; the name only tells CSV and Markdown from plain text.

    A page that may be a scan becomes a section without text (`Parsed.blank_pages`). Raises UnreadableDocument, with a
    message for the teacher, if the file is empty, damaged, protected by a password or of an unsupported format, or has
    more than `most_pages` pages or slides.
    """
    media_type = sniff(data, filename)
    reader = _READERS.get(media_type)
    if reader is None:
        raise UnreadableDocument(explain_refusal(media_type))
    read = import_module(f"corpus.ingestion.readers.{reader}").read
    parsed: Parsed = read(data, most_pages=most_pages) if media_type == kinds.PDF else read(data)
    if most_pages and parsed.pages and parsed.pages > most_pages:
        what = "slides" if media_type in (kinds.PPTX, kinds.ODP) else "pages"
        raise make_too_many_error(what, parsed.pages, most_pages)
    if not parsed.sections:
        raise UnreadableDocument("There is no text in this file.")
    return _compose(parsed)


def _compose(parsed: Parsed) -> Parsed:
    """Write each letter with its accent as one sign (NFC), as people type it: macOS and some PDFs take them apart."""

    def compose(text: str) -> str:
        return normalize("NFC", text)

    sections = tuple(
        replace(
            one,
            text=compose(one.text),
            heading_path=tuple(map(compose, one.heading_path)),
            marks=tuple(map(compose, one.marks)),
        )
        for one in parsed.sections
    )
    return replace(parsed, title=compose(parsed.title) if parsed.title else parsed.title, sections=sections)
