"""OpenDocument texts, spreadsheets and presentations (.odt, .ods, .odp), converted to HTML."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Iterator
from typing import TYPE_CHECKING

from corpus.ingestion.readers.html.blocks import HtmlBlocks
from corpus.ingestion.readers.html.reader import prepare_page
from corpus.ingestion.readers.html.text import line_text
from corpus.ingestion.readers.html.unseen import COMMENTS, find_left_out
from corpus.ingestion.readers.rows import MAX_CELLS, Merge, NumberedRow, describe_hidden, read_rows
from corpus.ingestion.readers.structure import (
    ODP,
    ODS,
    ODT,
    Parsed,
    Section,
    SectionBuilder,
    UnreadableDocument,
    one_line,
    report_damage,
)
from corpus.ingestion.readers.titles import sensible_title
from corpus.ingestion.readers.xml import attribute, child_elements, descendants, local_name
from corpus.ingestion.readers.zip_package import ErrorMessages, check_package

if TYPE_CHECKING:
    from lxml.etree import _Element
    from lxml.html import HtmlElement

_WORDS = ErrorMessages("OpenDocument file", "Open it in LibreOffice, save it again, and upload that.")
_MAX_DEPTH = 200
_MAX_COLUMNS = 256
_MAX_BLANK = 2  # repeated empty rows that are kept; a sheet has a million
_DROPPED = ("tracked-changes", "table-of-content", "hidden-text", "hidden-paragraph", "forms", "desc", "title")
_TAGS = {
    **{"p": "p", "list-item": "li", "list-header": "li", "table": "table", "table-row": "tr", "table-cell": "td"},
    **{"table-header-rows": "thead", "a": "a", "line-break": "br", "section": "div", "text-box": "div"},
}
_LINE_THROUGH = ("text-line-through-style", "text-line-through-type")
_CSS = {"s": "text-decoration: line-through", "hidden": "display: none"}


@report_damage(_WORDS.damaged)
def read(data: bytes) -> Parsed:
    """Sections of a document. What is hidden or crossed out is left out and noted."""
    check_package(data, _WORDS)
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        if b"manifest:algorithm" in archive.read("META-INF/manifest.xml"):
            raise UnreadableDocument(_WORDS.protected)
        return _Document(archive).parsed()


class _Document:
    def __init__(self, archive: zipfile.ZipFile) -> None:
        self._archive = archive
        names = archive.namelist()
        parts = {name: _xml(archive, name) for name in ("styles.xml", "content.xml", "meta.xml") if name in names}
        roots, self._root = list(parts.values()), parts["content.xml"]
        self._styles = {attribute(one, "name"): one for root in roots for one in descendants(root, "style")}
        self._lists = {attribute(one, "name"): one for root in roots for one in descendants(root, "list-style")}
        margins = (one for root in roots for kind in ("header", "footer") for one in descendants(root, kind))
        self._margins = {"".join(one.itertext()): one for one in margins}  # page styles repeat them
        title = next(descendants(parts["meta.xml"], "title"), None) if "meta.xml" in parts else None
        self._title = sensible_title(title.text if title is not None else "")
        self._notes: dict[str, None] = {}

    def parsed(self) -> Parsed:
        body = next(child_elements(next(descendants(self._root, "body"))))
        kind = local_name(body)
        builder = SectionBuilder()
        if kind == "spreadsheet":
            sections = tuple(self._sheets(body))
            return Parsed(ODS, self._title, sections, None, tuple(self._notes))
        if kind == "presentation":
            pages = list(child_elements(body, "page"))
            for number, page in enumerate(pages, start=1):
                self._slide(builder, page, number)
            return Parsed(ODP, self._title, builder.finish(), len(pages), tuple(self._notes))
        root = _new("body")
        for margin in self._margins.values():
            self._children(margin, root, 0)
        self._children(body, root, 0)
        for note in self._endnotes(body):
            root.append(note)
        self._read(builder, root)
        return Parsed(ODT, self._title or builder.title(), builder.finish(), None, tuple(self._notes))

    def _read(self, builder: SectionBuilder, root: HtmlElement, page: int | None = None) -> None:
        self._notes |= dict.fromkeys(prepare_page(root, ""))
        HtmlBlocks(builder, page=page).read(root)

    def _slide(self, builder: SectionBuilder, page: _Element, number: int) -> None:
        style = self._styles.get(attribute(page, "style-name"))
        if style is not None and any(attribute(one, "visibility") == "hidden" for one in style):
            self._notes[f"Slide {number} is hidden and was left out."] = None
            return
        frames = [one for one in page if attribute(one, "class") == "title"]
        root, named = _new("body"), _new("body")
        for frame in frames:
            self._children(frame, named, 0)
            page.remove(frame)
        builder.heading(1, line_text(named) or f"Slide {number}", page=number)
        self._children(page, root, 0)
        self._read(builder, root, number)

    def _sheets(self, body: _Element) -> Iterator[Section]:
        left = MAX_CELLS
        for table in child_elements(body, "table"):
            name = one_line(attribute(table, "name"))
            style = self._styles.get(attribute(table, "style-name"))
            if style is not None and any(attribute(one, "display") == "false" for one in style):
                self._notes[f"The sheet “{name}” is hidden and was left out."] = None
                continue
            merges, remarks = list[Merge](), dict[int, list[str]]()
            rows = self._rows(table, name, merges, remarks)
            sections, note, left = read_rows(rows, (name,), left=left, merges=merges, remarks=remarks)
            yield from sections
            self._notes |= {note: None} if note else {}

    def _rows(
        self, table: _Element, name: str, merges: list[Merge], remarks: dict[int, list[str]]
    ) -> Iterator[NumberedRow]:
        hidden_columns = set[int]()
        column = 0
        for one in descendants(table, "table-column"):
            count = _repeated(one, "columns")
            if attribute(one, "visibility") in ("collapse", "filter"):
                hidden_columns |= {*range(column, min(column + count, _MAX_COLUMNS))}
            column += count
        number, hidden, dropped = 1, 0, set[int]()
        for row in descendants(table, "table-row"):
            count = _repeated(row, "rows")
            cells: list[str] = []
            for cell in (one for one in row if local_name(one) in ("table-cell", "covered-table-cell")):
                times = min(_repeated(cell, "columns"), _MAX_COLUMNS - len(cells))
                down, across = (int(attribute(cell, f"number-{kind}-spanned") or 1) for kind in ("rows", "columns"))
                if down > 1 or across > 1:
                    merges.append((number, number + down - 1, len(cells), len(cells) + across - 1))
                comments = [one for one in cell if local_name(one) == "annotation"]
                for comment in comments:
                    cell.remove(comment)
                text = self._cell_text(cell)
                for comment in comments:
                    said = one_line(" ".join("".join(p.itertext()) for p in descendants(comment, "p")))
                    remarks.setdefault(number, []).append(f"{text or 'Note'}: {said}")
                shown = ["" if len(cells) + n in hidden_columns else text for n in range(times)]
                dropped |= {len(cells) + n for n in range(times) if text and len(cells) + n in hidden_columns}
                cells += shown
            if attribute(row, "visibility") in ("collapse", "filter"):
                hidden += count if any(cells) else 0
            else:
                yield from ((number + n, list(cells)) for n in range(count if any(cells) else min(count, _MAX_BLANK)))
            number += count
        self._notes |= {note: None} if (note := describe_hidden(hidden, len(dropped), name)) else {}

    def _cell_text(self, cell: _Element) -> str:
        """The text of a cell on one line."""
        if not self._look(attribute(cell, "style-name")) and all(
            local_name(one) == "p" and not len(one) and not one.attrib for one in cell
        ):
            return one_line(" ".join(one.text or "" for one in cell))
        converted = _new("td")
        styled = self._new_element(cell, "span")
        converted.extend([] if styled is None else [styled])
        self._children(cell, converted if styled is None else styled, 0)
        self._notes |= dict.fromkeys(find_left_out(converted, ""))
        return line_text(converted)

    def _children(self, source: _Element, target: HtmlElement, depth: int) -> None:
        """Add what is in an element to an HTML element."""
        _add_text(target, source.text if local_name(source) in ("p", "h", "span", "a", "meta") else "")
        for child in source:
            if depth >= _MAX_DEPTH:
                _add_text(target, "".join(child.itertext()))
            elif isinstance(child.tag, str):
                self._child(child, target, depth + 1)
            if local_name(source) in ("p", "h", "span", "a", "meta"):
                _add_text(target, child.tail)

    def _child(self, child: _Element, target: HtmlElement, depth: int) -> None:
        name = local_name(child)
        if name in _DROPPED or name == "annotation":
            self._notes |= {COMMENTS: None} if name == "annotation" else {}
        elif name in ("s", "tab"):
            _add_text(target, "\t" if name == "tab" else " " * min(int(attribute(child, "c") or 1), 100))
        elif name == "note":
            citation = next(descendants(child, "note-citation"), None)
            mark = _new("sup", role="doc-noteref")
            mark.text = one_line(citation.text or "") if citation is not None else "*"
            target.append(mark)
        elif name == "frame":
            self._frame(child, target, depth)
        elif name == "list":
            above = [one for one in child.iterancestors() if local_name(one) == "list"]
            named = next(filter(None, (attribute(one, "style-name") for one in (child, *above))), "")
            style, level = self._lists.get(named), len(above)
            how = style[level] if style is not None and level < len(style) else None
            is_numbered = how is not None and bool(attribute(how, "num-format"))
            inner = _new("ol" if is_numbered else "ul")
            if is_numbered and how is not None:
                inner.set("type", attribute(how, "num-format"))
                inner.set("start", attribute(how, "start-value") or "1")
            target.append(inner)
            self._children(child, inner, depth)
        else:
            inner = self._new_element(child, name)
            if inner is not target and inner is not None:
                target.append(inner)
            self._children(child, target if inner is None else inner, depth)

    def _new_element(self, child: _Element, name: str) -> HtmlElement | None:
        """The HTML element for one of OpenDocument, None if its content alone counts."""
        if name == "h":
            return _new(f"h{min(max(int(attribute(child, 'outline-level') or 1), 1), 6)}")
        if name == "covered-table-cell":
            return _new("template")
        element = _new(_TAGS[name]) if name in _TAGS else None
        if name == "table-cell" and element is not None:
            for kind, span in (("rows", "rowspan"), ("columns", "colspan")):
                element.set(span, attribute(child, f"number-{kind}-spanned") or "1")
        if name == "list-item" and element is not None and (value := attribute(child, "start-value")):
            element.set("value", value)
        look = self._look(attribute(child, "style-name"))
        if look and name in ("span", "p", "a"):
            element = _new("p" if name == "p" else look if look in ("sup", "sub", "s") else "span")
            element.set("style", _CSS.get(look, look))
        if attribute(child, "display") == "none" or attribute(child, "visibility") in ("collapse", "filter"):
            element = element if element is not None else _new("span")
            element.set("hidden", "")
        return element

    def _look(self, name: str, depth: int = 0) -> str:
        """How a style shows text, if not plainly: sup, sub, s, hidden, or a colour."""
        style = self._styles.get(name)
        if style is None or depth > 20:
            return ""
        for one in descendants(style, "text-properties"):
            position = attribute(one, "text-position").split(" ")[0]
            if position not in ("", "0%"):
                return "sub" if position.startswith(("sub", "-")) else "sup"
            if any(attribute(one, kind) not in ("", "none") for kind in _LINE_THROUGH):
                return "s"
            if attribute(one, "display") == "none":
                return "hidden"
            if colour := attribute(one, "color"):
                grounds = (attribute(other, "background-color") for other in style)
                ground = next((found for found in grounds if found not in ("", "transparent")), "#fff")
                return f"color: {colour}; background: {ground}"
        return self._look(attribute(style, "parent-style-name"), depth + 1)

    def _frame(self, frame: _Element, target: HtmlElement, depth: int) -> None:
        """A text box, a formula, or the words for a picture."""
        for inner in frame:
            kind = local_name(inner)
            name = attribute(inner, "href").strip("./") + "/content.xml"
            if kind == "object" and name in self._archive.namelist():
                root = _xml(self._archive, name)
                if local_name(root) == "math":
                    root.tag = "math"
                    target.append(root)
                    return
            if kind in ("text-box", "table"):
                self._child(inner, target, depth)
        said = next((one.text for kind in ("desc", "title") for one in child_elements(frame, kind) if one.text), "")
        if said and any(local_name(one) == "image" for one in frame):
            target.append(_new("img", alt=said))

    def _endnotes(self, body: _Element) -> Iterator[HtmlElement]:
        for note in descendants(body, "note"):
            paragraph = _new("p")
            paragraph.text = "".join(one.text or "" for one in descendants(note, "note-citation")) + " "
            for inner in (one for text in descendants(note, "note-body") for one in descendants(text, "p")):
                self._children(inner, paragraph, 0)
            yield paragraph


def _new(tag: str, **attributes: str) -> HtmlElement:
    from lxml import html

    return html.Element(tag, attributes)


def _add_text(target: HtmlElement, text: str | None) -> None:
    if text and len(target):
        target[-1].tail = (target[-1].tail or "") + text
    elif text:
        target.text = (target.text or "") + text


def _repeated(element: _Element, kind: str) -> int:
    return max(1, int(attribute(element, f"number-{kind}-repeated") or 1))


def _xml(archive: zipfile.ZipFile, name: str) -> _Element:
    from lxml import etree

    data = archive.read(name)
    if b"<!ENTITY" in data.replace(b"\0", b""):
        raise UnreadableDocument(_WORDS.damaged)
    return etree.fromstring(data, etree.XMLParser(resolve_entities=False, no_network=True, load_dtd=False))
