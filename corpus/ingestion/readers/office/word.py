"""Word documents (.docx): paragraphs, lists and tables in order, headings by style or outline level."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from corpus.ingestion.readers.lists import ListLines
from corpus.ingestion.readers.office.table_grid import GridCell, write_table
from corpus.ingestion.readers.office.text_reader import (
    COMMENTS,
    DELETED,
    HIDDEN,
    PAGE_NUMBER,
    STRUCK,
    TextReader,
    find_boxes,
    settle_controls,
)
from corpus.ingestion.readers.office.word_numbering import Numbering
from corpus.ingestion.readers.office.word_styles import Styles
from corpus.ingestion.readers.structure import DOCX, Parsed, Section, SectionBuilder, clean, one_line
from corpus.ingestion.readers.tables import aligned_rows, read_table, table_parts
from corpus.ingestion.readers.titles import sensible_title
from corpus.ingestion.readers.xml import (
    attribute,
    child_elements,
    descendants,
    find_child,
    is_set,
    local_name,
    unwrap,
    val,
)
from corpus.ingestion.readers.zip_package import office_messages, open_office_file, stated_title

if TYPE_CHECKING:
    from lxml.etree import _Element

_WORDS = office_messages("Word")
_MACROS = "This is a Word file with macros or a template. Open it in Word and save it as a .docx document."
_LABEL = re.compile(r"\W?(?:\d{1,3}|[a-zA-Z]|[ivx]{1,5})?\W?|.*:")  # of a question, or of a line of a letter
_MAX_FIRST = 40  # characters in the first column of a table of tabs
_MAX_PAGE_WORDS = 4  # beside the number of the page


def read(data: bytes) -> Parsed:
    """Sections of a Word document. Lists become lines, tables Markdown tables, marks of notes [1]."""
    import docx

    document = open_office_file(data, docx.Document, _WORDS, other_kind=_MACROS)
    reader = _Reader(document)
    reader.blocks(document.element.body)
    sections = reader.finish()
    title = reader.title or sensible_title(stated_title(document)) or reader.builder.title()
    if sections and (margins := reader.read_margins(title)):
        path = sections[0].heading_path
        if path in ((), (title,)):
            sections = (replace(sections[0], text=f"{margins}\n\n{sections[0].text}"), *sections[1:])
        else:
            sections = (Section(path[:1] if path[0] == title else (), margins), *sections)
    return Parsed(DOCX, title, sections, None, tuple(reader.notes()))


class _Reader:
    """Walks the body and feeds the builder."""

    def __init__(self, document: Any) -> None:
        self.builder = SectionBuilder()
        self.title: str | None = None
        self._document = document
        unwrap(document.element)
        settle_controls(document.element)
        has_back = any(attribute(one, "behindDoc") == "1" for one in descendants(document.element, "anchor"))
        ground = attribute(find_child(document.element, "background"), "color")
        self._styles = Styles(document.styles.element, "" if has_back else ground if len(ground) == 6 else "FFFFFF")
        parts = {str(relation.reltype).rpartition("/")[2]: relation for relation in document.part.rels.values()}
        self._numbering = Numbering(parts["numbering"].target_part.element if "numbering" in parts else None)
        self._text = TextReader(self._styles.look, self._count)
        for kind in ("footnote", "endnote"):
            self._text.notes |= {(kind, attribute(note, "id")): note for note in self._read_part(kind)}
        self._list = ListLines()
        self._tabbed: list[tuple[str, bool]] = []  # paragraphs with tabs, and whether each is bold

    def blocks(self, parent: _Element) -> None:
        """Add all paragraphs and tables of an element, with the boxes and notes that belong to each."""
        for element in _block_elements(parent):
            if local_name(element) == "tbl":
                self._table(element)
            else:
                self._paragraph(element)
                for box in find_boxes(element):
                    self.blocks(box)
            for note in self._text.take_notes():
                self._add(note)

    def finish(self) -> tuple[Section, ...]:
        """The sections."""
        self._add_tabbed()
        return self.builder.finish()

    def notes(self) -> Iterator[str]:
        """What was left out, for the teacher."""
        yield from (note for note in (STRUCK, DELETED, HIDDEN) if note in self._text.left_out)
        if any(self._text.inner_text(comment) for comment in self._read_part("comment")):
            yield COMMENTS
        if count := self._text.pictures:
            yield f"{count} picture{'s have' if count > 1 else ' has'} no description; text in pictures was not read."

    def read_margins(self, title: str | None) -> str:
        """The headers and footers that are shown, each once, without the numbers of pages."""
        shown: dict[str, None] = {}
        has_even = self._document.settings.odd_and_even_pages_header_footer
        for section in descendants(self._document.element.body, "sectPr"):
            kinds = {"default", "first" if is_set(find_child(section, "titlePg")) else "", "even" if has_even else ""}
            for reference in child_elements(section, "headerReference", "footerReference"):
                part = self._document.part.related_parts.get(attribute(reference, "id"))
                if part is not None and attribute(reference, "type") in kinds:
                    unwrap(part.element)
                    settle_controls(part.element)
                    texts = "\n".join(map(self._text.paragraph_text, descendants(part.element, "p")))
                    words = dict.fromkeys(map(_without_page, re.split(r"[\t\n]+", texts)))
                    shown[" · ".join(one for one in words if one and one != title)] = None
        return "\n\n".join(filter(None, shown))

    def _read_part(self, kind: str) -> Iterator[_Element]:
        """The notes or comments of the document; none if they are broken."""
        from docx.oxml.parser import parse_xml

        for relation in self._document.part.rels.values():
            if str(relation.reltype).endswith(f"/{kind}s") and not relation.is_external:
                try:
                    root = parse_xml(relation.target_part.blob)
                except SyntaxError:  # lxml raises it for broken XML
                    return
                unwrap(root)
                yield from child_elements(root, kind)

    def _count(self, paragraph: _Element) -> str | None:
        """The number of a paragraph, "" for a bullet, None if it is no item of a list."""
        role = self._styles.role(paragraph)
        return self._numbering.count(role) if role.list_id and self._styles.is_counted(paragraph) else None

    def _paragraph(self, element: _Element) -> None:
        role = self._styles.role(element)
        label = self._count(element)
        text = "" if role.contents else clean(self._text.paragraph_text(element)).strip()
        if text and (role.title or role.level):
            text = one_line(f"{label or ''} {self._text.remove_marks(text)}")
            if role.title and self.title is None:
                self.title = text
                return
            self._add_tabbed()
            self.builder.heading(role.level or 1, text)
            self._list = ListLines()
        elif "\t" in text and label is None:
            self._tabbed.append((text, self._styles.is_bold(element)))
        elif text:
            self._add(text, None if label is None else self._numbering.find_depth(role), label or "")

    def _add(self, text: str, depth: int | None = None, label: str = "") -> None:
        self._add_tabbed()
        glue, line = self._list.write(re.sub(r" *\t+ *", " ", text), depth, label)
        self.builder.paragraph(line, glue=glue)

    def _add_tabbed(self) -> None:
        """Add the paragraphs with tabs that follow each other: as a table if they have the same tabs."""
        tabbed, self._tabbed = self._tabbed, []
        texts = [text for text, _ in tabbed]
        rows = aligned_rows(texts) or aligned_rows([re.sub(r"\t+", "\t", text) for text in texts])
        if rows and _is_table(rows):
            table = read_table(rows, depth=1 if [bold for _, bold in tabbed[:2]] == [True, False] else None)
            texts = [part.text for part in table_parts(table.header, table.rows)]
        for text in texts:
            self._add(text)

    def _table(self, element: _Element) -> None:
        rows = [row for row in _inner(element, "tr") if not self._is_left_out(row)]
        grid = [list(_cells(row)) for row in rows]
        if max(map(len, grid), default=0) < 2 or len(grid) == 1:  # a frame around text, or columns
            for frame in (cell for row in grid for cell in row if not isinstance(cell, GridCell)):
                self.blocks(frame)
            return
        nested: list[tuple[str, _Element]] = []  # tables in cells, each with what stands above it
        written: list[list[GridCell]] = []
        for row in grid:
            cells: list[GridCell] = []
            for cell in row:
                if not isinstance(cell, GridCell):
                    tables = list(_inner(cell, "tbl"))
                    for table in tables:
                        if (holder := table.getparent()) is not None:
                            holder.remove(table)
                    text = self._text.inner_text(cell)
                    over = written[0][len(cells)].text if written and len(cells) < len(written[0]) else ""
                    nested += [(one_line(f"{over} {text}"), table) for table in tables]
                    cell = GridCell("" if tables else text)
                cells.append(cell)
            written.append(cells)
        depth = next((n for n, row in enumerate(rows) if not is_set(find_child(row, "trPr", "tblHeader"))), 0)
        if not nested or any(cell.text for row in written[1:] for cell in row):
            for text in write_table(written, depth):
                self._add(text)
        for text, table in nested:
            for words in filter(None, [text]):
                self._add(words)
            self._table(table)

    def _is_left_out(self, row: _Element) -> bool:
        """Whether a row is deleted or hidden."""
        properties = find_child(row, "trPr")
        marks = [why for name, why in (("del", DELETED), ("hidden", HIDDEN)) if is_set(find_child(properties, name))]
        for why in marks:
            self._text.leave_out(why, row)
        return bool(marks)


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
    """Rows of a table, cells of a row or tables in a cell, also inside content controls."""
    for child in child_elements(parent, name, "sdt", "sdtContent", "customXml"):
        if local_name(child) == name:
            yield child
        else:
            yield from _inner(child, name)


def _cells(row: _Element) -> Iterator[_Element | GridCell]:
    """The cells of a row as elements, and what is covered by others."""
    yield from [GridCell()] * _read_count(find_child(row, "trPr", "gridBefore"), 0)
    for cell in _inner(row, "tc"):
        properties = find_child(cell, "tcPr")
        merge, beside = find_child(properties, "vMerge"), find_child(properties, "hMerge")
        if beside is not None and val(beside) != "restart":
            yield GridCell(covered="across")
        else:
            yield cell if merge is None or val(merge) == "restart" else GridCell(covered="down")
            yield from [GridCell(covered="across")] * (_read_count(find_child(properties, "gridSpan"), 1) - 1)


def _read_count(element: _Element | None, usual: int) -> int:
    return min(int(val(element)), 64) if val(element).isdecimal() else usual


def _is_table(rows: list[list[str]]) -> bool:
    """Whether lines with tabs are a table, and no questions with their marks, letter head or line for a signature."""
    longest = _MAX_FIRST * len(rows)
    if len(rows) < (3 if len(rows[0]) == 2 else 2) or sum(len(row[0]) for row in rows) > longest:
        return False
    if all(_LABEL.fullmatch(row[0]) for row in rows):
        return len(rows[0]) > 2 and sum(len(row[1]) for row in rows) <= longest
    return all(sum(any(map(str.isalnum, cell)) for cell in row) > 1 for row in rows)


def _without_page(piece: str) -> str:
    """A piece of a header or footer; "" if it only says the number of the page."""
    rest = piece.replace(PAGE_NUMBER, " ")
    return "" if rest != piece and len(rest.split()) <= _MAX_PAGE_WORDS else one_line(rest)
