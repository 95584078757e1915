"""The text of a Word paragraph: runs, links, tracked insertions, formulas, footnote marks."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from corpus.ingestion.readers.structure import one_line

if TYPE_CHECKING:
    from docx.parts.document import DocumentPart
    from lxml.etree import _Element

# Deleted text, text boxes (Word stores them twice), and properties.
_SKIPPED = frozenset({"del", "moveFrom", "Fallback", "txbxContent", "pPr", "rPr", "instrText", "delText", "rPh", "rt"})
_FIXED = {"tab": " ", "cr": "\n", "noBreakHyphen": "-", "ptab": " "}


def local_name(element: _Element) -> str:
    """The name of an element without its namespace, "" for comments and processing instructions."""
    return element.tag.rpartition("}")[2] if isinstance(element.tag, str) else ""


def child_elements(element: _Element, name: str | None = None) -> Iterator[_Element]:
    """The child elements, all or those with this name."""
    return (child for child in element if isinstance(child.tag, str) and name in (None, local_name(child)))


def descendants(element: _Element, name: str) -> Iterator[_Element]:
    """The element and all elements in it that have this name, in any namespace."""
    return (inner for inner in element.iter() if local_name(inner) == name)


def attribute(element: _Element, name: str) -> str:
    """The attribute of this name in any namespace, "" if there is none."""
    return next((str(text) for key, text in element.attrib.items() if key.rpartition("}")[2] == name), "")


def val(element: _Element) -> str:
    """The `val` attribute, "" if there is none."""
    return "" if element is None else attribute(element, "val")


class Footnotes:
    """Footnotes and endnotes, to be added after the paragraph that mentions them."""

    def __init__(self, part: DocumentPart) -> None:
        self._texts: dict[str, str] = {}
        self._pending: list[str] = []
        for kind, prefix in (("footnote", ""), ("endnote", "e")):
            for note in _note_elements(part, kind):
                self._texts[prefix + attribute(note, "id")] = inner_text(note)

    def mention(self, reference: _Element) -> str:
        """The Markdown mark of a note, "" for an empty note."""
        key = ("e" if local_name(reference) == "endnoteReference" else "") + attribute(reference, "id")
        if not self._texts.get(key):
            return ""
        self._pending.append(key)
        return f"[^{key}]"

    def take(self) -> list[str]:
        """The notes mentioned since the last call, as Markdown footnotes."""
        taken = [f"[^{key}]: {self._texts[key]}" for key in dict.fromkeys(self._pending)]
        self._pending.clear()
        return taken


def _note_elements(part: DocumentPart, kind: str) -> Iterator[_Element]:
    from docx.oxml.parser import parse_xml

    for relation in part.rels.values():
        if str(relation.reltype).endswith(f"/{kind}s") and not relation.is_external:
            try:
                yield from child_elements(parse_xml(relation.target_part.blob), kind)
            except SyntaxError:  # lxml raises it for broken XML
                return


def paragraph_text(element: _Element, notes: Footnotes | None = None) -> str:
    """The visible text of a paragraph. Only its own line breaks are kept."""
    return "".join(_parts(element, notes))


def inner_text(element: _Element, notes: Footnotes | None = None) -> str:
    """All paragraphs in the element, including nested tables, on one line."""
    return one_line(" ".join(paragraph_text(paragraph, notes) for paragraph in _paragraphs(element)))


def _paragraphs(element: _Element) -> Iterator[_Element]:
    for child in child_elements(element):
        if local_name(child) == "p":
            yield child
        elif local_name(child) not in _SKIPPED:
            yield from _paragraphs(child)


def _parts(element: _Element, notes: Footnotes | None) -> Iterator[str]:
    for child in child_elements(element):
        name = local_name(child)
        if name in _SKIPPED or name == "p":
            continue
        if name == "t":
            yield child.text or ""
        elif name == "br":
            yield "" if any(text in ("page", "column") for text in child.attrib.values()) else "\n"
        elif name in _FIXED:
            yield _FIXED[name]
        elif name in ("footnoteReference", "endnoteReference"):
            yield notes.mention(child) if notes else ""
        elif name == "oMath":
            yield f"${_formula(child)}$"
        else:
            yield from _parts(child, notes)


def _formula(element: _Element) -> str:
    """A formula on one line: (a)/(b), x^(2), x_(i), √(x)."""
    name = local_name(element)
    if name == "t":
        return element.text or ""
    if name.endswith("Pr"):
        return ""
    parts = {local_name(child): _formula(child) for child in child_elements(element)}
    if name == "f":
        return f"({parts.get('num', '')})/({parts.get('den', '')})"
    if name in ("sSup", "sSub", "sSubSup"):
        marks = (("sub", "_"), ("sup", "^"))
        return parts.get("e", "") + "".join(f"{mark}({parts[key]})" for key, mark in marks if key in parts)
    if name == "rad":
        return f"{parts.get('deg', '')}√({parts.get('e', '')})"
    return "".join(_formula(child) for child in child_elements(element))
