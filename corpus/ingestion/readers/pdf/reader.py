"""PDF files: text and tables page by page, with headings from the outline or from type sizes."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import reduce
from itertools import groupby

from corpus.ingestion.readers.pdf import headings as pdf_headings
from corpus.ingestion.readers.pdf.lines import PageLines, load_pdf
from corpus.ingestion.readers.pdf.page_objects import Sides, is_in_box
from corpus.ingestion.readers.pdf.paragraphs import Paragraph, carry_sentences, collect_words, join_lines, paragraphs
from corpus.ingestion.readers.pdf.words import Cell, Line, PdfTable, tidy
from corpus.ingestion.readers.structure import PDF, Parsed, SectionBuilder
from corpus.ingestion.readers.tables import find_depth, read_table, table_parts
from corpus.ingestion.readers.titles import sensible_title

Item = pdf_headings.PdfHeading | Paragraph | int


def read(data: bytes, *, most_pages: int | None = None) -> Parsed:
    """Sections of a PDF, each within one page, but for the end of a sentence. One without text is for recognition."""
    text = load_pdf(data, most_pages=most_pages)
    pages, running = pdf_headings.drop_running_lines([page.lines for page in text.pages])
    headings = pdf_headings.outline_headings(text.outline, pages) or pdf_headings.font_headings(pages)
    builder = SectionBuilder()
    builder.mark(mark for page in text.pages for mark in page.marks)
    for item in carry_sentences(_items(pages, headings, running)):
        if isinstance(item, pdf_headings.PdfHeading):
            builder.heading(item.level, item.title, page=item.page)
        elif isinstance(item, int):
            builder.blank(item)
        else:
            builder.paragraph(item.text, page=item.page)
    sections = builder.finish()
    title = sensible_title(text.title) or builder.title() or _largest_words(pages)
    notes = sorted(set().union(*(page.notes for page in text.pages)))
    pictures = tuple(_find_picture_pages(text.pages))
    return Parsed(PDF, title, sections, len(pages), tuple(notes), tuple(text.labels), pictures)


def _find_picture_pages(pages: Sequence[PageLines]) -> Iterator[int]:
    """Pages with text and a picture that may show more: not behind text, nor where the page before has one."""
    known: Sequence[Sides] = ()
    for number, page in enumerate(pages, start=1):
        new = [sides for sides in page.pictures if sides not in known]
        if page.lines and not all(any(is_in_box(line.left, line.y, sides) for line in page.lines) for sides in new):
            yield number
        known = page.pictures


def _largest_words(pages: Sequence[Sequence[Line]]) -> str | None:
    """The first heading of the largest size on page 1, if anything there is clearly larger than the body."""
    found = [heading for heading in pdf_headings.font_headings(pages) if heading.page == 1]
    return min(found, key=lambda heading: heading.level).title if found else None


def _items(
    pages: Sequence[Sequence[Line]], headings: Sequence[pdf_headings.PdfHeading], running: Sequence[tuple[int, str]]
) -> Iterator[Item]:
    """Headings, paragraphs, tables and the numbers of pages without text in order. A running line stands once."""
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


_SAME_SIDE = 6.0  # points between the sides of two parts of one table


def table_paragraphs(pages: Sequence[Sequence[Line]], words: frozenset[str]) -> dict[int, list[Paragraph]]:
    """The tables by the id of their line: a caption, and parts with the header, also of the page before."""
    body = pdf_headings.body_size(pages)
    found: dict[int, list[Paragraph]] = {}
    before: PdfTable | None = None
    page, header = 0, list[str]()  # of the table before
    for number, lines in enumerate(pages, start=1):
        for line in lines:
            if line.table:
                rows = [[_cell(cell, words) for cell in row] for row in line.table.rows]
                caption = _cell(line.table.caption, words)
                read = read_table(rows, depth=max(line.table.depth, find_depth(rows)))
                if not before or caption or page + 1 != number or not _goes_on(before, line.table):
                    header = read.header
                elif read.header != header:
                    read = read_table(rows, depth=0)
                texts = [part.text for part in table_parts(header, read.rows)]
                found[id(line)] = [Paragraph(text, number, 0.0, False) for text in (caption, *texts) if text]
                before, page = line.table, number
            elif pdf_headings.is_large(line, body) or not pdf_headings.is_at_edge(line):
                before = None
    return found


def _goes_on(before: PdfTable, table: PdfTable) -> bool:
    apart = max(abs(before.left - table.left), abs(before.right - table.right))
    return len(before.rows[0]) == len(table.rows[0]) and apart <= _SAME_SIDE


def _cell(lines: Cell, words: frozenset[str]) -> str:
    """The lines of a cell joined, with words that are broken between them mended."""

    def join(text: str, line: str) -> str:
        return join_lines(text.removesuffix("\xad"), line, text.endswith("\xad"), words)

    return tidy(reduce(join, lines)) if lines else ""
