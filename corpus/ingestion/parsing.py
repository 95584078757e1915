"""Parsing: from the bytes of a file to sections with headings, pages or lines."""

from __future__ import annotations

from contextlib import nullcontext
from dataclasses import replace
from importlib import import_module
from unicodedata import normalize

from corpus.ingestion.readers import structure as kinds
from corpus.ingestion.readers.sniffing import explain_refusal, sniff, sniff_head
from corpus.ingestion.readers.structure import Parsed, Section, UnreadableDocument, make_too_many_error, report_damage
from corpus.ingestion.readers.zip_package import ErrorMessages, check_package
from corpus.ingestion.sandbox.office import find_office

__all__ = ["HEAD", "Parsed", "Section", "UnreadableDocument", "find_early_refusal", "parse", "sniff"]

# Imported lazily: a parse worker reads a single file, and imports are half of its start-up time.
_READERS = {
    **{kinds.PDF: "pdf.reader", kinds.CSV: "rows", kinds.HTML: "html.reader", kinds.MARKDOWN: "markdown.reader"},
    **{kinds.BOOK: "textbook.reader", kinds.PLAIN: "plain_text", kinds.SUBTITLES: "subtitles", kinds.MAIL: "mail"},
    **{kinds.DOCX: "office.word", kinds.PPTX: "office.slides", kinds.XLSX: "office.workbook", kinds.RTF: "rich_text"},
    **{kinds.EPUB: "epub.reader", kinds.NOTEBOOK: "notebook", **dict.fromkeys(kinds.IMAGES, "images")},
    **dict.fromkeys(kinds.OPEN_DOCUMENT, "open_document"),
}
_AGAIN = "save it again, and upload that."
_PACKAGES = {
    kinds.DOCX: ErrorMessages("Word file", f"Open it in Word, {_AGAIN}"),
    kinds.PPTX: ErrorMessages("PowerPoint file", f"Open it in PowerPoint, {_AGAIN}"),
    kinds.XLSX: ErrorMessages("Excel file", f"Open it in Excel, {_AGAIN}"),
    kinds.EPUB: ErrorMessages("e-book", "Fetch it again from where it came from, and upload that."),
    **dict.fromkeys(kinds.OPEN_DOCUMENT, ErrorMessages("OpenDocument file", f"Open it in LibreOffice, {_AGAIN}")),
}
_MESSAGES = _PACKAGES | {
    kinds.MAIL: ErrorMessages("e-mail", "Save it again in the program that it is in, and upload that."),
    kinds.NOTEBOOK: ErrorMessages("notebook", "Save it again in Jupyter, and upload that."),
    kinds.RTF: ErrorMessages("rich text file", f"Open it in a word processor, {_AGAIN}"),
}

HEAD = 1 << 18
"""Bytes of a file that `find_early_refusal` wants."""


def find_early_refusal(head: bytes, filename: str) -> str | None:
    """Why a file that begins so cannot be read, for the teacher; None if it may be. Opens no archive."""
    media_type = sniff_head(head, filename)
    if media_type is None or media_type in _READERS or find_office(media_type):
        return None
    return explain_refusal(media_type, filename)


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
    messages = _MESSAGES.get(media_type)
    with report_damage(messages.damaged) if messages else nullcontext():
        if media_type in _PACKAGES:
            check_package(data, _PACKAGES[media_type])
        parsed: Parsed = read(data, most_pages=most_pages) if media_type == kinds.PDF else read(data)
    if most_pages and parsed.pages and parsed.pages > most_pages:
        what = "slides" if media_type in (kinds.PPTX, kinds.ODP) else "pages"
        raise make_too_many_error(what, parsed.pages, most_pages)
    if not parsed.sections:
        raise UnreadableDocument("There is no text in this file.")
    return _compose(parsed)


def _compose(parsed: Parsed) -> Parsed:
    """Write each letter with its accent as one sign (NFC), as people type it: macOS and some PDFs take them apart."""

    def compose(texts: tuple[str, ...]) -> tuple[str, ...]:
        return tuple(normalize("NFC", text) for text in texts)

    sections = []
    for one in parsed.sections:
        (text, *path), marks = compose((one.text, *one.heading_path)), compose(one.marks)
        sections.append(replace(one, text=text, heading_path=tuple(path), marks=marks))
    return replace(parsed, title=parsed.title and normalize("NFC", parsed.title), sections=tuple(sections))
