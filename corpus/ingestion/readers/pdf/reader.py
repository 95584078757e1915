"""PDF files: text and tables page by page, with headings from the outline or from type sizes."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import reduce
from itertools import groupby
from typing import NamedTuple

from corpus.ingestion.readers.pdf import headings as pdf_headings
from corpus.ingestion.readers.pdf.lines import PageLines, load_pdf
from corpus.ingestion.readers.pdf.page_objects import is_in_box
from corpus.ingestion.readers.pdf.paragraphs import Paragraph, carry_sentences, collect_words, join_lines, paragraphs
from corpus.ingestion.readers.pdf.words import Cell, Line, tidy
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
    items: list[Item] = carry_sentences(_items(pages, headings, running))
    for item in items:
        if isinstance(item, pdf_headings.PdfHeading):
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


class _OpenTable(NamedTuple):
    """The last table of a page, which may go on on the next one."""

    page: int
    header: list[str]  # empty names, if it has none
    left: float
    right: float

    def goes_on(self, after: _OpenTable) -> bool:
        apart = max(abs(self.left - after.left), abs(self.right - after.right))
        return self.page + 1 == after.page and len(self.header) == len(after.header) and apart <= _SAME_SIDE


def table_paragraphs(pages: Sequence[Sequence[Line]], words: frozenset[str]) -> dict[int, list[Paragraph]]:
    """The tables by the id of their line: a caption, and parts with the header, also of the page before."""
    body = pdf_headings.body_size(pages)
    found: dict[int, list[Paragraph]] = {}
    before: _OpenTable | None = None
    for number, lines in enumerate(pages, start=1):
        for line in lines:
            if line.table:
                rows = [[_cell(cell, words) for cell in row] for row in line.table.rows]
                caption = _cell(line.table.caption, words)
                read = read_table(rows, depth=max(line.table.depth, find_depth(rows)))
                own = _OpenTable(number, read.header, line.table.left, line.table.right)
                if before and not caption and before.goes_on(own):
                    read = read if read.header == before.header else read_table(rows, depth=0)
                    own = own._replace(header=before.header)
                texts = [part.text for part in table_parts(own.header, read.rows)]
                found[id(line)] = [Paragraph(text, number, 0.0, False) for text in (caption, *texts) if text]
                before = own
            elif pdf_headings.is_large(line, body) or not pdf_headings.is_at_edge(line):
                before = None
    return found


def _cell(lines: Cell, words: frozenset[str]) -> str:
    """The lines of a cell joined, with words that are broken between them mended."""
    if not lines:
        return ""
    return tidy(
        reduce(lambda text, line: join_lines(text.removesuffix("\xad"), line, text.endswith("\xad"), words), lines)
    )
