"""The text of Office paragraphs: runs, links, fields, content controls, formulas, marks of notes."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import groupby
from typing import TYPE_CHECKING, Literal

from corpus.ingestion.readers.office.formulas import write_formula
from corpus.ingestion.readers.office.symbol_fonts import read_symbol, read_symbols
from corpus.ingestion.readers.signs import join_lowered, raise_text
from corpus.ingestion.readers.structure import one_line
from corpus.ingestion.readers.titles import sensible_title
from corpus.ingestion.readers.xml import (
    attribute,
    child_elements,
    contains,
    descendants,
    find_child,
    has_any_text,
    is_set,
    local_name,
    val,
)

if TYPE_CHECKING:
    from lxml.etree import _Element

STRUCK = "Crossed-out text was left out."
DELETED = "Deleted text (tracked changes) was left out."
HIDDEN = "Hidden text was left out."
COMMENTS = "Comments were left out."

# Texts that stand elsewhere or nowhere: boxes are read after their paragraph.
_SKIPPED = frozenset({"p", "txbxContent", "pPr", "rPr", "delInstrText", "rPh", "rt", "sdtPr"})
_FIXED = {"tab": "\t", "ptab": "\t", "cr": "\n", "noBreakHyphen": "-"}
_GAP, _FORMULA = "\0", "\1"  # where text was left out, and the ends of a formula; XML has no such characters
PAGE_NUMBER = "\2"
_PAGE_FIELD = re.compile(r"\s*(?:PAGE|NUMPAGES|SECTIONPAGES)\b", re.IGNORECASE)
_BY_PROGRAM = re.compile(r"\s*(?:Description automatically generated|AI-generated content).*", re.DOTALL)

Shift = Literal["", "^", "_"]


@dataclass(frozen=True)
class RunLook:
    """How a run is to be read."""

    shift: Shift = ""
    left_out: str = ""  # the note that says why it is
    font: str = ""


class TextReader:
    """Reads paragraphs and remembers what it leaves out and which notes they mention."""

    def __init__(
        self,
        find_look: Callable[[_Element], RunLook],
        find_label: Callable[[_Element], str | None] = lambda paragraph: None,
    ) -> None:
        self.notes: dict[tuple[str, str], _Element] = {}  # footnotes and endnotes by kind and id
        self.left_out: set[str] = set()
        self.pictures = 0  # without a description
        self._find_look = find_look
        self._find_label = find_label
        self._fields: list[str] = []  # the codes of the open fields; _GAP for one whose result is not read
        self._marks: dict[tuple[str, str], str] = {}
        self._mentioned: dict[tuple[str, str], None] = {}

    def paragraph_text(self, element: _Element) -> str:
        """The visible text of a paragraph with its own line breaks and tabs."""
        self._fields = []
        parts = list(self._parts(element, RunLook()))
        if len({shift for shift, text in parts if text.strip()}) == 1:  # a paragraph that is raised is no power
            parts = [("", text) for _, text in parts]
        text = ""
        for shift, group in groupby(parts, key=lambda part: part[0]):
            run = "".join(part for _, part in group)
            is_plain = not shift or run.lstrip().startswith("[")
            text += run if is_plain else raise_text(run) if shift == "^" else join_lowered(text, run)
        text = re.sub(rf"(^|\s){_GAP}+ ", r"\1", text).replace(_GAP, "").replace("\u2011", "-")
        return text.replace(_FORMULA * 2, "$ $").replace(_FORMULA, "$")

    def inner_text(self, element: _Element) -> str:
        """All paragraphs in the element, with boxes and nested tables, on one line."""
        return one_line(" ".join(self._texts(element)))

    def take_notes(self) -> list[str]:
        """The notes mentioned since the last call, each behind its mark."""
        mentioned, self._mentioned = self._mentioned, {}
        return [f"{self._marks[key]} {text}" for key in mentioned if (text := self.inner_text(self.notes[key]))]

    def remove_marks(self, text: str) -> str:
        """A heading without the marks of its notes."""
        return re.sub("|".join(re.escape(self._marks[key]) for key in self._mentioned) or "$", "", text)

    def describe_picture(self, element: _Element) -> str:
        """The alternative text of a picture, or the words that are drawn in it. One without words is counted."""
        for holder in descendants(element, "docPr", "cNvPr", "shape", "textpath"):
            stated = next(filter(None, (attribute(holder, name) for name in ("string", "descr", "alt", "title"))), "")
            if words := sensible_title(_BY_PROGRAM.sub("", stated)):
                return f"[Picture: {words}]"
        is_picture = contains(element, "blip", "imagedata", "chart", "relIds", "OLEObject")
        self.pictures += is_picture and not any(is_set(one) for one in descendants(element, "decorative"))
        return ""

    def leave_out(self, why: str, element: _Element) -> None:
        """Remember why an element is left out, if it has words."""
        if has_any_text(element):
            self.left_out.add(why)

    def _texts(self, element: _Element) -> Iterator[str]:
        for child in child_elements(element):
            if local_name(child) == "p":
                yield f"{self._find_label(child) or ''} {self.paragraph_text(child)}"
                for box in find_boxes(child):
                    yield from self._texts(box)
            elif local_name(child) not in _SKIPPED:
                yield from self._texts(child)

    def _parts(self, element: _Element, look: RunLook) -> Iterator[tuple[Shift, str]]:
        for child in child_elements(element):
            name = local_name(child)
            if name in ("r", "fld"):
                own = self._find_look(child)
                parts = list(self._parts(child, own))
                if own.left_out:
                    self.leave_out(own.left_out, child)
                    parts = [("", _GAP)]
                yield from parts
            elif name in ("del", "moveFrom"):
                self.leave_out(DELETED, child)
                yield "", _GAP
            elif name == "fldChar":
                yield "", self._read_field(child)
            elif name == "instrText" and self._fields:
                self._fields[-1] += child.text or ""
            elif name in _SKIPPED or any(code.startswith(_GAP) for code in self._fields):
                continue
            elif name == "t" or name in _FIXED:
                yield look.shift, _FIXED.get(name) or read_symbols(child.text or "", look.font)
            elif name == "sym":
                yield look.shift, read_symbol(attribute(child, "char"), attribute(child, "font"))
            elif name == "br":
                yield "", "" if any(text in ("page", "column") for text in child.attrib.values()) else "\n"
            elif name in ("footnoteReference", "endnoteReference") and not look.left_out:
                yield "", self._mention((name.removesuffix("Reference"), attribute(child, "id")))
            elif name == "oMath":
                yield "", f"{_FORMULA}{write_formula(child)}{_FORMULA}"
            elif name in ("drawing", "pict", "object"):
                yield "", "" if contains(child, "txbxContent") else self.describe_picture(child)
            elif name == "hyperlink" and attribute(child, "anchor"):  # a raised link leads to a note
                for shift, text in self._parts(child, look):
                    yield ("", f"[{text.strip()}]") if shift == "^" else (shift, text)
            elif name == "fldSimple" and _PAGE_FIELD.match(attribute(child, "instr")):
                yield "", PAGE_NUMBER
            else:
                yield from self._parts(child, look)

    def _mention(self, key: tuple[str, str]) -> str:
        """The mark of a note. All notes are counted together."""
        if key not in self.notes:
            return ""
        self._mentioned[key] = None
        return self._marks.setdefault(key, f"[{len(self._marks) + 1}]")

    def _read_field(self, mark: _Element) -> str:
        """What stands for a field itself: the box or the choice of a form, a sign for the number of the page."""
        kind = attribute(mark, "fldCharType")
        if kind == "begin":
            form = find_child(mark, "ffData")
            box, choice = find_child(form, "checkBox"), find_child(form, "ddList")
            self._fields.append("" if box is None and choice is None else _GAP)
            if box is not None:
                return "☑" if is_set(_first(box, "checked", "default")) else "☐"
            entries, chosen = list(child_elements(choice, "listEntry")), val(_first(choice, "result", "default")) or "0"
            return val(entries[int(chosen)]) if chosen.isdecimal() and int(chosen) < len(entries) else ""
        if kind == "end" and self._fields:
            self._fields.pop()
        elif kind == "separate" and self._fields and _PAGE_FIELD.match(self._fields[-1]):
            self._fields[-1] = _GAP
            return PAGE_NUMBER
        return ""


def _first(element: _Element | None, *names: str) -> _Element | None:
    return next((child for name in names for child in child_elements(element, name)), None)


def find_boxes(element: _Element) -> Iterator[_Element]:
    """The text boxes in a paragraph, without those in them."""
    for child in child_elements(element):
        if local_name(child) == "txbxContent":
            yield child
        elif local_name(child) not in ("del", "moveFrom"):
            yield from find_boxes(child)


def settle_controls(root: _Element) -> None:
    """Empty the content controls that only show a prompt, and set the signs of those that are boxes."""
    for control in descendants(root, "sdt"):
        box = find_child(control, "sdtPr", "checkbox")
        sign = "☑" if is_set(find_child(box, "checked")) else "☐"
        if box is not None or is_set(find_child(control, "sdtPr", "showingPlcHdr")):
            for place, text in enumerate(list(descendants(control, "t", "sym"))):
                if box is None or place == 0:
                    text.tag = text.tag.replace("}sym", "}t")
                    text.text = "" if box is None else sign + (text.text or "")[1:]
