"""Opens PDFs and extracts their lines, outline and title as plain values."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass, replace
from itertools import groupby
from statistics import median

from pypdfium2 import PdfDocument, PdfiumError, PdfMatrix, PdfPage, raw

from corpus.ingestion.readers.pdf import left_out, page_objects
from corpus.ingestion.readers.pdf.columns import aligned_tables, hints_at_columns, in_columns
from corpus.ingestion.readers.pdf.letters import PageLetters, Span
from corpus.ingestion.readers.pdf.raised import write_dingbats, write_raised
from corpus.ingestion.readers.pdf.ruled_tables import grid_tables
from corpus.ingestion.readers.pdf.words import Line, PdfTable, Word, tidy
from corpus.ingestion.readers.structure import MAX_LABEL, UnreadableDocument, clean, make_too_many_error

_MAX_DRAWN = 150  # pages; drawing takes ten times as long as reading
_PROTECTED = "This PDF is protected by a password. Save a copy without the password and upload that."
_DAMAGED = "This PDF is damaged and cannot be opened. Open it in a PDF reader, save it again, and upload that."
COMMENTS, STRUCK, HIDDEN = "Comments were left out.", "Crossed-out text was left out.", "Hidden text was left out."
MARK = "A watermark was left out."
_LEADERS = re.compile(r" ?(?:\. ?){5,}")  # dots in a table of contents


@dataclass(frozen=True)
class OutlineEntry:
    level: int  # from 1
    title: str
    page: int | None  # from 1
    y: float | None


@dataclass(frozen=True)
class PageLines:
    """The lines of one page, what was left out of it, and where its pictures are."""

    lines: list[Line]
    notes: set[str]
    pictures: tuple[page_objects.Sides, ...]
    is_drawn: bool  # to see whether some of its text is hidden
    marks: list[str]  # as those of `Section`


@dataclass(frozen=True)
class PdfText:
    pages: list[PageLines]
    outline: list[OutlineEntry]
    title: str  # "" if it has none
    labels: list[str]  # the printed number of each page, "" where it is the usual one; [] if all are


def load_pdf(data: bytes, *, most_pages: int | None = None) -> PdfText:
    """The text of a PDF. Raises UnreadableDocument if it is damaged, needs a password or has too many pages."""
    with open_document(data) as document:
        if most_pages and len(document) > most_pages:
            raise make_too_many_error("pages", len(document), most_pages)
        if document.get_formtype():
            document.init_forms()
        labels = [clean(document.get_page_label(number)).strip()[:MAX_LABEL] for number in range(len(document))]
        labels = ["" if label == str(number) else label for number, label in enumerate(labels, start=1)]
        pages: list[PageLines] = []
        drawn = 0
        for page in document:
            pages.append(_read_page(page, may_draw=drawn < _MAX_DRAWN))
            drawn += pages[-1].is_drawn
        title = tidy(document.get_metadata_value("Title"))
        return PdfText(pages, list(_outline(document)), title, labels if any(labels) else [])


@contextmanager
def open_document(data: bytes) -> Iterator[PdfDocument]:
    """The document of PDFium. Raises UnreadableDocument if it cannot be opened, or read later."""
    try:
        with closing(PdfDocument(data)) as document:
            yield document
    except PdfiumError as error:
        is_protected = error.err_code in (raw.FPDF_ERR_PASSWORD, raw.FPDF_ERR_SECURITY)
        raise UnreadableDocument(_PROTECTED if is_protected else _DAMAGED) from error


def _outline(document: PdfDocument) -> Iterator[OutlineEntry]:
    for bookmark in document.get_toc():
        target = bookmark.get_dest()
        page = target.get_index() if target else None
        view = target.get_view()[1] if target else []
        y = view[1] if len(view) > 1 else view[0] if view else None
        yield OutlineEntry(bookmark.level + 1, tidy(bookmark.get_title()), None if page is None else page + 1, y)


def _read_page(page: PdfPage, *, may_draw: bool) -> PageLines:
    """The lines of a page in reading order. `may_draw` allows to look whether suspicious text can be seen."""
    textpage = page.get_textpage()
    try:
        rotation = page.get_rotation()
        turn = _quarter_turn(rotation, *page.get_size())
        objects, text = page_objects.find_objects(page), PageLetters(textpage, turn, rotation)
        sides = (0.0, 0.0, *page.get_size()) if rotation else page.get_bbox()
        pictures = [turn.on_rect(*picture) for picture in objects.pictures]
        rules = page_objects.page_rules(page, objects.paths, turn) if objects.paths else page_objects.Rules()
        text.borders = rules.vertical
        found = left_out.read_annotations(page, turn, len(text.text))
        text.strikes = sorted([*rules.horizontal, *found.strikeouts])
        notes: set[str] = {COMMENTS} if found.has_comments else set()
        spans = list(text.spans())
        body = median(span.size for span in spans) if spans else 0.0
        if marks := [span for span in spans if left_out.is_watermark(text, span, body)]:
            spans = [span for span in spans if span not in marks]
            notes.add(MARK)
        write_dingbats(text)
        spans = write_raised(text, spans)
        by_line = [list(text.words(span)) for span in spans]
        words = [word for line in by_line for word in line]
        if struck := list(left_out.struck_words(words, text.strikes)):
            notes.add(STRUCK)
        hidden = [word for word in words if not page_objects.is_in_box(word.left, word.y, sides)]
        if objects.may_hide and may_draw:
            hidden += left_out.unseen_words(page, textpage, words, pictures)
        if hidden:
            notes.add(HIDDEN)
        gone = {word.start: word for word in (*struck, *hidden, *left_out.line_numbers(by_line))}
        for word in gone.values():
            text.written.update(dict.fromkeys(range(word.start, word.stop), ""))
        words = [word for word in words if word.start not in gone]
        is_aligned = hints_at_columns(spans, words)
        tables = _find_tables(rules, [*words, *found.fields], is_aligned)
        words = _without(words, tables)
        apart = left_out.write_fields(text, words, _without(found.fields, tables))
        spans = in_columns(text, spans, words) if is_aligned else spans
        lines = _with_texts(list(_lines(text, spans, tables, sides)), [*apart, *found.boxes])
        emphasised = list(_find_marks(text, by_line))
        return PageLines(lines, notes, page_objects.readable_pictures(pictures), objects.may_hide, emphasised)
    finally:
        textpage.close()
        page.close()


def _quarter_turn(rotation: int, width: float, height: float) -> PdfMatrix:
    """From a point of the page to where it is displayed, with this size, turned clockwise."""
    turned = {90: (0, -1, 1, 0, 0, height), 180: (-1, 0, 0, -1, width, height), 270: (0, 1, -1, 0, width, 0)}
    return PdfMatrix(*turned.get(rotation, ()))


def _find_tables(rules: page_objects.Rules, words: Sequence[Word], is_aligned: bool) -> list[PdfTable]:
    """The tables that these words make, also those that stand sideways, in the order in which they were drawn."""
    found: list[PdfTable] = []
    for turns in sorted({word.turns for word in words}):
        turned = rules.turned(turns)
        if len(turned.horizontal) > 1:
            found += grid_tables(turned, [word.turned(turns) for word in _without(words, found)])
        if is_aligned:
            found += aligned_tables([word.turned(turns) for word in _without(words, found)])
    return sorted(found, key=lambda table: min(table.words))


def _without(words: Sequence[Word], tables: Sequence[PdfTable]) -> list[Word]:
    taken = frozenset().union(*(table.words for table in tables))
    return [word for word in words if word.start not in taken]


def _find_marks(page: PageLetters, lines: Sequence[Sequence[Word]]) -> Iterator[str]:
    """Yield the words in bold, but for those of whole lines, which are headings."""
    words: list[tuple[Word, bool]] = []
    for line in lines:
        bold = {word.start for word in line if page.is_bold(word.start)}
        words += [(word, word.start in bold and len(bold) < len(line)) for word in line]
    for is_marked, run in groupby(words, lambda one: one[1]):
        text = tidy(" ".join(word.text for word, _ in run)) if is_marked else ""
        for part in re.split(r"[.,:;]\s", text):
            if len(term := part.strip(" .,:;()")) > 1:
                yield f"**{term}**"


def _lines(
    page: PageLetters, spans: Sequence[Span], tables: Sequence[PdfTable], sides: page_objects.Sides
) -> Iterator[Line]:
    """The lines in reading order. A table stands where its first word does, without the lines of its cells."""
    inside = {index: table for table in tables for index in table.words}
    done = set[int]()
    for part, table in (one for span in spans for one in page.cut(span, inside)):
        line = _line(page, part, sides)
        if table and id(table) not in done:
            done.add(id(table))
            yield replace(line, text="", size=0.0, hyphen=False, table=table)
        elif not table and line.text:
            yield line


def _line(page: PageLetters, span: Span, sides: page_objects.Sides) -> Line:
    text = page.read(span.start, span.stop)
    _, bottom, _, top = sides
    depth = (top - span.y) / (top - bottom) if top > bottom else 0.5
    hyphen = text.rstrip().endswith("\xad")
    text += "-" * (page.text[span.stop : span.stop + 1] == "\x02")
    text = _LEADERS.sub(" … ", tidy(text))
    return Line(text, span.size, span.left, span.right, span.y, depth, hyphen)


def _with_texts(lines: list[Line], texts: Sequence[Word]) -> list[Line]:
    """The lines with texts that are drawn over the page, each before the first line that stands below it."""
    size = median(line.size for line in lines) if lines else 10.0
    for text in texts:
        place = next((number for number, line in enumerate(lines) if line.y < text.y), len(lines))
        lines.insert(place, Line(tidy(text.text), size, text.left, text.right, text.y))
    return lines
