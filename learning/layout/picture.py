"""A concept graph as boxes with wrapped names, and lines from what is learnt first to what is learnt after it."""

from __future__ import annotations

import textwrap
from collections import defaultdict
from collections.abc import Hashable, Iterable, Mapping
from dataclasses import dataclass
from itertools import pairwise

import networkx

from learning.layout.places import places_in
from learning.layout.rows import arrange_rows, order_rows

WIDTH = 1040.0
BOX, LINE, PADDING = 184.0, 17.0, 10.0
LETTERS = 23
"""Characters of a name that fit on a line of a box at 13 px, in the widest of the system's faces."""
MAX_LINES = 3
GAP, BETWEEN = 20.0, 50.0  # between boxes of a row, and between rows
MARGIN = 4.0
WAYPOINT = 14.0
"""The width of the gap that a line needs where it passes a row."""
IN_A_ROW = 5

Key = Hashable


@dataclass(frozen=True)
class Box:
    """A concept: its upper left corner and size in pixels, its name in lines, and its row from 0."""

    key: Key
    x: float
    y: float
    height: float
    lines: tuple[str, ...]
    row: int
    width: float = BOX

    @property
    def middle(self) -> float:
        return round(self.x + self.width / 2, 1)

    @property
    def state_y(self) -> float:
        """Where the word of the state stands."""
        return self.y + self.height - PADDING

    @property
    def text_lines(self) -> list[tuple[float, str]]:
        top = self.y + (self.height - LINE * (len(self.lines) + 1)) / 2
        return [(round(top + LINE * (index + 0.75), 1), line) for index, line in enumerate(self.lines)]


@dataclass(frozen=True)
class Arrow:
    """A line from `source`, which is learnt first, to `target`; `path` as in SVG."""

    source: Key
    target: Key
    path: str


@dataclass(frozen=True)
class Picture:
    """Everything that is drawn, in pixels."""

    width: float
    height: float
    boxes: tuple[Box, ...]
    arrows: tuple[Arrow, ...]
    leaves_out: int = 0
    """Prerequisites that are not drawn, since others say the same: A before B, B before C."""


def draw(names: Mapping[Key, str], prerequisites: Iterable[tuple[Key, Key]]) -> Picture:
    """The picture of concepts by key, in the order of teaching, and pairs of (first, after it). No circles.

    Concepts without any link stand in rows of their own at the end.
    """
    graph: networkx.DiGraph[Key] = networkx.DiGraph()
    graph.add_nodes_from(names)
    graph.add_edges_from(prerequisites)
    drawn = networkx.transitive_reduction(graph)
    linked = graph.subgraph([key for key in names if graph.degree(key)])
    shape: networkx.DiGraph[Key] = networkx.DiGraph()
    shape.add_nodes_from(key for key in names if key in linked)
    shape.add_edges_from(drawn.edges)
    rows: list[list[Key]] = arrange_rows(shape, widest=IN_A_ROW) if shape else []
    ways = _ways(rows, list(drawn.edges))
    rows = order_rows(rows, dict.fromkeys(step for way in ways.values() for step in pairwise(way))) if ways else rows
    alone = [key for key in names if key not in linked]
    centres = _centres(rows, ways, names)
    for start in range(0, len(alone), IN_A_ROW):
        rows.append(alone[start : start + IN_A_ROW])
        centres |= {key: (BOX + GAP) * (column + 0.5) for column, key in enumerate(rows[-1])}
    return _placed(names, rows, ways, centres, leaves_out=graph.number_of_edges() - drawn.number_of_edges())


def wrap_name(name: str) -> tuple[str, ...]:
    """The name in at most MAX_LINES lines, between words where possible."""
    lines = textwrap.wrap(name, LETTERS, break_long_words=True, break_on_hyphens=True)
    if len(lines) > MAX_LINES:
        lines = [
            *lines[: MAX_LINES - 1],
            textwrap.shorten(" ".join(lines[MAX_LINES - 1 :]), LETTERS, placeholder="…"),
        ]
    return tuple(lines)


def _ways(rows: list[list[Key]], edges: list[tuple[Key, Key]]) -> dict[tuple[Key, Key], list[Key]]:
    """Each line as the nodes that it passes: a waypoint is added to every row between its ends. Lines from the same
    concept share theirs."""
    row_of = {node: index for index, row in enumerate(rows) for node in row}
    ways = {}
    for source, target in edges:
        between = range(row_of[source] + 1, row_of[target])
        waypoints: list[Key] = [("waypoint", source, row) for row in between]
        for row, waypoint in zip(between, waypoints, strict=True):
            if waypoint not in rows[row]:
                rows[row].append(waypoint)
        ways[source, target] = [source, *waypoints, target]
    return ways


def _centres(
    rows: list[list[Key]], ways: dict[tuple[Key, Key], list[Key]], names: Mapping[Key, str]
) -> dict[Key, float]:
    neighbours: dict[Key, list[Key]] = defaultdict(list)
    for a, b in dict.fromkeys(step for way in ways.values() for step in pairwise(way)):
        neighbours[a].append(b)
        neighbours[b].append(a)
    widths = {node: BOX + GAP if node in names else WAYPOINT for row in rows for node in row}
    return places_in(rows, neighbours, widths, width=WIDTH - 2 * MARGIN)


def _placed(
    names: Mapping[Key, str],
    rows: list[list[Key]],
    ways: dict[tuple[Key, Key], list[Key]],
    centres: dict[Key, float],
    *,
    leaves_out: int,
) -> Picture:
    boxes: dict[Key, Box] = {}
    tops: list[float] = []
    bottoms: list[float] = []
    top = MARGIN
    for index, row in enumerate(rows):
        lines = {node: wrap_name(names[node]) for node in row if node in names}
        height = LINE * (max(map(len, lines.values()), default=1) + 1) + 2 * PADDING
        for node, found in lines.items():
            left = round(MARGIN + centres[node] - BOX / 2, 1)
            boxes[node] = Box(node, left, top, height, found, index)
        tops.append(top)
        bottoms.append(top + height)
        top += height + BETWEEN
    arrows = [
        Arrow(source, target, _path([(MARGIN + centres[node]) for node in way], boxes[source].row, tops, bottoms))
        for (source, target), way in ways.items()
    ]
    right = max((box.x + box.width for box in boxes.values()), default=WIDTH)
    bottom = bottoms[-1] + MARGIN if bottoms else 0
    ordered = tuple(boxes[key] for key in names)
    return Picture(max(WIDTH, right + MARGIN), bottom, ordered, tuple(arrows), leaves_out)


def _path(xs: list[float], first: int, tops: list[float], bottoms: list[float]) -> str:
    """A curve from the bottom of the first row through the waypoints to the top of the last row."""
    parts = [f"M{xs[0]:.0f} {bottoms[first]:.0f}"]
    for index, (left, right) in enumerate(pairwise(xs)):
        start, end = bottoms[first + index], tops[first + index + 1]
        middle = (start + end) / 2
        parts.append(f"C{left:.0f} {middle:.0f} {right:.0f} {middle:.0f} {right:.0f} {end:.0f}")
        if index < len(xs) - 2:
            parts.append(f"V{bottoms[first + index + 1]:.0f}")
    return "".join(parts)
