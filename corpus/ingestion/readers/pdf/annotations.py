"""What stands on a page without being part of it: fields of a form, text boxes, strikeouts, comments."""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from corpus.ingestion.readers.pdf.letters import PageLetters
from corpus.ingestion.readers.pdf.page_objects import Rule
from corpus.ingestion.readers.pdf.words import Word

if TYPE_CHECKING:
    from pypdfium2 import PdfMatrix, PdfPage
    from pypdfium2.raw import FPDF_ANNOTATION

_HIDDEN, _PASSWORD = 0x02 | 0x20, 1 << 13  # flags: hidden or not to be viewed; of a field
_TALL, _WIDE, _NEAR = 14.0, 5.0, 40.0  # points: a line, a letter, and from a box to its label

TICKED, UNTICKED = "☑", "☐"


@dataclass
class Annotations:
    """The annotations of a page that say something, with lengths in points as displayed."""

    fields: list[Word] = field(default_factory=list)  # values, in reading order; their indices follow those of letters
    boxes: list[Word] = field(default_factory=list)  # of text
    strikeouts: list[Rule] = field(default_factory=list)
    has_comments: bool = False


def read_annotations(page: PdfPage, turn: PdfMatrix, first: int) -> Annotations:
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
                found.fields += _words(_value(page, annotation), annotation, turn, first + number)
            elif kind == raw.FPDF_ANNOT_FREETEXT:
                found.boxes += _words(contents, annotation, turn, first + number)
            elif kind == raw.FPDF_ANNOT_STRIKEOUT:
                found.strikeouts += _strikeouts(annotation, turn)
            elif kind not in (raw.FPDF_ANNOT_LINK, raw.FPDF_ANNOT_POPUP):
                found.has_comments = found.has_comments or bool(contents)
    found.fields.sort(key=lambda word: (-round(word.y / 4), word.left))
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


def _words(text: str, annotation: FPDF_ANNOTATION, turn: PdfMatrix, index: int) -> Iterator[Word]:
    """The text as one word at the height of its first line."""
    from pypdfium2 import raw

    rect = raw.FS_RECTF()
    if not text.strip() or not raw.FPDFAnnot_GetRect(annotation, rect):
        return
    left, bottom, right, top = turn.on_rect(rect.left, rect.bottom, rect.right, rect.top)
    middle = (bottom + top) / 2 if top - bottom <= 2 * _TALL else top - _TALL / 2
    right = min(right, left + _WIDE * max(len(text), 2))
    yield Word(index, index + 1, " ".join(text.split()), left, middle - _TALL / 2, right, middle + _TALL / 2)


def _strikeouts(annotation: FPDF_ANNOTATION, turn: PdfMatrix) -> Iterator[Rule]:
    from pypdfium2 import raw

    points = raw.FS_QUADPOINTSF()
    for number in range(raw.FPDFAnnot_CountAttachmentPoints(annotation)):
        if raw.FPDFAnnot_GetAttachmentPoints(annotation, number, points):
            left, bottom, right, top = turn.on_rect(points.x1, points.y4, points.x4, points.y1)
            yield Rule((bottom + top) / 2, left, right)


def write_fields(page: PageLetters, words: Sequence[Word], fields: Sequence[Word]) -> list[Word]:
    """Write each value behind its label, each box before it. Returns those that stand at the height of no text."""
    apart = []
    for value in fields:
        level = [word for word in words if abs(word.y - value.y) <= 0.8 * word.size]
        before = max((word for word in level if word.left < value.x), key=lambda word: word.left, default=None)
        after = min((word for word in level if word.left >= value.x), key=lambda word: word.left, default=None)
        if value.text in (TICKED, UNTICKED) and after and after.left - value.right <= _NEAR:
            page.written[after.start] = f"{value.text} {page.read(after.start, after.start + 1)}"
        elif before:
            page.written[before.stop - 1] = f"{page.read(before.stop - 1, before.stop)} {value.text} "
        else:
            apart.append(value)
    return apart
