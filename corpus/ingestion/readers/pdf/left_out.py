"""Letters that people are not meant to read: crossed out, invisible, or outside the page."""

from __future__ import annotations

import ctypes
import math
import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import TYPE_CHECKING

from corpus.ingestion.readers.pdf.letters import PageLetters, Span
from corpus.ingestion.readers.pdf.page_objects import Sides, is_in_box
from corpus.ingestion.readers.pdf.rules import Rule

if TYPE_CHECKING:
    from pypdfium2 import PdfPage, PdfTextPage

_LOW, _HIGH = 0.12, 0.55  # times the size above the baseline: where a line crosses letters out
_COVERED = 0.7  # of the line; a longer one is a border or the line of a diagram
_LARGE, _MAX_MARK = 1.4, 40  # times the size of the body, and characters: of a watermark
_PALE, _LIGHT = 185, 245  # of 255: a watermark is between them
_STEP, _ALIGNED, _BESIDE_GAP = 5, 8.0, 1.2  # of numbers of lines: lines, points, and times the size from the text
_BESIDE = re.compile(r"^\s*(?P<first>\d{1,3})(?=\s|$)|\s(?P<last>\d{1,3})\s*$")
_SCALE, _MIN_SCALE, _MAX_PIXELS = 2.0, 0.9, 8_100_000  # pixels a point, and of the picture: A0 has one a point
_FAINT = 14  # of 255, between the lightest and the darkest pixel of a word that cannot be read

Pixels = tuple[int, int, int, int]
"""Left, top, right and bottom, from the top left corner of a picture of the page."""


def struck_letters(page: PageLetters, spans: Sequence[Span], rules: Sequence[Rule]) -> Iterator[int]:
    """The letters through which a line is drawn that is about as long as they are."""
    for rule in rules:
        for span in spans:
            if not _LOW * span.size <= rule.at - span.y <= _HIGH * span.size:
                continue
            if rule.stop < span.left or rule.start > span.right + span.size:
                continue
            boxes = {index: page.box(index) for index in page.visible(span.start, span.stop)}
            crossed = [index for index, box in boxes.items() if _crosses(rule, box)]
            if not crossed:
                continue
            wide = boxes[crossed[-1]][2] - boxes[crossed[0]][0]
            if wide >= _COVERED * (rule.stop - rule.start):
                yield from range(crossed[0], crossed[-1] + 1)


def _crosses(rule: Rule, box: Sides) -> bool:
    left, bottom, right, top = box
    return (
        rule.start - 1 <= (left + right) / 2 <= rule.stop + 1
        and 0.28 <= (rule.at - bottom) / max(top - bottom, 1.0) <= 0.7
    )


def outside_letters(page: PageLetters, spans: Sequence[Span], sides: Sides) -> Iterator[int]:
    """The letters of words that begin outside the page."""
    left, bottom, right, top = sides
    for span in spans:
        if left <= span.left and span.right <= right and bottom <= min(span.y, span.end_y) <= span.y <= top:
            continue
        for match in re.finditer(r"\S+", page.text[span.start : span.stop]):
            x, y = page.origin(span.start + match.start())
            if not is_in_box(x, y, sides):
                yield from range(span.start + match.start(), span.start + match.end())


def is_watermark(page: PageLetters, span: Span, body: float) -> bool:
    """Whether a line is faint, and large and aslant or very large and grey. A title may be any of these alone."""
    if span.size < _LARGE * body or span.stop - span.start > _MAX_MARK:
        return False
    *color, alpha = page.color(span.start)
    if alpha >= _PALE and not _PALE <= min(color) <= _LIGHT:
        return False
    is_grey = alpha < _PALE or max(color) - min(color) <= _FAINT
    return span.slanted or (span.size >= 2 * _LARGE * body and is_grey)


def line_numbers(page: PageLetters, spans: Sequence[Span]) -> Iterator[int]:
    """The digits of numbers beside every fifth line, as poems and texts of exams have them."""
    found = sorted(_numbers_beside(page, spans))
    heights = sorted({round(span.y) for span in spans})
    ends = [number for number, (one, other) in enumerate(pairwise(found), 1) if other[0] - one[0] > _ALIGNED]
    for start, stop in pairwise([0, *ends, len(found)]):
        column = sorted(found[start:stop], key=lambda beside: -beside[1])
        for (_, y, value, digits), (_, below, following, digits_below) in pairwise(column):
            between = bisect_left(heights, round(y)) - bisect_right(heights, round(below))
            if value % _STEP == 0 and following == value + _STEP and between in (_STEP - 1, _STEP):
                yield from (*digits, *digits_below)


def _numbers_beside(page: PageLetters, spans: Sequence[Span]) -> Iterator[tuple[float, float, int, range]]:
    """Numbers far from the text of their lines: right side, height, value and indices."""
    for span in spans:
        for match in _BESIDE.finditer(page.text[span.start : span.stop]):
            start, stop = (span.start + place for place in match.span(match.lastgroup or 0))
            others = [index for index in page.visible(span.start, span.stop) if not start <= index < stop]
            right = page.box(stop - 1)[2]
            if others:
                near = page.box(others[-1])[2] if others[-1] < start else right
                far = page.box(start)[0] if others[-1] < start else page.box(others[0])[0]
                if far - near < _BESIDE_GAP * span.size:
                    continue
            yield right, span.y, int(page.text[start:stop]), range(start, stop)


def unseen_letters(page: PdfPage, textpage: PdfTextPage, text: str, pictures: Sequence[Sides]) -> Iterator[int]:
    """The letters of words that leave no trace where they stand on the drawn page: in the colour of their ground,
    invisible, or switched off. Words on a picture are seen: they may be the text of a scan."""
    from pypdfium2 import raw

    width, height = (max(1.0, side) for side in page.get_size())
    scale = min(_SCALE, math.sqrt(_MAX_PIXELS / width / height))
    if scale < _MIN_SCALE:
        return  # thin letters would leave no trace
    drawn = page.render(scale=scale, may_draw_forms=False).to_pil().convert("RGB")
    x, y = ctypes.c_double(), ctypes.c_double()
    for match in re.finditer(r"[^\s\x02]+", text):
        first, last = match.start(), match.end() - 1
        raw.FPDFText_GetCharOrigin(textpage.raw, first, x, y)
        if any(is_in_box(x.value, y.value, sides) for sides in pictures):
            continue
        one, other = (letter_pixels(page, textpage, index, *drawn.size) for index in (first, last))
        if one is None or other is None:
            continue
        left, right = min(one[0], other[0]) - 1, max(one[2], other[2]) + 1  # with paper: an "l" fills its box
        top, bottom = min(one[1], other[1]), max(one[3], other[3])
        inset = (bottom - top) // 4 if any(map(str.isalnum, match.group())) else 0  # lines above and below stay out
        region = drawn.crop((max(left, 0), top + inset, min(right, drawn.width), bottom - inset))
        colors = [region.tobytes()[band::3] for band in range(3)]
        if min(region.size) > 0 and max(max(color) - min(color) for color in colors) <= _FAINT:
            yield from range(first, last + 1)


def letter_pixels(page: PdfPage, textpage: PdfTextPage, index: int, width: int, height: int) -> Pixels | None:
    """Where a letter stands on a picture of the page, however the page is turned or cut."""
    from pypdfium2 import raw

    rect, x, y = raw.FS_RECTF(), ctypes.c_int(), ctypes.c_int()
    if not raw.FPDFText_GetLooseCharBox(textpage.raw, index, rect):
        return None
    corners = []
    for side, edge in ((rect.left, rect.top), (rect.right, rect.bottom)):
        raw.FPDF_PageToDevice(page.raw, 0, 0, width, height, 0, side, edge, x, y)
        corners.append((min(max(x.value, 0), width), min(max(y.value, 0), height)))
    (x0, y0), (x1, y1) = corners
    return min(x0, x1), min(y0, y1), max(x0, x1), max(y0, y1)
