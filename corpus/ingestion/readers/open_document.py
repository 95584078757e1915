"""OpenDocument texts, spreadsheets and presentations (.odt, .ods, .odp), converted to HTML."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Iterator

from corpus.ingestion.readers import structure, xml
from corpus.ingestion.readers.html.blocks import HtmlBlocks
from corpus.ingestion.readers.html.reader import prepare_page
from corpus.ingestion.readers.html.text import line_text
from corpus.ingestion.readers.html.unseen import COMMENTS, find_left_out
from corpus.ingestion.readers.rows import MAX_CELLS, MAX_COLUMNS, Merge, NumberedRow, describe_hidden, read_rows
from corpus.ingestion.readers.structure import MAX_DEPTH, Parsed, Section, SectionBuilder, UnreadableDocument, one_line
from corpus.ingestion.readers.titles import sensible_title

_PROTECTED = "This OpenDocument file is protected by a password. Remove it and upload the file again."
_DROPPED = ("tracked-changes", "table-of-content", "hidden-text", "hidden-paragraph", "forms", "desc", "title")
_HIDDEN = ("collapse", "filter")
_WITH_TEXT = ("p", "h", "span", "a", "meta")
_TAGS = {
    **{"p": "p", "list-item": "li", "list-header": "li", "table": "table", "table-row": "tr", "table-cell": "td"},
    **{"table-header-rows": "thead", "a": "a", "line-break": "br", "section": "div", "text-box": "div"},
    "covered-table-cell": "template",
}
_ATTRIBUTES = {"rowspan": "number-rows-spanned", "colspan": "number-columns-spanned", "value": "start-value"}
_LINE_THROUGH = ("text-line-through-style", "text-line-through-type")
_CSS = {"s": "text-decoration: line-through", "hidden": "display: none"}


def read(data: bytes) -> Parsed:
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        if b"manifest:algorithm" in archive.read("META-INF/manifest.xml"):
            raise UnreadableDocument(_PROTECTED)
        return _Document(archive).parsed()


class _Document:
    def __init__(self, archive: zipfile.ZipFile) -> None:
        self._archive = archive
        self._parts = archive.namelist()
        self._root = xml.make_element("package")
        named = ("styles.xml", "content.xml", "meta.xml")
        self._root.extend(_read_part(archive, name) for name in named if name in self._parts)
        self._styles = {xml.attribute(one, "name"): one for one in xml.descendants(self._root, "style")}
        self._lists = {xml.attribute(one, "name"): one for one in xml.descendants(self._root, "list-style")}
        margins = xml.descendants(self._root, "header", "footer")
        self._margins = {"".join(one.itertext()): one for one in margins}  # page styles repeat them
        self._title = sensible_title(next((one.text for one in self._root.iterfind("*/{*}meta/{*}title")), ""))
        self._notes: dict[str, None] = {}

    def parsed(self) -> Parsed:
        body = next(xml.child_elements(next(xml.descendants(self._root, "body"))))
        builder = SectionBuilder()
        if xml.local_name(body) == "spreadsheet":
            return Parsed(structure.ODS, self._title, tuple(self._sheets(body)), None, tuple(self._notes))
        if xml.local_name(body) == "presentation":
            pages = list(xml.child_elements(body, "page"))
            for number, page in enumerate(pages, start=1):
                self._slide(builder, page, number)
            return Parsed(structure.ODP, self._title, builder.finish(), len(pages), tuple(self._notes))
        root = xml.make_element("body")
        for part in (*self._margins.values(), body):
            self._children(part, root, 0)
        self._add_notes(body, root)
        self._read(builder, root)
        return Parsed(structure.ODT, self._title or builder.title(), builder.finish(), None, tuple(self._notes))

    def _read(self, builder: SectionBuilder, root: xml.Element, page: int | None = None) -> None:
        self._notes |= dict.fromkeys(prepare_page(root, ""))
        HtmlBlocks(builder, page=page).read(root)

    def _slide(self, builder: SectionBuilder, page: xml.Element, number: int) -> None:
        if self._is_off(page, "visibility", "hidden"):
            self._notes[f"Slide {number} is hidden and was left out."] = None
            return
        root, title = xml.make_element("body"), xml.make_element("body")
        for frame in [one for one in page if xml.attribute(one, "class") == "title"]:
            self._children(frame, title, 0)
            page.remove(frame)
        builder.heading(1, line_text(title) or f"Slide {number}", page=number)
        self._children(page, root, 0)
        self._read(builder, root, number)

    def _is_off(self, element: xml.Element, name: str, value: str) -> bool:
        style = self._styles.get(xml.attribute(element, "style-name"))
        return any(xml.attribute(one, name) == value for one in (() if style is None else style))

    def _sheets(self, body: xml.Element) -> Iterator[Section]:
        left = MAX_CELLS
        for table in xml.child_elements(body, "table"):
            name = one_line(xml.attribute(table, "name"))
            if self._is_off(table, "display", "false"):
                self._notes[f"The sheet “{name}” is hidden and was left out."] = None
                continue
            merges, remarks = list[Merge](), dict[int, list[str]]()
            rows = self._rows(table, name, merges, remarks)
            sections, note, left = read_rows(rows, (name,), left=left, merges=merges, remarks=remarks)
            yield from sections
            self._notes |= {note: None} if note else {}

    def _rows(
        self, table: xml.Element, name: str, merges: list[Merge], remarks: dict[int, list[str]]
    ) -> Iterator[NumberedRow]:
        hidden_columns, column = set[int](), 0
        for one in xml.descendants(table, "table-column"):
            count = _read_count(one, "number-columns-repeated")
            if xml.attribute(one, "visibility") in _HIDDEN:
                hidden_columns |= {*range(column, min(column + count, MAX_COLUMNS))}
            column += count
        number, hidden, dropped = 1, 0, set[int]()
        for row in xml.descendants(table, "table-row"):
            count = _read_count(row, "number-rows-repeated")
            cells: list[str] = []
            for cell in xml.child_elements(row, "table-cell", "covered-table-cell"):
                times = min(_read_count(cell, "number-columns-repeated"), MAX_COLUMNS - len(cells))
                down, across = _read_count(cell, "number-rows-spanned"), _read_count(cell, "number-columns-spanned")
                if down > 1 or across > 1:
                    merges.append((number, number + down - 1, len(cells), len(cells) + across - 1))
                comments = list(xml.child_elements(cell, "annotation"))
                for comment in comments:
                    cell.remove(comment)
                text = self._cell_text(cell)
                for comment in comments:
                    words = one_line(" ".join("".join(p.itertext()) for p in xml.descendants(comment, "p")))
                    remarks.setdefault(number, []).append(f"{text or 'Note'}: {words}")
                columns = range(len(cells), len(cells) + times)
                dropped |= hidden_columns & {*columns} if text else set()
                cells += ["" if one in hidden_columns else text for one in columns]
            if xml.attribute(row, "visibility") in _HIDDEN:
                hidden += count if any(cells) else 0
            else:
                yield from ((number + n, list(cells)) for n in range(count if any(cells) else 1))
            number += count
        self._notes |= {note: None} if (note := describe_hidden(hidden, len(dropped), name)) else {}

    def _cell_text(self, cell: xml.Element) -> str:
        look = self._look(xml.attribute(cell, "style-name"))
        if not look and all(xml.local_name(one) == "p" and not len(one) and not one.attrib for one in cell):
            return one_line(" ".join(one.text or "" for one in cell))
        root = xml.make_element("td")
        self._children(cell, xml.add_element(root, "span", style=_CSS.get(look, look)), 0)
        self._notes |= dict.fromkeys(find_left_out(root, ""))
        return line_text(root)

    def _children(self, source: xml.Element, target: xml.Element, depth: int) -> None:
        has_text = xml.local_name(source) in _WITH_TEXT
        xml.add_text(target, source.text if has_text else "")
        for child in source:
            if depth >= 2 * MAX_DEPTH:
                xml.add_text(target, "".join(child.itertext()))
            elif isinstance(child.tag, str):
                self._child(child, target, depth + 1)
            xml.add_text(target, child.tail if has_text else "")

    def _child(self, child: xml.Element, target: xml.Element, depth: int) -> None:
        name = xml.local_name(child)
        if name == "annotation":
            self._notes[COMMENTS] = None
        elif name in ("s", "tab"):
            xml.add_text(target, xml.TAB if name == "tab" else " " * min(_read_count(child, "c"), 100))
        elif name == "note":
            xml.add_text(target, f"[{_read_mark(child) or '*'}]")
        elif name == "frame":
            self._frame(child, target, depth)
        elif name == "list":
            above = [one for one in child.iterancestors() if xml.local_name(one) == "list"]
            named = next(filter(None, (xml.attribute(one, "style-name") for one in (child, *above))), "")
            style, level = self._lists.get(named), len(above)
            how = style[level] if style is not None and level < len(style) else None
            inner = xml.add_element(target, "ol" if (form := xml.attribute(how, "num-format")) else "ul")
            inner.attrib.update({"type": form, "start": xml.attribute(how, "start-value") or "1"} if form else {})
            self._children(child, inner, depth)
        elif name not in _DROPPED:
            self._children(child, self._element(child, name, target), depth)

    def _element(self, child: xml.Element, name: str, target: xml.Element) -> xml.Element:
        """The HTML element for one of OpenDocument, the target itself if its content alone counts."""
        look = self._look(xml.attribute(child, "style-name")) if name in ("span", "p", "a") else ""
        is_hidden = xml.attribute(child, "display") == "none" or xml.attribute(child, "visibility") in _HIDDEN
        tag = f"h{min(_read_count(child, 'outline-level'), 6)}" if name == "h" else _TAGS.get(name, "")
        if look and name != "p":
            tag = look if look in ("sup", "sub", "s", "b") else "span"
        if not tag and not is_hidden:
            return target
        values = {key: xml.attribute(child, own) for key, own in _ATTRIBUTES.items()}
        values |= {"style": _CSS.get(look, look), "hidden": "hidden" if is_hidden else ""}
        return xml.add_element(target, tag or "span", **{key: value for key, value in values.items() if value})

    def _look(self, name: str, depth: int = 0) -> str:
        """How a style shows text, if not plainly: sup, sub, s, hidden, or a colour."""
        style = self._styles.get(name)
        if style is None or depth > MAX_DEPTH:
            return ""
        for one in xml.descendants(style, "text-properties"):
            position = xml.attribute(one, "text-position").split(" ")[0]
            if position not in ("", "0%"):
                return "sub" if position.startswith(("sub", "-")) else "sup"
            if any(xml.attribute(one, kind) not in ("", "none") for kind in _LINE_THROUGH):
                return "s"
            if xml.attribute(one, "display") == "none":
                return "hidden"
            if colour := xml.attribute(one, "color"):
                grounds = (xml.attribute(other, "background-color") for other in style)
                ground = next((found for found in grounds if found not in ("", "transparent")), "#fff")
                return f"color: {colour}; background: {ground}"
        is_bold = any(xml.attribute(one, "font-weight") == "bold" for one in xml.descendants(style, "text-properties"))
        return self._look(xml.attribute(style, "parent-style-name"), depth + 1) or ("b" if is_bold else "")

    def _frame(self, frame: xml.Element, target: xml.Element, depth: int) -> None:
        for inner in xml.child_elements(frame, "object", "text-box", "table"):
            name = xml.attribute(inner, "href").strip("./") + "/content.xml"
            if xml.local_name(inner) != "object":
                self._child(inner, target, depth)
            elif name in self._parts and xml.local_name(root := _read_part(self._archive, name)) == "math":
                root.tag = "math"
                target.append(root)
                return
        words = [one.text for kind in ("desc", "title") for one in xml.child_elements(frame, kind) if one.text]
        if words and xml.find_child(frame, "image") is not None:
            xml.add_element(target, "img", alt=words[0])

    def _add_notes(self, body: xml.Element, target: xml.Element) -> None:
        for note in xml.descendants(body, "note"):
            paragraph = xml.add_element(target, "p", f"{_read_mark(note)} ")
            for inner in (one for text in xml.descendants(note, "note-body") for one in xml.descendants(text, "p")):
                self._children(inner, paragraph, 0)


def _read_mark(note: xml.Element) -> str:
    return one_line("".join(one.text or "" for one in xml.descendants(note, "note-citation")))


def _read_count(element: xml.Element, name: str) -> int:
    return max(1, int(xml.attribute(element, name) or 1))


def _read_part(archive: zipfile.ZipFile, name: str) -> xml.Element:
    data = archive.read(name)
    if b"<!ENTITY" in data.replace(b"\0", b""):
        raise ValueError("OpenDocument has no entities.")
    return xml.parse_xml(data)
