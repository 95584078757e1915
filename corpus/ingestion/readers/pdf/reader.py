"""PDF files: text page by page, with headings from the outline or from type sizes."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby

from corpus.ingestion.readers.pdf.headings import PdfHeading, font_headings, outline_headings
from corpus.ingestion.readers.pdf.lines import Line, PageLines, load_pdf
from corpus.ingestion.readers.pdf.margins import drop_running_lines
from corpus.ingestion.readers.pdf.page_objects import is_in_box
from corpus.ingestion.readers.pdf.paragraphs import Paragraph, carry_sentences_over, collect_words, paragraphs
from corpus.ingestion.readers.pdf.table_text import table_paragraphs
from corpus.ingestion.readers.structure import PDF, Parsed, SectionBuilder
from corpus.ingestion.readers.titles import sensible_title

Item = PdfHeading | Paragraph | int


def read(data: bytes, *, most_pages: int | None = None) -> Parsed:
    """Sections of a PDF, each within one page, except that a sentence stays on the page where it begins.

    A page without text becomes a section without text under the current headings.
    """
    text = load_pdf(data, most_pages=most_pages)
    pages, running = drop_running_lines([page.lines for page in text.pages])
    headings = outline_headings(text.outline, pages) or font_headings(pages)
    builder = SectionBuilder()
    builder.mark(mark for page in text.pages for mark in page.marks)
    items: Iterator[Item] = carry_sentences_over(list(_items(pages, headings, running)))
    for item in items:
        if isinstance(item, PdfHeading):
            builder.heading(item.level, item.title, page=item.page)
        elif isinstance(item, int):
            builder.blank(item)
        else:
            builder.paragraph(item.text, page=item.page)
    sections = builder.finish()
    title = sensible_title(text.title) or builder.title() or _largest_words(pages)
    notes = sorted(set().union(*(page.notes for page in text.pages)))
    pictures = tuple(
        number
        for number, (page, before) in enumerate(zip(text.pages, [None, *text.pages], strict=False), start=1)
        if page.lines and _has_picture(page, before)
    )
    return Parsed(PDF, title, sections, len(pages), tuple(notes), tuple(text.labels), pictures)


def _has_picture(page: PageLines, before: PageLines | None) -> bool:
    """Whether a picture may show text: not one behind text, and not one that the page before has at the same place."""
    known = before.pictures if before else ()
    return any(
        sides not in known and not any(is_in_box(line.left, line.y, sides) for line in page.lines)
        for sides in page.pictures
    )


def _largest_words(pages: Sequence[Sequence[Line]]) -> str | None:
    """The first heading of the largest size on page 1, if anything there is clearly larger than the body."""
    found = [heading for heading in font_headings(pages) if heading.page == 1]
    return min(found, key=lambda heading: heading.level).title if found else None


def _items(
    pages: Sequence[Sequence[Line]], headings: Sequence[PdfHeading], running: Sequence[tuple[int, str]]
) -> Iterator[Item]:
    """Headings, paragraphs, tables and the numbers of pages without text in reading order.

    A running line stands once, under the first heading of its page.
    """
    titles = {heading.title for heading in headings}
    words = collect_words(line.text for lines in pages for line in lines)
    tables = table_paragraphs(pages, words)
    for number, lines in enumerate(pages, start=1):
        position = 0
        once = [Paragraph(line, page, 0.0, False) for page, line in running if page == number and line not in titles]
        for heading in (heading for heading in headings if heading.page == number):
            yield from _running(lines[position : heading.start], number, words, tables)
            yield heading
            yield from once
            position, once = heading.stop, []
        yield from once
        yield from _running(lines[position:], number, words, tables)
        if not lines:
            yield number


def _running(
    lines: Sequence[Line], page: int, words: frozenset[str], tables: Mapping[int, Sequence[Paragraph]]
) -> Iterator[Paragraph]:
    """Paragraphs and tables of lines of one page. `tables` has each table under the id of its line."""
    for is_table, group in groupby(lines, key=lambda line: line.table is not None):
        if is_table:
            yield from (part for line in group for part in tables[id(line)])
        else:
            yield from paragraphs(list(group), page, words)
