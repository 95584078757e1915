"""Put the nodes of a graph without circles into rows: each stands below all that it needs."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Sequence
from itertools import pairwise
from statistics import median
from typing import TypeVar

import networkx

N = TypeVar("N", bound=Hashable)

SWEEPS = 8
"""Orderings from top to bottom and back. More of them do not reduce the crossings of plans with 60 concepts."""


def arrange_rows(graph: networkx.DiGraph[N], *, widest: int) -> list[list[N]]:
    """The nodes in rows of at most `widest`, each below its predecessors, as near to its successors as possible.

    Nodes keep the order in which they were added where no line says otherwise.
    """
    rows: list[list[N]] = []
    for generation in _generations(graph):
        rows += _split(generation, rows, graph, widest)
    return order_rows(rows, graph.edges)


def order_rows(rows: Sequence[Sequence[N]], edges: Iterable[tuple[N, N]]) -> list[list[N]]:
    """The rows, each in an order that lets few lines cross: by the median of the neighbours (Eades and Wormald 1994).

    The best order of all sweeps is returned, so that it is never worse than the given one.
    """
    neighbours: dict[N, list[N]] = {node: [] for row in rows for node in row}
    for a, b in edges:
        neighbours[a].append(b)
        neighbours[b].append(a)
    now = [list(row) for row in rows]
    best, fewest = [list(row) for row in now], crossings(now, neighbours)
    for sweep in range(SWEEPS):
        if not fewest:
            break
        downwards = sweep % 2 == 0
        pairs = list(pairwise(now))
        for upper, lower in pairs if downwards else reversed(pairs):
            fixed, moved = (upper, lower) if downwards else (lower, upper)
            _order(moved, fixed, neighbours)
        if (number := crossings(now, neighbours)) < fewest:
            best, fewest = [list(row) for row in now], number
    return best


def crossings(rows: Sequence[Sequence[N]], neighbours: dict[N, list[N]]) -> int:
    """How many lines between one row and the next cross."""
    number = 0
    for upper, lower in pairwise(rows):
        place = {node: index for index, node in enumerate(lower)}
        ends: list[int] = []
        for node in upper:
            of_node = sorted(place[one] for one in neighbours[node] if one in place)
            number += sum(1 for end in of_node for earlier in ends if earlier > end)
            ends += of_node
    return number


def _generations(graph: networkx.DiGraph[N]) -> list[list[N]]:
    """The layers, but nodes without predecessors stand just above the first that needs them."""
    layer = {node: depth for depth, nodes in enumerate(networkx.topological_generations(graph)) for node in nodes}
    for node in graph:
        below = [layer[one] for one in graph.successors(node)]
        if below and not graph.in_degree(node):
            layer[node] = min(below) - 1
    generations: list[list[N]] = [[] for _ in range(max(layer.values(), default=-1) + 1)]
    for node in graph:
        generations[layer[node]].append(node)
    return [generation for generation in generations if generation]


def _split(generation: list[N], above: list[list[N]], graph: networkx.DiGraph[N], widest: int) -> list[list[N]]:
    """Rows of about equal length. Nodes that stand below the same ones stay together."""
    count = -(-len(generation) // widest)
    place = {node: index for row in above for index, node in enumerate(row)}
    whole = sorted(generation, key=lambda node: _median([place[one] for one in graph.predecessors(node)]))
    length = -(-len(whole) // count)
    return [whole[start : start + length] for start in range(0, len(whole), length)]


def _order(row: list[N], fixed: Sequence[N], neighbours: dict[N, list[N]]) -> None:
    """Sort by the median place of the neighbours in the fixed row; who has none stays where it is."""
    place = {node: index for index, node in enumerate(fixed)}
    medians = {node: [place[one] for one in neighbours[node] if one in place] for node in row}
    movable = iter(sorted((node for node in row if medians[node]), key=lambda node: _median(medians[node])))
    row[:] = [next(movable) if medians[node] else node for node in row]


def _median(places: list[int]) -> float:
    return float(median(places)) if places else 0.0
