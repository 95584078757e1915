"""Word documents (.docx): paragraphs, lists and tables in order, headings by style or outline level."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from corpus.ingestion.readers.office.word_styles import ParagraphRole, Styles
from corpus.ingestion.readers.office.word_text import (
    Footnotes,
    child_elements,
    descendants,
    inner_text,
    local_name,
    paragraph_text,
    val,
)
from corpus.ingestion.readers.structure import DOCX, Parsed, SectionBuilder, clean, one_line
from corpus.ingestion.readers.tables import markdown_table
from corpus.ingestion.readers.titles import sensible_title
from corpus.ingestion.readers.zip_package import office_messages, open_office_file, stated_title

if TYPE_CHECKING:
    from lxml.etree import _Element

_WORDS = office_messages("Word")
_MACROS = "This is a Word file with macros or a template. Open it in Word and save it as a .docx document."


def read(data: bytes) -> Parsed:
    """Sections of a Word document. Lists become "- " lines, tables Markdown tables, footnotes [^1]."""
    import docx

    document = open_office_file(data, docx.Document, _WORDS, other_kind=_MACROS)
    reader = _Reader(Styles(document.styles.element), Footnotes(document.part))
    reader.blocks(document.element.body)
    sections = reader.builder.finish()
    title = reader.title or sensible_title(stated_title(document)) or reader.builder.title()
    return Parsed(DOCX, title, sections)


class _Reader:
    """Walks the body and feeds the builder."""

    def __init__(self, styles: Styles, notes: Footnotes) -> None:
        self.builder = SectionBuilder()
        self.title: str | None = None
        self._styles = styles
        self._notes = notes
        self._in_list = False

    def blocks(self, parent: _Element) -> None:
        for element in _block_elements(parent):
            if local_name(element) == "tbl":
                self._table(element)
            else:
                self._paragraph(element)
            for note in self._notes.take():
                self._add(note)

    def _paragraph(self, element: _Element) -> None:
        role = self._styles.role(element)
        text = clean(paragraph_text(element, self._notes)).strip()
        if not text or role.contents:
            return
        if role.title and self.title is None:
            self.title = one_line(text)
        elif role.title or role.level:
            self.builder.heading(role.level or 1, one_line(text))
            self._in_list = False
        else:
            self._add(text, role)

    def _add(self, text: str, role: ParagraphRole | None = None) -> None:
        depth = role.list_depth if role else None
        if depth is None:
            self.builder.paragraph(text)
        else:
            item = "  " * depth + "- " + text.replace("\n", "\n" + "  " * (depth + 1))
            self.builder.paragraph(item, glue="\n" if self._in_list else "\n\n")
        self._in_list = depth is not None

    def _table(self, element: _Element) -> None:
        rows = [list(_cells(row, self._notes)) for row in _inner(element, "tr")]
        if max(map(len, rows), default=0) < 2:  # a frame around text
            for row in _inner(element, "tr"):
                for cell in _inner(row, "tc"):
                    self.blocks(cell)
        elif any(cell for row in rows for cell in row):
            self._add(markdown_table(rows))


def _block_elements(parent: _Element) -> Iterator[_Element]:
    """Paragraphs and tables, also inside content controls, without a generated table of contents."""
    for child in child_elements(parent):
        name = local_name(child)
        if name in ("p", "tbl"):
            yield child
        elif (name == "sdt" and not any("Contents" in val(part) for part in descendants(child, "docPartGallery"))) or (
            name in ("sdtContent", "customXml", "ins", "moveTo")
        ):
            yield from _block_elements(child)


def _inner(parent: _Element, name: str) -> Iterator[_Element]:
    """Rows of a table or cells of a row, also inside content controls."""
    for child in child_elements(parent):
        if local_name(child) == name:
            yield child
        elif local_name(child) in ("sdt", "sdtContent", "customXml"):
            yield from _inner(child, name)


def _cells(row: _Element, notes: Footnotes) -> Iterator[str]:
    """The cells of a row on one line each. A cell that spans columns is followed by empty ones."""
    for cell in _inner(row, "tc"):
        properties = {local_name(element): val(element) for child in child_elements(cell, "tcPr") for element in child}
        continued = properties.get("vMerge", "restart") != "restart"
        yield "" if continued else inner_text(cell, notes)
        span = properties.get("gridSpan", "1")
        yield from [""] * (min(int(span), 64) - 1 if span.isdecimal() else 0)
