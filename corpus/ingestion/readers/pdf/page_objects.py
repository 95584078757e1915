"""What a page is drawn of: straight lines, pictures, and whether some of its text may be invisible."""

from __future__ import annotations

import ctypes
import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import TYPE_CHECKING

from corpus.ingestion.readers.structure import group_while

if TYPE_CHECKING:
    from pypdfium2 import PdfMatrix, PdfPage
    from pypdfium2.raw import FPDF_PAGEOBJECT

_MAX_OBJECTS, _FORM_DEPTH, _MAX_GROUNDS = 20_000, 4, 200
_WHITE, _SAME = 250, 24  # of 255, for each colour; the latter between a letter and its ground
_PARTS = tuple(ctypes.c_uint() for _ in range(4))  # of a colour; PDFium is used by one thread at a time
_MIN_WIDTH, _MIN_AREA = 60.0, 5000.0  # points, and square points; a logo or a sign is smaller
THICK = 6.0  # points; a thinner shape is no ground of text

Placed = tuple["FPDF_PAGEOBJECT", "PdfMatrix"]
Color = tuple[int, int, int, int]
Sides = tuple[float, float, float, float]
"""Left, bottom, right and top, in points of the page."""
_PAPER: Color = (255, 255, 255, 255)


@dataclass
class PageObjects:
    """The objects of a page by kind; none of a page with so many that it is a map."""

    paths: list[Placed] = field(default_factory=list)
    pictures: list[Sides] = field(default_factory=list)
    may_hide: bool = False  # whether text may be there that people do not see


def find_objects(page: PdfPage, *, has_layers: bool = False) -> PageObjects:
    """Sort the objects of a page. Colours are compared, nothing is drawn. `has_layers`: some may be switched off."""
    from pypdfium2 import raw

    found = PageObjects()
    texts: list[tuple[Color, FPDF_PAGEOBJECT, PdfMatrix | None]] = []
    grounds: list[tuple[float, Sides, Color]] = []  # with their areas
    for kind, item, outer in _walk(page):
        if kind == raw.FPDF_PAGEOBJ_TEXT:
            texts.append((fill_color(item), item, outer))
            found.may_hide |= raw.FPDFTextObj_GetTextRenderMode(item) == raw.FPDF_TEXTRENDERMODE_INVISIBLE
        elif kind == raw.FPDF_PAGEOBJ_PATH:
            found.paths.append((item, _matrix(item, outer)))
            if len(grounds) < _MAX_GROUNDS and _is_filled(item):
                left, bottom, right, top = sides = _find_sides(item, outer)
                if min(right - left, top - bottom) >= THICK:
                    grounds.append(((right - left) * (top - bottom), sides, fill_color(item)))
        elif kind == raw.FPDF_PAGEOBJ_IMAGE:
            found.pictures.append(_matrix(item, outer).on_rect(0, 0, 1, 1))
        if has_layers and kind in (raw.FPDF_PAGEOBJ_TEXT, raw.FPDF_PAGEOBJ_FORM):
            found.may_hide |= _is_optional(item)
    grounds.sort()
    fills = {_PAPER, *(color for *_, color in grounds)}
    inks = {ink for ink, *_ in texts}
    pale = {ink for ink in inks if ink[3] < _SAME or any(_is_alike(ink, fill) for fill in fills)}
    faint = (_is_faint(ink, _find_sides(item, outer), grounds) for ink, item, outer in texts if ink in pale)
    found.may_hide |= any(faint)
    return found


def _is_faint(ink: Color, text: Sides, grounds: Sequence[tuple[float, Sides, Color]]) -> bool:
    """Whether text has the colour of the smallest shape that it stands on, or of paper."""
    x, y = (text[0] + text[2]) / 2, (text[1] + text[3]) / 2
    ground = next((color for _, sides, color in grounds if is_in_box(x, y, sides)), _PAPER)
    return ink[3] < _SAME or _is_alike(ink, ground)


def is_in_box(x: float, y: float, sides: Sides) -> bool:
    left, bottom, right, top = sides
    return left <= x <= right and bottom <= y <= top


def readable_pictures(pictures: Sequence[Sides]) -> tuple[Sides, ...]:
    """The pictures that are large enough to show text."""
    return tuple(
        sides
        for sides in pictures
        if min(sides[2] - sides[0], 2 * (sides[3] - sides[1])) >= _MIN_WIDTH
        and (sides[2] - sides[0]) * (sides[3] - sides[1]) >= _MIN_AREA
    )


def _walk(page: PdfPage) -> Iterator[tuple[int, FPDF_PAGEOBJECT, PdfMatrix | None]]:
    """Each object with its kind and the matrix of the form that it stands in."""
    from pypdfium2 import raw

    count = raw.FPDFPage_CountObjects(page.raw)
    if count > _MAX_OBJECTS:
        return
    seen = 0
    waiting: list[tuple[FPDF_PAGEOBJECT, PdfMatrix | None, int]] = [
        (raw.FPDFPage_GetObject(page.raw, index), None, 0) for index in range(count)
    ]
    while waiting and seen < _MAX_OBJECTS:
        item, outer, depth = waiting.pop()
        seen += 1
        kind = raw.FPDFPageObj_GetType(item)
        yield kind, item, outer
        if kind == raw.FPDF_PAGEOBJ_FORM and depth < _FORM_DEPTH:
            matrix = _matrix(item, outer)
            for index in range(raw.FPDFFormObj_CountObjects(item)):
                waiting.append((raw.FPDFFormObj_GetObject(item, index), matrix, depth + 1))


def fill_color(item: FPDF_PAGEOBJECT) -> Color:
    """Red, green, blue and alpha; black where the object has none."""
    from pypdfium2 import raw

    red, green, blue, alpha = _PARTS
    if not raw.FPDFPageObj_GetFillColor(item, red, green, blue, alpha):
        return 0, 0, 0, 255
    return red.value, green.value, blue.value, alpha.value


def is_white(color: Color) -> bool:
    """Whether it cannot be seen on paper."""
    return color[3] == 0 or min(color[:3]) >= _WHITE


def _is_alike(one: Color, other: Color) -> bool:
    return all(abs(left - right) <= _SAME for left, right in zip(one[:3], other[:3], strict=True))


def _is_filled(path: FPDF_PAGEOBJECT) -> bool:
    from pypdfium2 import raw

    fill, stroke = ctypes.c_int(), ctypes.c_int()
    return bool(raw.FPDFPath_GetDrawMode(path, fill, stroke) and fill.value)


def _find_sides(item: FPDF_PAGEOBJECT, outer: PdfMatrix | None) -> Sides:
    from pypdfium2 import raw

    left, bottom, right, top = (ctypes.c_float() for _ in range(4))
    raw.FPDFPageObj_GetBounds(item, left, bottom, right, top)
    sides: Sides = left.value, bottom.value, right.value, top.value
    if outer:
        sides = outer.on_rect(*sides)
    return sides


def _is_optional(item: FPDF_PAGEOBJECT) -> bool:
    """Whether it is marked as optional content, which may be switched off."""
    from pypdfium2 import raw

    name, length = (ctypes.c_ushort * 8)(), ctypes.c_ulong()
    for index in range(raw.FPDFPageObj_CountMarks(item)):
        mark = raw.FPDFPageObj_GetMark(item, index)
        if raw.FPDFPageObjMark_GetName(mark, name, 16, length) and bytes(name).startswith("OC\0".encode("utf-16-le")):
            return True
    return False


def _matrix(item: FPDF_PAGEOBJECT, outer: PdfMatrix | None) -> PdfMatrix:
    """From the space of an object to that of the page."""
    from pypdfium2 import PdfMatrix, raw

    found = raw.FS_MATRIX()
    matrix: PdfMatrix = PdfMatrix.from_raw(found) if raw.FPDFPageObj_GetMatrix(item, found) else PdfMatrix()
    if outer:
        matrix = matrix.multiply(outer)
    return matrix


MAX_RULES = 4_000
"""A page with more lines than this is a drawing, whose lines are no borders of a table."""
SAME = 3.0
"""Points between two lines that meet or count as one. A filled shape is a line if it is as thin."""
_SKEW, _MIN_RULE_LENGTH = 1.0, 5.0  # points by which a straight line may lean

Place = tuple[float, float]


@dataclass(frozen=True, order=True)
class Rule:
    """A horizontal line at height `at`, or a vertical one at that distance from the left. In points, as displayed."""

    at: float
    start: float
    stop: float


@dataclass(frozen=True)
class Rules:
    """The lines of a page, in order of `at`. Parts of one line are joined."""

    horizontal: tuple[Rule, ...] = ()
    vertical: tuple[Rule, ...] = ()

    def turned(self, turns: int) -> Rules:
        """The lines as if the page were turned clockwise by this many quarters."""
        if not turns:
            return self
        level = tuple(Rule(-rule.at, rule.start, rule.stop) for rule in reversed(self.vertical))
        upright = tuple(Rule(rule.at, -rule.stop, -rule.start) for rule in self.horizontal)
        return Rules(level, upright).turned(turns - 1)


def page_rules(page: PdfPage, paths: Sequence[Placed], turn: PdfMatrix) -> Rules:
    """The horizontal and vertical lines of these paths. `turn` maps a point to where it is displayed."""
    left, bottom, right, top = turn.on_rect(*page.get_bbox())
    most = 0.9 * (right - left), 0.9 * (top - bottom)
    horizontal: list[Rule] = []
    vertical: list[Rule] = []
    for item, matrix in paths:
        for (x0, y0), (x1, y1) in _edges(item, matrix.multiply(turn), most):
            if abs(y0 - y1) <= _SKEW < abs(x0 - x1):
                horizontal.append(Rule((y0 + y1) / 2, min(x0, x1), max(x0, x1)))
            elif abs(x0 - x1) <= _SKEW < abs(y0 - y1):
                vertical.append(Rule((x0 + x1) / 2, min(y0, y1), max(y0, y1)))
        if len(horizontal) + len(vertical) > MAX_RULES:
            return Rules()
    return Rules(joined_rules(horizontal), joined_rules(vertical))


def joined_rules(parts: Sequence[Rule]) -> tuple[Rule, ...]:
    """The parts joined to lines where they touch or overlap, without short strokes."""
    levels = group_while(sorted(parts), lambda level, part: part.at - level[0].at <= SAME - _SKEW)
    lines = (line for level in levels for line in _join_level(level))
    return tuple(line for line in lines if line.stop - line.start >= _MIN_RULE_LENGTH)


def _join_level(level: Sequence[Rule]) -> Iterator[Rule]:
    at = sum(part.at for part in level) / len(level)
    parts = sorted(level, key=lambda part: part.start)
    for line in group_while(parts, lambda line, part: part.start <= max(one.stop for one in line) + SAME):
        yield Rule(at, line[0].start, max(part.stop for part in line))


Edge = tuple[Place, Place]


def _edges(path: FPDF_PAGEOBJECT, matrix: PdfMatrix, most: Place) -> list[Edge]:
    """The edges of a path. A thin filled shape is one line; a filled shape as large as the page has none."""
    from pypdfium2 import raw

    fill, stroke = ctypes.c_int(), ctypes.c_int()
    raw.FPDFPath_GetDrawMode(path, fill, stroke)
    if not stroke.value and (not fill.value or is_white(fill_color(path))):
        return []
    if stroke.value and _stroke_width(path, matrix) >= THICK:
        return []  # a ground of text, such as the stroke of a text marker
    edges: list[Edge] = []
    for points in _subpaths(path, matrix):
        xs, ys = [x for x, _ in points], [y for _, y in points]
        width, height = max(xs) - min(xs), max(ys) - min(ys)
        if width > most[0] and height > most[1]:
            continue
        if not stroke.value and min(width, height) <= SAME:
            x, y = (min(xs) + max(xs)) / 2, (min(ys) + max(ys)) / 2
            thick = height > width
            edges.append(((x, min(ys)), (x, max(ys))) if thick else ((min(xs), y), (max(xs), y)))
        else:
            edges += pairwise(points)
    return edges


def _stroke_width(path: FPDF_PAGEOBJECT, matrix: PdfMatrix) -> float:
    from pypdfium2 import raw

    width = ctypes.c_float()
    raw.FPDFPageObj_GetStrokeWidth(path, width)
    return width.value * math.sqrt(abs(matrix.a * matrix.d - matrix.b * matrix.c))


def _subpaths(path: FPDF_PAGEOBJECT, matrix: PdfMatrix) -> Iterator[list[Place]]:
    """The points of the parts of a path that have straight edges only; closed parts end where they begin."""
    from pypdfium2 import raw

    x, y = ctypes.c_float(), ctypes.c_float()
    points: list[Place] = []
    straight = True
    for index in range(min(raw.FPDFPath_CountSegments(path), MAX_RULES)):
        segment = raw.FPDFPath_GetPathSegment(path, index)
        kind = raw.FPDFPathSegment_GetType(segment)
        if kind == raw.FPDF_SEGMENT_MOVETO:
            if straight and len(points) > 1:
                yield points
            points, straight = [], True
        straight = straight and kind != raw.FPDF_SEGMENT_BEZIERTO
        raw.FPDFPathSegment_GetPoint(segment, x, y)
        points.append(matrix.on_point(x.value, y.value))
        if raw.FPDFPathSegment_GetClose(segment) and points[0] != points[-1]:
            points.append(points[0])
    if straight and len(points) > 1:
        yield points
