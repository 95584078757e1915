"""Word documents (.docx): paragraphs, lists and tables in order, headings by style or outline level."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import replace
from typing import Any

from corpus.ingestion.readers import xml
from corpus.ingestion.readers.html.blocks import HtmlBlocks
from corpus.ingestion.readers.html.text import inline_text, line_text
from corpus.ingestion.readers.html.unseen import COMMENTS, CROSSED, UNSEEN
from corpus.ingestion.readers.office.text_reader import DELETED, PAGE_NUMBER, TextReader, find_boxes, inner_elements
from corpus.ingestion.readers.office.word_styles import Numbering, Styles
from corpus.ingestion.readers.structure import DOCX, Parsed, Section, SectionBuilder, one_line
from corpus.ingestion.readers.xml import DEPTH, LABEL, TAB, add_element, make_element
from corpus.ingestion.readers.zip_package import open_office_file, read_title

_MACROS = "This is a Word file with macros or a template. Open it in Word and save it as a .docx document."
_MAX_PAGE_WORDS = 4  # beside the number of the page


def read(data: bytes) -> Parsed:
    import docx

    document = open_office_file(data, docx.Document, other_kind=_MACROS)
    reader = _Reader(document)
    sections = reader.read_body()
    title = reader.title or read_title(document) or reader.builder.title()
    if sections and (margins := reader.read_margins(title)):
        path = sections[0].heading_path
        if path in ((), (title,)):
            sections = (replace(sections[0], text=f"{margins}\n\n{sections[0].text}"), *sections[1:])
        else:
            sections = (Section(path[:1] if path[0] == title else (), margins), *sections)
    return Parsed(DOCX, title, sections, None, tuple(reader.notes()))


class _Reader:
    def __init__(self, document: Any) -> None:
        self.builder = SectionBuilder()
        self.title: str | None = None
        self._blocks = HtmlBlocks(self.builder)
        self._document = document
        _settle_controls(document.element)
        has_back = any(xml.attribute(one, "behindDoc") == "1" for one in xml.descendants(document.element, "anchor"))
        ground = xml.attribute(xml.find_child(document.element, "background"), "color")
        self._styles = Styles(document.styles.element, "" if has_back else ground if len(ground) == 6 else "FFFFFF")
        parts = {str(relation.reltype).rpartition("/")[2]: relation for relation in document.part.rels.values()}
        self._numbering = Numbering(parts["numbering"].target_part.element if "numbering" in parts else None)
        self._text = TextReader(self._styles.look, self._count)
        for kind in ("footnote", "endnote"):
            self._text.notes |= {(kind, xml.attribute(note, "id")): note for note in self._read_part(kind)}

    def read_body(self) -> tuple[Section, ...]:
        self._read(self._document.element.body)
        self._blocks.finish()
        return self.builder.finish()

    def notes(self) -> Iterator[str]:
        yield from (note for note in (CROSSED, DELETED, UNSEEN) if note in self._text.left_out)
        if any(self._text.read_line(comment) for comment in self._read_part("comment")):
            yield COMMENTS
        if count := self._text.pictures:
            yield f"{count} picture{'s have' if count > 1 else ' has'} no description; text in pictures was not read."

    def read_margins(self, title: str | None) -> str:
        """The headers and footers that are shown, each once, without the numbers of pages."""
        shown: dict[str, None] = {}
        has_even = self._document.settings.odd_and_even_pages_header_footer
        for section in xml.descendants(self._document.element.body, "sectPr"):
            has_first = xml.is_set(xml.find_child(section, "titlePg"))
            kinds = {"default", *["first"] * has_first, *["even"] * has_even}
            for reference in xml.child_elements(section, "headerReference", "footerReference"):
                part = self._document.part.related_parts.get(xml.attribute(reference, "id"))
                if part is not None and xml.attribute(reference, "type") in kinds:
                    _settle_controls(part.element)
                    lines = make_element("div")
                    for paragraph in xml.descendants(part.element, "p"):
                        self._text.write_paragraph(paragraph, add_element(lines, "span"))
                        add_element(lines, "br")
                    words = dict.fromkeys(map(_without_page, re.split(rf"[{TAB}\v]+", inline_text(lines))))
                    shown[" · ".join(one for one in words if one and one != title)] = None
        return "\n\n".join(filter(None, shown))

    def _read(self, parent: xml.Element) -> None:
        for element in _block_elements(parent):
            if xml.local_name(element) == "tbl":
                self._table(element)
            else:
                self._paragraph(element)
                for box in find_boxes(element):
                    self._read(box)
            for note in self._text.take_notes():
                self._blocks.add(make_element("p", note))

    def _read_part(self, kind: str) -> Iterator[xml.Element]:
        """The notes or comments of the document; none if they are broken."""
        from docx.oxml.parser import parse_xml

        for relation in self._document.part.rels.values():
            if str(relation.reltype).endswith(f"/{kind}s") and not relation.is_external:
                with suppress(SyntaxError):  # lxml raises it for broken XML
                    root = parse_xml(relation.target_part.blob)
                    xml.unwrap(root)
                    yield from xml.child_elements(root, kind)

    def _count(self, paragraph: xml.Element) -> str | None:
        role = self._styles.role(paragraph)
        return self._numbering.count(role) if role.list_id and self._styles.is_counted(paragraph) else None

    def _paragraph(self, source: xml.Element) -> None:
        role, label = self._styles.role(source), self._count(source)
        if role.contents:
            return
        element = make_element("p" if label is None else "li")
        self._text.write_paragraph(source, element)
        if role.title or role.level:
            text = one_line(f"{label or ''} {self._text.remove_marks(line_text(element))}")
            if role.title and self.title is None:
                self.title = text or None
            elif text:
                self._blocks.heading(role.level or 1, text)
            return
        if label is not None:
            element.set(LABEL, label)
            element.set(DEPTH, str(self._numbering.find_depth(role)))
        self._blocks.add(element)

    def _table(self, source: xml.Element) -> None:
        rows = list(self._text.list_rows(source))
        cells = [list(inner_elements(row, "tc")) for row in rows]
        if len(rows) == 1 or max(map(len, cells), default=0) < 2:  # a frame around text, or columns
            for frame in (cell for row in cells for cell in row):
                self._read(frame)
            return
        root = make_element("div")
        self._text.write_table(source, root)
        self._blocks.table(root[0])


def _block_elements(parent: xml.Element) -> Iterator[xml.Element]:
    """Paragraphs and tables, also inside content controls, without a generated table of contents."""
    for child in xml.child_elements(parent, "p", "tbl", "sdt", "sdtContent", "customXml", "ins", "moveTo"):
        name = xml.local_name(child)
        if name in ("p", "tbl"):
            yield child
        elif name != "sdt" or not any("Contents" in xml.val(one) for one in xml.descendants(child, "docPartGallery")):
            yield from _block_elements(child)


def _without_page(piece: str) -> str:
    """A piece of a header or footer; "" if it only says the number of the page."""
    rest = piece.replace(PAGE_NUMBER, " ")
    return "" if rest != piece and len(rest.split()) <= _MAX_PAGE_WORDS else one_line(rest)


def _settle_controls(root: xml.Element) -> None:
    """Empty the content controls that only show a prompt, and set the signs of those that are boxes."""
    xml.unwrap(root)
    for control in xml.descendants(root, "sdt"):
        box = xml.find_child(control, "sdtPr", "checkbox")
        sign = "☑" if xml.is_set(xml.find_child(box, "checked")) else "☐"
        if box is not None or xml.is_set(xml.find_child(control, "sdtPr", "showingPlcHdr")):
            for place, text in enumerate(list(xml.descendants(control, "t", "sym"))):
                if box is None or place == 0:
                    text.tag = text.tag.replace("}sym", "}t")
                    text.text = "" if box is None else sign + (text.text or "")[1:]
