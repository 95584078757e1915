"""The picture of a graph of concepts: boxes in rows, and lines from what is learnt first to what is learnt after it."""

from __future__ import annotations

import textwrap
from collections import defaultdict
from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate, pairwise

import networkx

WIDTH = 1040.0
BOX, LINE, PADDING = 184.0, 17.0, 10.0
LETTERS, MAX_LINES = 23, 3
"""Characters on a line of a box at 13 px, in the widest of the system's faces, and lines of a name."""

GAP, BETWEEN, MARGIN = 20.0, 50.0, 4.0
WAYPOINT = 14.0
"""The width of the gap that a line needs where it passes a row."""

IN_A_ROW = 5
SWEEPS = 8
"""Times that all rows are put in order by the places of their neighbours."""

Key = Hashable
Way = list[Key]


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
class Picture:
    """Everything that is drawn, in pixels. `lines` are paths of SVG, by what is learnt first and what after it.
    `leaves_out` counts prerequisites that follow from others."""

    width: float
    height: float
    boxes: tuple[Box, ...]
    lines: Mapping[tuple[Key, Key], str]
    leaves_out: int = 0


def draw(names: Mapping[Key, str], prerequisites: Iterable[tuple[Key, Key]]) -> Picture:
    """Draw concepts by key, in the order of teaching, and pairs of (first, after it). No circles.

    A line passes rows at waypoints of its own. Concepts without any link stand in rows at the end.
    """
    graph: networkx.DiGraph[Key] = networkx.DiGraph()
    graph.add_nodes_from(names)
    graph.add_edges_from(prerequisites)
    drawn = networkx.transitive_reduction(graph)
    rows = _arrange(drawn, list(names))
    ways = _find_ways(rows, list(drawn.edges))
    width = max([WIDTH - 2 * MARGIN, *(sum(_get_width(node) for node in row) for row in rows)])
    centres = _order(rows, ways, width)
    boxes: dict[Key, Box] = {}
    tops = [MARGIN]
    for index, row in enumerate(rows):
        lines = {node: wrap_name(names[node]) for node in row if node in names}
        height = LINE * (max(map(len, lines.values())) + 1) + 2 * PADDING
        boxes |= {
            node: Box(node, round(centres[node] - BOX / 2, 1), tops[-1], height, found, index)
            for node, found in lines.items()
        }
        tops.append(tops[-1] + height + BETWEEN)
    paths = {
        ends: _draw_path([centres[node] for node in way], tops[boxes[ends[0]].row :]) for ends, way in ways.items()
    }
    left_out = graph.number_of_edges() - drawn.number_of_edges()
    height = tops[-1] - BETWEEN + MARGIN if rows else 0
    return Picture(width + 2 * MARGIN, height, tuple(boxes[key] for key in names), paths, left_out)


def wrap_name(name: str) -> tuple[str, ...]:
    """The name in at most MAX_LINES lines, between words where possible."""
    return tuple(textwrap.wrap(name, LETTERS, max_lines=MAX_LINES, placeholder="…"))


def _arrange(graph: networkx.DiGraph[Key], keys: Sequence[Key]) -> list[list[Key]]:
    """Put the nodes into rows of at most IN_A_ROW: each below all that it needs, and as near as it can to the next."""
    depths = {node: depth for depth, nodes in enumerate(networkx.topological_generations(graph)) for node in nodes}
    for node in keys:
        below = [depths[one] for one in graph.successors(node)]
        if below and not graph.in_degree(node):
            depths[node] = min(below) - 1
    by_depth: dict[int, list[Key]] = defaultdict(list)
    for node in keys:
        by_depth[depths[node] if graph.degree(node) else len(keys)].append(node)
    rows: list[list[Key]] = []
    for _, nodes in sorted(by_depth.items()):
        length = -(-len(nodes) // -(-len(nodes) // IN_A_ROW))
        rows += [nodes[start : start + length] for start in range(0, len(nodes), length)]
    return rows


def _find_ways(rows: list[list[Key]], edges: list[tuple[Key, Key]]) -> dict[tuple[Key, Key], Way]:
    """Return each line as the nodes that it passes, with waypoints in the rows between, which are added to these.

    Lines from the same concept share theirs.
    """
    row_of = {node: index for index, row in enumerate(rows) for node in row}
    ways: dict[tuple[Key, Key], Way] = {}
    for source, target in edges:
        way: Way = [source]
        for row in range(row_of[source] + 1, row_of[target]):
            way.append(_Waypoint(source, row))
            if way[-1] not in rows[row]:
                rows[row].append(way[-1])
        ways[source, target] = [*way, target]
    return ways


@dataclass(frozen=True)
class _Waypoint:
    source: Key
    row: int


def _get_width(node: Key) -> float:
    return WAYPOINT if isinstance(node, _Waypoint) else BOX + GAP


def _order(rows: list[list[Key]], ways: Mapping[tuple[Key, Key], Way], width: float) -> dict[Key, float]:
    """Sort each row by the mean place of its neighbours, downwards and upwards in turn; return the centre of each."""
    near: tuple[dict[Key, list[Key]], dict[Key, list[Key]]] = (defaultdict(list), defaultdict(list))
    for upper, lower in dict.fromkeys(step for way in ways.values() for step in pairwise(way)):
        near[0][lower].append(upper)
        near[1][upper].append(lower)
    centres: dict[Key, float] = {}
    for sweep in range(SWEEPS + 1):
        upwards = sweep % 2
        for row in reversed(rows) if upwards else rows:
            if sweep:
                mean = {node: [centres[one] for one in near[upwards][node]] or [centres[node]] for node in row}
                row.sort(key=lambda node: sum(mean[node]) / len(mean[node]))
            ends = list(accumulate(map(_get_width, row)))
            left = MARGIN + (width - ends[-1]) / 2
            centres |= {node: left + end - _get_width(node) / 2 for node, end in zip(row, ends, strict=True)}
    return centres


def _draw_path(xs: Sequence[float], tops: Sequence[float]) -> str:
    """A curve from the bottom of the first of these rows through the waypoints to the top of the last."""
    parts = [f"M{xs[0]:.0f} {tops[1] - BETWEEN:.0f}"]
    for index, (left, right) in enumerate(pairwise(xs), start=1):
        middle = tops[index] - BETWEEN / 2
        parts.append(f"C{left:.0f} {middle:.0f} {right:.0f} {middle:.0f} {right:.0f} {tops[index]:.0f}")
        if index < len(xs) - 1:
            parts.append(f"V{tops[index + 1] - BETWEEN:.0f}")
    return "".join(parts)
