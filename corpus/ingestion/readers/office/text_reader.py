"""The text of Office paragraphs: runs, links, fields, content controls, formulas, marks of notes."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import islice

from corpus.ingestion.readers import xml
from corpus.ingestion.readers.html.text import line_text
from corpus.ingestion.readers.html.unseen import UNSEEN
from corpus.ingestion.readers.signs import read_symbol, read_symbols
from corpus.ingestion.readers.structure import one_line
from corpus.ingestion.readers.titles import sensible_title
from corpus.ingestion.readers.xml import TAB, add_element, add_text, make_element

DELETED = "Deleted text (tracked changes) was left out."
PAGE_NUMBER = "\x7f"  # is no part of a cleaned text
_UNREAD = "\0"

# Texts that stand elsewhere or nowhere: boxes are read after their paragraph.
_SKIPPED = ("p", "txbxContent", "pPr", "rPr", "delInstrText", "rPh", "rt", "sdtPr")
_FIXED = {"tab": TAB, "ptab": TAB, "noBreakHyphen": "-"}
_ROW_MARKS = (("del", DELETED), ("hidden", UNSEEN))
_PAGE_FIELD = re.compile(r"\s*(?:PAGE|NUMPAGES|SECTIONPAGES)\b", re.IGNORECASE)
_BY_PROGRAM = re.compile(r"\s*(?:Description automatically generated|AI-generated content).*", re.DOTALL)


@dataclass(frozen=True)
class RunLook:
    shift: str = ""  # “sup” or “sub”
    left_out: str = ""  # the note that says why it is
    font: str = ""
    mark: str = ""  # “b” or “i”


class TextReader:
    """Writes paragraphs and tables into HTML, and remembers what it leaves out and which notes they mention."""

    def __init__(
        self,
        find_look: Callable[[xml.Element], RunLook],
        find_label: Callable[[xml.Element], str | None] = lambda paragraph: None,
    ) -> None:
        self.notes: dict[tuple[str, str], xml.Element] = {}  # footnotes and endnotes by kind and id
        self.left_out: set[str] = set()
        self.pictures = 0  # without a description
        self._find_look, self._find_label = find_look, find_label
        self._fields: list[str] = []  # the codes of the open fields; _UNREAD for one whose result is not read
        self._marks: dict[tuple[str, str], str] = {}
        self._mentioned: dict[tuple[str, str], None] = {}

    def write_paragraph(self, source: xml.Element, target: xml.Element) -> None:
        self._fields = []
        self._write(source, target, RunLook())
        plain = "".join([target.text or "", *(one.tail or "" for one in target)])
        if not plain.strip() and {one.tag for one in target} - {"br"} in ({"sup"}, {"sub"}):
            for one in target.iterchildren("sup", "sub"):  # a paragraph that is raised is no power
                one.tag = "span"

    def write_inside(self, source: xml.Element, target: xml.Element) -> None:
        """Write all paragraphs in an element, each with its number, its boxes and tables."""
        for child in xml.child_elements(source):
            name = xml.local_name(child)
            if name == "p":
                self.write_paragraph(child, add_element(target, "p", f"{self._find_label(child) or ''} "))
                for box in find_boxes(child):
                    self.write_inside(box, target)
            elif name == "tbl":
                self.write_table(child, target)
            elif name not in _SKIPPED:
                self.write_inside(child, target)

    def list_rows(self, table: xml.Element) -> Iterator[xml.Element]:
        for row in inner_elements(table, "tr"):
            reasons = (why for name, why in _ROW_MARKS if xml.is_set(xml.find_child(row, "trPr", name)))
            if why := next(reasons, ""):
                self.leave_out(why, row)
            else:
                yield row

    def write_table(self, source: xml.Element, target: xml.Element) -> None:
        above: dict[int, xml.Element] = {}  # the last cell in each column
        table, in_header = add_element(target, "table"), True
        for row in self.list_rows(source):
            in_header = in_header and xml.is_set(xml.find_child(row, "trPr", "tblHeader"))
            line = add_element(table, "tr")
            column = xml.read_int(xml.val(xml.find_child(row, "trPr", "gridBefore")), most=64)
            for _ in range(column):
                add_element(line, "td")
            for cell in inner_elements(row, "tc"):
                width = xml.read_int(xml.val(xml.find_child(cell, "tcPr", "gridSpan")), 1, most=64)
                across, down = above.get(column - 1), above.get(column)
                if across is not None and _is_merged(cell, "hMerge"):
                    _widen(across, "colspan", 0 if down is across else width)
                    above[column] = across
                elif down is not None and _is_merged(cell, "vMerge"):
                    _widen(down, "rowspan", 1)
                else:
                    above[column] = add_element(line, "th" if in_header else "td", colspan=str(width))
                    self.write_inside(cell, above[column])
                column += width

    def read_line(self, source: xml.Element) -> str:
        target = make_element("div")
        self.write_inside(source, target)
        return line_text(target)

    def take_notes(self) -> list[str]:
        mentioned, self._mentioned = self._mentioned, {}
        return [f"{self._marks[key]} {text}" for key in mentioned if (text := self.read_line(self.notes[key]))]

    def remove_marks(self, text: str) -> str:
        return re.sub("|".join(re.escape(self._marks[key]) for key in self._mentioned) or "$", "", text)

    def describe_picture(self, element: xml.Element) -> str:
        """The alternative text of a picture, or the words that are drawn in it. One without words is counted."""
        for holder in xml.descendants(element, "docPr", "cNvPr", "shape", "textpath"):
            stated = filter(None, (xml.attribute(holder, name) for name in ("string", "descr", "alt", "title")))
            if words := sensible_title(_BY_PROGRAM.sub("", next(stated, ""))):
                return f"[Picture: {words}]"
        is_picture = xml.contains(element, "blip", "imagedata", "chart", "relIds", "OLEObject")
        self.pictures += is_picture and not any(xml.is_set(one) for one in xml.descendants(element, "decorative"))
        return ""

    def leave_out(self, why: str, element: xml.Element) -> None:
        if why and xml.has_any_text(element):
            self.left_out.add(why)

    def _write(self, source: xml.Element, target: xml.Element, look: RunLook) -> None:
        for child in xml.child_elements(source):
            name = xml.local_name(child)
            if name in ("r", "fld"):
                own = self._find_look(child)
                self.leave_out(own.left_out, child)
                self._write(child, make_element("p") if own.left_out else target, own)
            elif name in ("del", "moveFrom"):
                self.leave_out(DELETED, child)
            elif name == "fldChar":
                add_text(target, self._read_field(child))
            elif name == "instrText" and self._fields:
                self._fields[-1] += child.text or ""
            elif name in _SKIPPED or any(code.startswith(_UNREAD) for code in self._fields):
                continue
            elif name == "t" or name in _FIXED:
                text = _FIXED.get(name) or read_symbols(child.text or "", look.font).replace("\u2011", "-")
                add_text(target, text, (look.shift or look.mark) if text.strip() else "")
            elif name == "sym":
                add_text(target, read_symbol(xml.attribute(child, "char"), xml.attribute(child, "font")), look.shift)
            elif name in ("br", "cr"):
                if not any(text in ("page", "column") for text in child.attrib.values()):
                    add_element(target, "br")
            elif name in ("footnoteReference", "endnoteReference") and not look.left_out:
                add_text(target, self._mention((name.removesuffix("Reference"), xml.attribute(child, "id"))))
            elif name == "oMath":
                before = (target[-1].tail if len(target) else target.text) or ""
                add_text(target, f"{' ' if before.endswith('$') else ''}${one_line(_write_formula(child))}$")
            elif name in ("drawing", "pict", "object"):
                add_text(target, "" if xml.contains(child, "txbxContent") else self.describe_picture(child))
            elif name == "hyperlink" and (anchor := xml.attribute(child, "anchor")):  # a raised link leads to a note
                self._write(child, add_element(target, "a", href=f"#{anchor}"), look)
            elif name == "fldSimple" and _PAGE_FIELD.match(xml.attribute(child, "instr")):
                add_text(target, PAGE_NUMBER)
            else:
                self._write(child, target, look)

    def _mention(self, key: tuple[str, str]) -> str:
        """The mark of a note. All notes are counted together."""
        if key not in self.notes:
            return ""
        self._mentioned[key] = None
        return self._marks.setdefault(key, f"[{len(self._marks) + 1}]")

    def _read_field(self, mark: xml.Element) -> str:
        """What stands for a field itself: the box or the choice of a form, a sign for the number of the page."""
        kind = xml.attribute(mark, "fldCharType")
        if kind == "begin":
            form = xml.find_child(mark, "ffData")
            box, choice = xml.find_child(form, "checkBox"), xml.find_child(form, "ddList")
            self._fields.append("" if box is None and choice is None else _UNREAD)
            if box is not None:
                return "☑" if xml.is_set(_first(box, "checked", "default")) else "☐"
            entries = [xml.val(entry) for entry in xml.child_elements(choice, "listEntry")]
            chosen = xml.read_int(xml.val(_first(choice, "result", "default")), least=0)
            return entries[chosen] if chosen < len(entries) else ""
        if kind == "end" and self._fields:
            self._fields.pop()
        elif kind == "separate" and self._fields and _PAGE_FIELD.match(self._fields[-1]):
            self._fields[-1] = _UNREAD
            return PAGE_NUMBER
        return ""


def inner_elements(parent: xml.Element, name: str) -> Iterator[xml.Element]:
    """Rows of a table or cells of a row, also inside content controls."""
    for child in xml.child_elements(parent, name, "sdt", "sdtContent", "customXml"):
        if xml.local_name(child) == name:
            yield child
        else:
            yield from inner_elements(child, name)


def _is_merged(cell: xml.Element, name: str) -> bool:
    """Whether a cell goes on the one above or to the left: as Word or as PowerPoint says it."""
    mark = xml.find_child(cell, "tcPr", name)
    return xml.attribute(cell, name) in ("1", "true") or (mark is not None and xml.val(mark) != "restart")


def _widen(cell: xml.Element, name: str, count: int) -> None:
    cell.set(name, str(int(cell.get(name, "1")) + count))


def _first(element: xml.Element | None, *names: str) -> xml.Element | None:
    return next((child for name in names for child in xml.child_elements(element, name)), None)


def find_boxes(element: xml.Element) -> Iterator[xml.Element]:
    for child in xml.child_elements(element):
        if xml.local_name(child) == "txbxContent":
            yield child
        elif xml.local_name(child) not in ("del", "moveFrom"):
            yield from find_boxes(child)


_SPECIAL = re.compile(r"[{}%&#$]")  # in TeX
_ACCENTS = {"\u20d7": "vec", "\u20d1": "vec", "\u0302": "hat", "\u0303": "tilde", "\u0307": "dot", "\u0308": "ddot"}
_LINES, _BRACES = "\u0304\u0305", "⏞⏟︷︸"


def _write_formula(element: xml.Element) -> str:
    """The formula (OMML) as TeX that can also be read as text: (a)/(b), x^(2), ∑_(i=1)^(n) i."""
    name = xml.local_name(element)

    def parts(name: str) -> list[str]:
        return [_write_formula(child) for child in xml.child_elements(element, name)]

    def part(name: str) -> str:
        return "".join(parts(name))

    def scripts(**signs: str) -> str:
        return "".join(f"{sign}({text})" for name, sign in signs.items() if (text := part(name)))

    def sign(key: str, usual: str) -> str:
        stated = xml.find_child(element, f"{name}Pr", key)
        return usual if stated is None else _escape(xml.val(stated))

    match name:
        case "t":
            return _escape(element.text or "")
        case "f":
            no_line = sign("type", "bar") == "noBar"
            return rf"\binom{{{part('num')}}}{{{part('den')}}}" if no_line else f"({part('num')})/({part('den')})"
        case "sSup" | "sSub" | "sSubSup":
            inside = [*xml.child_elements(xml.find_child(element, "e"), "f", "sSup", "nary", "func")]
            return (f"({part('e')})" if inside else part("e")) + scripts(sub="_", sup="^")
        case "sPre":
            return scripts(sub="_", sup="^") + part("e")
        case "rad":
            return f"{scripts(deg='^')}√({part('e')})"
        case "nary":
            return f"{sign('chr', '∫')}{scripts(sub='_', sup='^')} {part('e')} "
        case "func":
            return f" {part('fName')} {part('e')} "
        case "limLow" | "limUpp":
            return part("e") + scripts(lim="_" if name == "limLow" else "^")
        case "d":
            inner = sign("sepChr", "|").join(parts("e"))
            is_binomial = re.fullmatch(r"\\binom\{[^{}]*\}\{[^{}]*\}", inner)
            return inner if is_binomial else sign("begChr", "(") + inner + sign("endChr", ")")
        case "m" | "eqArr":
            rows = "; ".join(parts("mr" if name == "m" else "e"))
            has_brackets = name == "eqArr" or "d" in map(xml.local_name, islice(element.iterancestors(), 2))
            return rows if has_brackets else f"[{rows}]"
        case "mr":
            return ", ".join(parts("e"))
        case "bar":
            return f"{'overline' if sign('pos', 'bot') == 'top' else 'underline'}({part('e')})"
        case "acc":
            inner, accent = part("e"), sign("chr", "\u0302")
            if len(inner) == 1:
                return unicodedata.normalize("NFC", inner + accent)
            return f"{'overline' if accent in _LINES else _ACCENTS.get(accent, '')}({inner})"
        case "groupChr" if sign("chr", "⏟") not in _BRACES:
            return f"{sign('chr', '')}^({part('e')})"
        case _ if name.endswith("Pr") or name in ("del", "moveFrom") or sign("show", "1") in ("0", "off", "false"):
            return ""
    return "".join(map(_write_formula, xml.child_elements(element)))


def _escape(text: str) -> str:
    return _SPECIAL.sub(r"\\\g<0>", text)
