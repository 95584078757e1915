"""What is written over a page (fields, boxes, strikeouts, comments), and words that people are not meant to read."""

from __future__ import annotations

import ctypes
import math
from bisect import bisect_left, bisect_right
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any

from pypdfium2 import PdfBitmap, PdfMatrix, PdfPage, PdfTextPage, raw
from pypdfium2.raw import FPDF_ANNOTATION

from corpus.ingestion.readers.pdf.letters import PageLetters, Span
from corpus.ingestion.readers.pdf.page_objects import Rule, Sides, is_in_box
from corpus.ingestion.readers.pdf.words import Word
from corpus.ingestion.readers.structure import group_while

_LOW, _HIGH = 0.28, 0.68  # of a word's box from below: where a line crosses it out
_COVERED = 0.7  # of the line; a longer one is a border or the line of a diagram
_LARGE, _MAX_MARK = 1.4, 40  # times the size of the body, and characters: of a watermark
_PALE, _LIGHT = 185, 245  # of 255: a watermark is between them
_STEP, _ALIGNED, _BESIDE_GAP = 5, 8.0, 1.2  # of numbers of lines: lines, points, and times the size from the text
_SCALE, _MIN_SCALE, _MAX_PIXELS = 2.0, 0.9, 8_100_000  # pixels a point, and of the picture: A0 has one a point
_FAINT = 14  # of 255, between the lightest and the darkest pixel of a word that cannot be read

Pixels = tuple[int, int, int, int]
"""Left, top, right and bottom, from the top left corner of a picture of the page."""


def struck_words(words: Sequence[Word], rules: Sequence[Rule]) -> Iterator[Word]:
    """The words through which a line is drawn that is about as long as they are. `rules` are in order."""
    heights = [rule.at for rule in rules]
    crossed: dict[Rule, list[Word]] = defaultdict(list)
    for word in words if rules else ():
        tall = word.top - word.bottom
        first, last = bisect_left(heights, word.bottom + _LOW * tall), bisect_right(heights, word.bottom + _HIGH * tall)
        for rule in rules[first:last]:
            if rule.start - 1 <= word.x <= rule.stop + 1:
                crossed[rule].append(word)
    for rule, struck in crossed.items():
        wide = max(word.right for word in struck) - min(word.left for word in struck)
        if wide >= _COVERED * (rule.stop - rule.start):
            yield from struck


def is_watermark(page: PageLetters, span: Span, body: float) -> bool:
    """Whether a line is faint, and large and aslant or very large and grey. A title may be any of these alone."""
    if span.size < _LARGE * body or span.stop - span.start > _MAX_MARK:
        return False
    *color, alpha = page.color(span.start)
    if alpha >= _PALE and not _PALE <= min(color) <= _LIGHT:
        return False
    is_grey = alpha < _PALE or max(color) - min(color) <= _FAINT
    return span.slanted or (span.size >= 2 * _LARGE * body and is_grey)


def line_numbers(lines: Sequence[Sequence[Word]]) -> Iterator[Word]:
    """The numbers beside every fifth line, as poems and texts of exams have them."""
    beside = sorted((word for words in lines for word in _numbers_beside(words)), key=lambda word: (word.right, word.y))
    heights = sorted({round(words[0].bottom) for words in lines if words})
    for column in group_while(beside, lambda column, word: word.right - column[-1].right <= _ALIGNED):
        for word, below in pairwise(sorted(column, key=lambda word: -word.y)):
            between = bisect_left(heights, round(word.bottom)) - bisect_right(heights, round(below.bottom))
            number, following = int(word.text), int(below.text)
            if number % _STEP == 0 and following == number + _STEP and between in (_STEP - 1, _STEP):
                yield from (word, below)


def _numbers_beside(words: Sequence[Word]) -> Iterator[Word]:
    """Numbers at an end of a line, far from its text."""
    for ends in (words[:2], words[:-3:-1]):
        if ends and ends[0].text.isdecimal() and len(ends[0].text) <= 3:
            one, other = min(ends, key=lambda word: word.left), max(ends, key=lambda word: word.left)
            if len(ends) == 1 or other.left - one.right >= _BESIDE_GAP * one.size:
                yield ends[0]


def unseen_words(
    page: PdfPage, textpage: PdfTextPage, words: Sequence[Word], pictures: Sequence[Sides]
) -> Iterator[Word]:
    """The words that leave no trace where they stand on the drawn page: in the colour of their ground, invisible, or
    switched off. Words on a picture are seen: they may be the text of a scan."""
    width, height = (max(1.0, side) for side in page.get_size())
    scale = min(_SCALE, math.sqrt(_MAX_PIXELS / width / height))
    if scale < _MIN_SCALE:
        return  # thin letters would leave no trace
    bitmap = page.render(scale=scale, may_draw_forms=False)
    drawn = bitmap.to_pil().convert("RGB")
    for word in words:
        if any(is_in_box(word.left, word.y, sides) for sides in pictures):
            continue
        left, top, right, bottom = find_letters(bitmap, page, textpage, (word.start, word.stop - 1))
        inset = (bottom - top) // 4 if any(map(str.isalnum, word.text)) else 0  # lines above and below stay out
        # With some paper at the sides: an "l" fills its box.
        region = drawn.crop((max(left - 1, 0), top + inset, min(right + 1, drawn.width), bottom - inset))
        if min(region.size) > 0 and max(high - low for low, high in region.getextrema()) <= _FAINT:
            yield word


def find_letters(bitmap: PdfBitmap, page: PdfPage, textpage: PdfTextPage, letters: Iterable[int]) -> Pixels:
    """Where the letters with these indices stand together on a picture of their page."""
    boxes = (textpage.get_charbox(index, loose=True) for index in letters)
    lefts, bottoms, rights, tops = zip(*boxes, strict=True)
    return find_pixels(bitmap, page, (min(lefts), min(bottoms), max(rights), max(tops)))


def find_pixels(bitmap: PdfBitmap, page: PdfPage, sides: Sides) -> Pixels:
    """Where a part of a page stands on its picture, however the page is turned or cut."""
    corners = [bitmap.get_posconv(page).to_bitmap(x, y) for x, y in (sides[:2], sides[2:])]
    xs, ys = zip(*corners, strict=True)
    left, right = sorted(min(max(x, 0), bitmap.width) for x in xs)
    top, bottom = sorted(min(max(y, 0), bitmap.height) for y in ys)
    return left, top, right, bottom


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
    found = Annotations()
    for number in range(raw.FPDFPage_GetAnnotCount(page)):
        annotation = raw.FPDFPage_GetAnnot(page, number)
        try:
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
        finally:
            raw.FPDFPage_CloseAnnot(annotation)
    found.fields.sort(key=lambda word: (-round(word.y / 4), word.left))
    return found


def _value(page: PdfPage, annotation: FPDF_ANNOTATION) -> str:
    """The value of a field; a box that is ticked or not."""
    form = page.formenv
    kind = raw.FPDFAnnot_GetFormFieldType(form, annotation) if form else None
    if kind in (raw.FPDF_FORMFIELD_CHECKBOX, raw.FPDF_FORMFIELD_RADIOBUTTON):
        return TICKED if raw.FPDFAnnot_IsChecked(form, annotation) else UNTICKED
    has_text = kind in (raw.FPDF_FORMFIELD_TEXTFIELD, raw.FPDF_FORMFIELD_COMBOBOX, raw.FPDF_FORMFIELD_LISTBOX)
    if has_text and not raw.FPDFAnnot_GetFormFieldFlags(form, annotation) & _PASSWORD:
        return _text(raw.FPDFAnnot_GetFormFieldValue, form, annotation)
    return ""


def _text(read: Callable[..., int], *args: Any) -> str:
    """A text of PDFium, which is asked for its length first."""
    length = read(*args, None, 0)
    buffer = (ctypes.c_ushort * (length // 2 + 1))()
    read(*args, ctypes.cast(buffer, ctypes.POINTER(raw.FPDF_WCHAR)), length)
    return bytes(buffer)[: max(length - 2, 0)].decode("utf-16-le", "replace")


def _words(text: str, annotation: FPDF_ANNOTATION, turn: PdfMatrix, index: int) -> Iterator[Word]:
    """The text as one word at the height of its first line."""
    rect = raw.FS_RECTF()
    if not text.strip() or not raw.FPDFAnnot_GetRect(annotation, rect):
        return
    left, bottom, right, top = turn.on_rect(rect.left, rect.bottom, rect.right, rect.top)
    middle = (bottom + top) / 2 if top - bottom <= 2 * _TALL else top - _TALL / 2
    right = min(right, left + _WIDE * max(len(text), 2))
    yield Word(index, index + 1, " ".join(text.split()), left, middle - _TALL / 2, right, middle + _TALL / 2)


def _strikeouts(annotation: FPDF_ANNOTATION, turn: PdfMatrix) -> Iterator[Rule]:
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
