"""What a page is drawn of: straight lines, pictures, and whether some of its text may be invisible."""

from __future__ import annotations

import ctypes
import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import compress, islice, pairwise
from typing import Any

from pypdfium2 import PdfMatrix, PdfObject, PdfPage, raw

from corpus.ingestion.readers.structure import group_while

_MAX_OBJECTS, _MAX_DEPTH, _MAX_GROUNDS = 20_000, 5, 200
_WHITE, _SAME = 250, 24  # of 255, for each colour; the latter between a letter and its ground
_MIN_WIDTH, _MIN_AREA = 60.0, 5000.0  # points, and square points; a logo or a sign is smaller
THICK = 6.0  # points; a thinner shape is no ground of text

Color = tuple[int, int, int, int]
Sides = tuple[float, float, float, float]
"""Left, bottom, right and top, in points of the page."""
_PAPER: Color = (255, 255, 255, 255)


@dataclass
class PageObjects:
    """The objects of a page by kind; none of a page with so many that it is a map."""

    paths: list[PdfObject] = field(default_factory=list)
    pictures: list[Sides] = field(default_factory=list)
    may_hide: bool = False  # whether text may be there that people do not see


def find_objects(page: PdfPage) -> PageObjects:
    """Sort the objects of a page. Colours are compared, nothing is drawn."""
    found = PageObjects()
    texts: list[tuple[Color, PdfObject]] = []
    grounds: list[tuple[float, Sides, Color]] = []  # with their areas
    is_map = raw.FPDFPage_CountObjects(page) > _MAX_OBJECTS
    for item in islice(page.get_objects(max_depth=_MAX_DEPTH), 0 if is_map else _MAX_OBJECTS):
        if item.type == raw.FPDF_PAGEOBJ_TEXT:
            texts.append((fill_color(item), item))
            found.may_hide |= raw.FPDFTextObj_GetTextRenderMode(item) == raw.FPDF_TEXTRENDERMODE_INVISIBLE
        elif item.type == raw.FPDF_PAGEOBJ_PATH:
            found.paths.append(item)
            if len(grounds) < _MAX_GROUNDS and _read_draw_mode(item)[0]:
                left, bottom, right, top = sides = _find_sides(item)
                if min(right - left, top - bottom) >= THICK:
                    grounds.append(((right - left) * (top - bottom), sides, fill_color(item)))
        elif item.type == raw.FPDF_PAGEOBJ_IMAGE:
            found.pictures.append(_find_matrix(item).on_rect(0, 0, 1, 1))
        found.may_hide |= _is_optional(item)
    grounds.sort()
    fills = {_PAPER, *(color for *_, color in grounds)}
    pale = {ink for ink in {ink for ink, _ in texts} if any(_is_alike(ink, fill) for fill in fills)}
    found.may_hide |= any(_is_faint(ink, _find_sides(item), grounds) for ink, item in texts if ink in pale)
    return found


def _is_faint(ink: Color, text: Sides, grounds: Sequence[tuple[float, Sides, Color]]) -> bool:
    """Whether text has the colour of the smallest shape that it stands on, or of paper."""
    x, y = (text[0] + text[2]) / 2, (text[1] + text[3]) / 2
    return _is_alike(ink, next((color for _, sides, color in grounds if is_in_box(x, y, sides)), _PAPER))


def is_in_box(x: float, y: float, sides: Sides) -> bool:
    left, bottom, right, top = sides
    return left <= x <= right and bottom <= y <= top


def readable_pictures(pictures: Sequence[Sides]) -> tuple[Sides, ...]:
    sizes = [(right - left, top - bottom) for left, bottom, right, top in pictures]
    large = [min(width, 2 * height) >= _MIN_WIDTH and width * height >= _MIN_AREA for width, height in sizes]
    return tuple(compress(pictures, large))


def read_values(function: Callable[..., int], *args: Any, kind: Any = ctypes.c_float, count: int = 4) -> list[Any]:
    """The values that a function of PDFium writes into its last arguments; no values if it fails."""
    values = [kind() for _ in range(count)]
    return [value.value for value in values] if function(*args, *values) else []


def fill_color(item: PdfObject) -> Color:
    """Red, green, blue and alpha; black where the object has none."""
    red, green, blue, alpha = read_values(raw.FPDFPageObj_GetFillColor, item, kind=ctypes.c_uint) or (0, 0, 0, 255)
    return red, green, blue, alpha


def _is_alike(ink: Color, ground: Color) -> bool:
    """Whether a letter cannot be seen on its ground."""
    return ink[3] < _SAME or all(abs(one - other) <= _SAME for one, other in zip(ink[:3], ground[:3], strict=True))


def _read_draw_mode(path: PdfObject) -> list[int]:
    """How a path is filled, and whether it is stroked."""
    return read_values(raw.FPDFPath_GetDrawMode, path, kind=ctypes.c_int, count=2)


def _find_sides(item: PdfObject) -> Sides:
    left, bottom, right, top = read_values(raw.FPDFPageObj_GetBounds, item)
    outer = _find_matrix(item.container) if item.container else PdfMatrix()
    sides: Sides = outer.on_rect(left, bottom, right, top)
    return sides


def _is_optional(item: PdfObject) -> bool:
    """Whether it is marked as optional content, which may be switched off."""
    name, length = (ctypes.c_ushort * 8)(), ctypes.c_ulong()
    for index in range(raw.FPDFPageObj_CountMarks(item)):
        mark = raw.FPDFPageObj_GetMark(item, index)
        if raw.FPDFPageObjMark_GetName(mark, name, 16, length) and bytes(name).startswith("OC\0".encode("utf-16-le")):
            return True
    return False


def _find_matrix(item: PdfObject) -> PdfMatrix:
    """From the space of an object to that of the page."""
    matrix = item.get_matrix()
    return matrix.multiply(_find_matrix(item.container)) if item.container else matrix


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


def page_rules(page: PdfPage, paths: Sequence[PdfObject], turn: PdfMatrix) -> Rules:
    """The horizontal and vertical lines of these paths. `turn` maps a point to where it is displayed."""
    left, bottom, right, top = turn.on_rect(*page.get_bbox())
    most = 0.9 * (right - left), 0.9 * (top - bottom)
    horizontal: list[Rule] = []
    vertical: list[Rule] = []
    for path in paths:
        for (x0, y0), (x1, y1) in _edges(path, _find_matrix(path).multiply(turn), most):
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


def _edges(path: PdfObject, matrix: PdfMatrix, most: Place) -> list[Edge]:
    """The edges of a path. A thin filled shape is one line; a filled shape as large as the page has none."""
    fill, stroke = _read_draw_mode(path)
    red, green, blue, alpha = fill_color(path)
    if not stroke and (not fill or alpha == 0 or min(red, green, blue) >= _WHITE):
        return []
    (width,) = read_values(raw.FPDFPageObj_GetStrokeWidth, path, count=1)
    if stroke and width * math.sqrt(abs(matrix.a * matrix.d - matrix.b * matrix.c)) >= THICK:
        return []  # a ground of text, such as the stroke of a text marker
    edges: list[Edge] = []
    for points in _subpaths(path, matrix):
        xs, ys = [x for x, _ in points], [y for _, y in points]
        width, height = max(xs) - min(xs), max(ys) - min(ys)
        if width > most[0] and height > most[1]:
            continue
        if not stroke and min(width, height) <= SAME:
            x, y = (min(xs) + max(xs)) / 2, (min(ys) + max(ys)) / 2
            thick = height > width
            edges.append(((x, min(ys)), (x, max(ys))) if thick else ((min(xs), y), (max(xs), y)))
        else:
            edges += pairwise(points)
    return edges


def _subpaths(path: PdfObject, matrix: PdfMatrix) -> Iterator[list[Place]]:
    """The points of the parts of a path that have straight edges only; closed parts end where they begin."""
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
        points.append(matrix.on_point(*read_values(raw.FPDFPathSegment_GetPoint, segment, count=2)))
        if raw.FPDFPathSegment_GetClose(segment) and points[0] != points[-1]:
            points.append(points[0])
    if straight and len(points) > 1:
        yield points
