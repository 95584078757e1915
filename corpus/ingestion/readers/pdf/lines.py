"""Opens PDFs and extracts their lines, outline and title as plain values."""

from __future__ import annotations

import ctypes
import math
import re
import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass, replace
from itertools import groupby
from statistics import median
from typing import TYPE_CHECKING, Any

from corpus.ingestion.readers.pdf.cells import PdfTable, PlacedTable
from corpus.ingestion.readers.pdf.tables import tables_on
from corpus.ingestion.readers.structure import UnreadableDocument, clean, too_many

if TYPE_CHECKING:
    from pypdfium2 import PdfDocument, PdfPage, PdfTextPage

_LOCK = threading.Lock()  # PDFium has global state and is not thread-safe
_SAMPLES = 7  # letters of a line whose size is measured
_LIGATURES = str.maketrans({"ﬀ": "ff", "ﬁ": "fi", "ﬂ": "fl", "ﬃ": "ffi", "ﬄ": "ffl", "ﬅ": "st", "ﬆ": "st", "\xa0": " "})
_LEADERS = re.compile(r" ?(?:\. ?){5,}")  # dots in a table of contents


@dataclass(frozen=True)
class Line:
    """A line of a page. Lengths are in points; y grows upwards, as in PDF."""

    text: str
    size: float  # of most of its letters
    left: float
    right: float  # start of the last letter
    y: float  # of the baseline
    depth: float = 0.5  # 0 at the top edge of the page, 1 at the bottom
    hyphen: bool = False  # whether its last word continues on the next line
    table: PdfTable | None = None  # stands here instead of a line; the text is empty


@dataclass(frozen=True)
class OutlineEntry:
    """An entry of the outline."""

    level: int  # from 1
    title: str
    page: int | None  # from 1
    y: float | None


def load_pdf(data: bytes, *, most_pages: int | None = None) -> tuple[list[list[Line]], list[OutlineEntry], str]:
    """The lines of each page, the outline and the title of a PDF, "" if it has none.

    Raises UnreadableDocument if it is damaged, needs a password or has too many pages.
    The pages are counted before any is read.
    """
    with open_document(data) as document:
        if most_pages and len(document) > most_pages:
            raise too_many("pages", len(document), most_pages)
        pages = [_lines(document[number]) for number in range(len(document))]
        return pages, list(_outline(document)), clean(document.get_metadata_value("Title"))


@contextmanager
def open_document(data: bytes) -> Iterator[PdfDocument]:
    """The document of PDFium, for one thread at a time. Raises UnreadableDocument if it cannot be opened."""
    import pypdfium2

    with _LOCK:
        try:
            with closing(pypdfium2.PdfDocument(data)) as document:
                yield document
        except pypdfium2.PdfiumError as error:
            raise UnreadableDocument(_reason(error)) from error


def _reason(error: Any) -> str:
    from pypdfium2 import raw

    if error.err_code in (raw.FPDF_ERR_PASSWORD, raw.FPDF_ERR_SECURITY):
        return "This PDF is protected by a password. Save a copy without the password and upload that."
    return "This PDF is damaged and cannot be opened. Open it in a PDF reader, save it again, and upload that."


def _outline(document: PdfDocument) -> Iterator[OutlineEntry]:
    for bookmark in document.get_toc():
        target = bookmark.get_dest()
        page = target.get_index() if target else None
        view = target.get_view()[1] if target else []
        y = view[1] if len(view) > 1 else view[0] if view else None
        yield OutlineEntry(bookmark.level + 1, clean(bookmark.get_title()), None if page is None else page + 1, y)


def _lines(page: PdfPage) -> list[Line]:
    """The lines of a page in drawing order."""
    textpage = page.get_textpage()
    try:
        _, bottom, _, top = page.get_mediabox()
        reader = _TextPage(textpage)
        spans = list(reader.spans())
        tables = tables_on(page, textpage.raw, reader.text, spans)
        return list(reader.lines(spans, tables, top, bottom))
    finally:
        textpage.close()
        page.close()


class _TextPage:
    """The characters of one page by index."""

    def __init__(self, textpage: PdfTextPage) -> None:
        from pypdfium2 import raw

        # The raw handle is faster: the wrapper would be unwrapped for every letter.
        self._raw, self._page = raw, textpage.raw
        letter = raw.FPDFText_GetUnicode
        self.text = "".join([chr(letter(self._page, index)) for index in range(textpage.count_chars())])
        self._matrix = raw.FS_MATRIX()
        self._x, self._y = ctypes.c_double(), ctypes.c_double()

    def spans(self) -> Iterator[tuple[int, int]]:
        """The index ranges of lines. PDFium joins hyphenated words and marks the line end by U+0002."""
        start = 0
        for index, character in enumerate(self.text + "\n"):
            if character in "\r\n\x02":
                if index > start:
                    yield start, index
                start = index + 1

    def lines(
        self, spans: Sequence[tuple[int, int]], tables: Sequence[PlacedTable], top: float, bottom: float
    ) -> Iterator[Line]:
        """The lines in drawing order. A table stands where its first letter does, without the lines of its cells."""
        inside = {index: table for table in tables for index in table.glyphs}
        waiting = {id(table) for table in tables}
        for start, stop in spans:
            for first, last, placed in _parts(start, stop, self.text, inside):
                line = self.line(first, last, top, bottom)
                if placed is None:
                    if line.text:
                        yield line
                elif id(placed) in waiting:
                    waiting.remove(id(placed))
                    yield replace(line, text="", size=0.0, hyphen=False, table=placed.table)

    def line(self, start: int, stop: int, top: float, bottom: float) -> Line:
        text = self.text[start:stop]
        letters = [index for index in range(start, stop) if not self.text[index].isspace()] or [start]
        step = max(1, len(letters) // _SAMPLES)
        size = median(self._size(index) for index in letters[::step])
        left, y = self._origin(letters[0])
        right, _ = self._origin(letters[-1])
        depth = (top - y) / (top - bottom) if top > bottom else 0.5
        hyphen = self.text[stop : stop + 1] == "\x02" or text.rstrip().endswith("\xad")
        return Line(_LEADERS.sub(" … ", tidy(text)), size, left, right, y, depth, hyphen)

    def _size(self, index: int) -> float:
        """The size on the page: the nominal font size times the height of its matrix."""
        size: float = self._raw.FPDFText_GetFontSize(self._page, index)
        if self._raw.FPDFText_GetMatrix(self._page, index, self._matrix):
            size *= math.hypot(self._matrix.c, self._matrix.d)
        return round(size * 2) / 2

    def _origin(self, index: int) -> tuple[float, float]:
        self._raw.FPDFText_GetCharOrigin(self._page, index, self._x, self._y)
        return self._x.value, self._y.value


def tidy(text: str) -> str:
    """Text of a page without ligatures, with single spaces."""
    return " ".join(clean(text).translate(_LIGATURES).split())


def _parts(
    start: int, stop: int, text: str, inside: Mapping[int, PlacedTable]
) -> Iterator[tuple[int, int, PlacedTable | None]]:
    """A line cut where a table begins or ends: index range, and the table to which it belongs."""
    if not inside:
        yield start, stop, None
        return
    visible = [index for index in range(start, stop) if text[index].isprintable() and not text[index].isspace()]
    for placed, group in groupby(visible, key=inside.get):
        indices = list(group)
        yield indices[0], stop if indices[-1] == visible[-1] else indices[-1] + 1, placed
