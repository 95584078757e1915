"""PDF files: text page by page, with headings from the outline or from type sizes."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from corpus.ingestion.readers.pdf.headings import PdfHeading, font_headings, outline_headings
from corpus.ingestion.readers.pdf.lines import Line, RawPdf, load_pdf
from corpus.ingestion.readers.pdf.margins import without_running_lines
from corpus.ingestion.readers.pdf.paragraphs import Paragraph, carried_over, paragraphs, words_of
from corpus.ingestion.readers.structure import PDF, Parsed, SectionBuilder, one_line

_JUNK_TITLE = re.compile(
    r"untitled|unbenannt|document\d*|dokument\d*|microsoft \w+ - .*|.*\.(docx?|pdf|odt|rtf|indd|tex|dvi|pptx?|xlsx?)",
    re.IGNORECASE,
)


@dataclass(frozen=True)
class _Blank:
    """A page without text."""

    page: int


def read(data: bytes, *, most_pages: int | None = None) -> Parsed:
    """Sections of a PDF, each within one page, except that a sentence stays on the page where it begins.

    A page without text becomes a section without text under the current headings.
    """
    raw = load_pdf(data, most_pages=most_pages)
    pages = without_running_lines(raw.pages)
    headings = outline_headings(raw.outline, pages) or font_headings(pages)
    builder = SectionBuilder()
    items: Iterator[Paragraph | PdfHeading | _Blank] = carried_over(list(_items(pages, headings)))
    for item in items:
        if isinstance(item, PdfHeading):
            builder.heading(item.level, item.title, page=item.page)
        elif isinstance(item, _Blank):
            builder.blank(item.page)
        else:
            builder.paragraph(item.text, page=item.page)
    sections = builder.finish()
    return Parsed(PDF, _stated_title(raw) or builder.title(), sections, len(pages))


def _items(
    pages: Sequence[Sequence[Line]], headings: Sequence[PdfHeading]
) -> Iterator[PdfHeading | Paragraph | _Blank]:
    """Headings, paragraphs and pages without text in reading order."""
    words = words_of(pages)
    for number, lines in enumerate(pages, start=1):
        position = 0
        for heading in (heading for heading in headings if heading.page == number):
            yield from paragraphs(lines[position : heading.start], number, words)
            yield heading
            position = heading.stop
        yield from paragraphs(lines[position:], number, words)
        if not lines:
            yield _Blank(number)


def _stated_title(raw: RawPdf) -> str | None:
    title = one_line(raw.title)
    return None if _JUNK_TITLE.fullmatch(title) else title or None
