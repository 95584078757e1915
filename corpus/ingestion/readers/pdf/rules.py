"""The straight lines that are drawn on a page: borders of tables, rules below headings, edges of coloured cells."""

from __future__ import annotations

import ctypes
import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING

from corpus.ingestion.readers.pdf.page_objects import THICK, Placed, fill_color, is_white

if TYPE_CHECKING:
    from pypdfium2 import PdfMatrix, PdfPage
    from pypdfium2.raw import FPDF_PAGEOBJECT

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
    levels: list[list[Rule]] = []
    for part in sorted(parts):
        if levels and part.at - levels[-1][0].at <= SAME - _SKEW:
            levels[-1].append(part)
        else:
            levels.append([part])
    lines = (line for level in levels for line in _join_level(level))
    return tuple(line for line in lines if line.stop - line.start >= _MIN_RULE_LENGTH)


def _join_level(level: Sequence[Rule]) -> Iterator[Rule]:
    at = sum(part.at for part in level) / len(level)
    first, *others = sorted(level, key=lambda part: part.start)
    start, stop = first.start, first.stop
    for part in others:
        if part.start > stop + SAME:
            yield Rule(at, start, stop)
            start, stop = part.start, part.stop
        stop = max(stop, part.stop)
    yield Rule(at, start, stop)


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
