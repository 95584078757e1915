"""What stands on a page without being part of it: fields of a form, text boxes, strikeouts, comments."""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from corpus.ingestion.readers.pdf.glyphs import Glyph, Turn
from corpus.ingestion.readers.pdf.letters import PageLetters, Span
from corpus.ingestion.readers.pdf.rules import Rule

if TYPE_CHECKING:
    from pypdfium2 import PdfPage
    from pypdfium2.raw import FPDF_ANNOTATION

_HIDDEN, _PASSWORD = 0x02 | 0x20, 1 << 13  # flags: hidden or not to be viewed; of a field
_TALL, _WIDE, _NEAR = 14.0, 5.0, 40.0  # points: a line, a letter, and from a box to its label

TICKED, UNTICKED = "☑", "☐"


@dataclass
class Annotations:
    """The annotations of a page that say something, with lengths in points as displayed."""

    fields: list[Glyph] = field(default_factory=list)  # values, in reading order; their indices follow those of letters
    boxes: list[Glyph] = field(default_factory=list)  # of text
    strikeouts: list[Rule] = field(default_factory=list)
    has_comments: bool = False


def read_annotations(page: PdfPage, turn: Turn, first: int) -> Annotations:
    """The annotations of a page; `first` is the index that the first one gets."""
    from pypdfium2 import raw

    found = Annotations()
    for number in range(raw.FPDFPage_GetAnnotCount(page.raw)):
        with _opened(page, number) as annotation:
            if raw.FPDFAnnot_GetFlags(annotation) & _HIDDEN:
                continue
            kind = raw.FPDFAnnot_GetSubtype(annotation)
            contents = _text(raw.FPDFAnnot_GetStringValue, annotation, b"Contents").strip()
            if kind == raw.FPDF_ANNOT_WIDGET:
                found.fields += _glyphs(_value(page, annotation), annotation, turn, first + number)
            elif kind == raw.FPDF_ANNOT_FREETEXT:
                found.boxes += _glyphs(contents, annotation, turn, first + number)
            elif kind == raw.FPDF_ANNOT_STRIKEOUT:
                found.strikeouts += _strikeouts(annotation, turn)
            elif kind not in (raw.FPDF_ANNOT_LINK, raw.FPDF_ANNOT_POPUP):
                found.has_comments = found.has_comments or bool(contents)
    found.fields.sort(key=lambda glyph: (-round(glyph.y / 4), glyph.left))
    return found


@contextmanager
def _opened(page: PdfPage, number: int) -> Iterator[FPDF_ANNOTATION]:
    from pypdfium2 import raw

    annotation = raw.FPDFPage_GetAnnot(page.raw, number)
    try:
        yield annotation
    finally:
        raw.FPDFPage_CloseAnnot(annotation)


def _value(page: PdfPage, annotation: FPDF_ANNOTATION) -> str:
    """The value of a field; a box that is ticked or not."""
    from pypdfium2 import raw

    form = page.formenv
    if form is None:
        return ""
    kind = raw.FPDFAnnot_GetFormFieldType(form.raw, annotation)
    if kind in (raw.FPDF_FORMFIELD_CHECKBOX, raw.FPDF_FORMFIELD_RADIOBUTTON):
        return TICKED if raw.FPDFAnnot_IsChecked(form.raw, annotation) else UNTICKED
    if kind not in (raw.FPDF_FORMFIELD_TEXTFIELD, raw.FPDF_FORMFIELD_COMBOBOX, raw.FPDF_FORMFIELD_LISTBOX):
        return ""
    if raw.FPDFAnnot_GetFormFieldFlags(form.raw, annotation) & _PASSWORD:
        return ""
    return _text(raw.FPDFAnnot_GetFormFieldValue, form.raw, annotation)


def _text(read: Callable[..., int], *args: Any) -> str:
    """A text of PDFium, which is asked for its length first."""
    from pypdfium2 import raw

    length = read(*args, None, 0)
    buffer = (ctypes.c_ushort * (length // 2 + 1))()
    read(*args, ctypes.cast(buffer, ctypes.POINTER(raw.FPDF_WCHAR)), length)
    return bytes(buffer)[: max(length - 2, 0)].decode("utf-16-le", "replace")


def _glyphs(text: str, annotation: FPDF_ANNOTATION, turn: Turn, index: int) -> Iterator[Glyph]:
    """The text as one letter at the height of its first line."""
    from pypdfium2 import raw

    rect = raw.FS_RECTF()
    if not text.strip() or not raw.FPDFAnnot_GetRect(annotation, rect):
        return
    (x0, y0), (x1, y1) = turn(rect.left, rect.bottom), turn(rect.right, rect.top)
    left, bottom, right, top = min(x0, x1), min(y0, y1), max(x0, x1), max(y0, y1)
    middle = (bottom + top) / 2 if top - bottom <= 2 * _TALL else top - _TALL / 2
    right = min(right, left + _WIDE * max(len(text), 2))
    yield Glyph(index, " ".join(text.split()), left, middle - _TALL / 2, right, middle + _TALL / 2)


def _strikeouts(annotation: FPDF_ANNOTATION, turn: Turn) -> Iterator[Rule]:
    from pypdfium2 import raw

    points = raw.FS_QUADPOINTSF()
    for number in range(raw.FPDFAnnot_CountAttachmentPoints(annotation)):
        if raw.FPDFAnnot_GetAttachmentPoints(annotation, number, points):
            (x0, y0), (x1, y1) = turn(points.x1, points.y1), turn(points.x4, points.y4)  # opposite corners
            yield Rule((y0 + y1) / 2, min(x0, x1), max(x0, x1))


def write_fields(page: PageLetters, spans: Sequence[Span], fields: Sequence[Glyph]) -> list[Glyph]:
    """Write each value behind its label, each box before it. Returns those that stand at the height of no text."""
    apart = []
    places: dict[int, list[tuple[float, int]]] = {}  # of the letters of a line, by its start
    for value in fields:
        level = [span for span in spans if abs(span.y + 0.3 * span.size - value.y) <= 0.8 * span.size]
        for span in level:
            if span.start not in places:
                visible = page.visible(span.start, span.stop)
                places[span.start] = [(page.origin(index)[0], index) for index in visible]
        letters = [place for span in level for place in places[span.start]]
        before = max((place for place in letters if place[0] < value.x), default=None)
        after = min((place for place in letters if place[0] >= value.x), default=None)
        is_box = value.text in (TICKED, UNTICKED)
        if is_box and after and after[0] - value.right <= _NEAR:
            page.written[after[1]] = f"{value.text} {page.written.get(after[1], page.text[after[1]])}"
        elif before:
            page.written[before[1]] = f"{page.written.get(before[1], page.text[before[1]])} {value.text} "
        else:
            apart.append(value)
    return apart
