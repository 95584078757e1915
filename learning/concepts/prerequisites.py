"""Which concept is learnt before which: by names, definitions and headings, or as a language model says."""

from __future__ import annotations

from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass

import networkx as nx

from text.names import Key

MAX_DIRECT_PREREQUISITES = 4
"""Prerequisites of one concept."""

_IN_NAME, _IN_DEFINITION, _CLAIMED, _UNDER = 4, 3, 2, 1


@dataclass(frozen=True)
class TaughtConcept:
    """What decides about prerequisites: `order` of the definition, concepts in it, and those in the heading above it.

    `claimed` are prerequisites that a language model gave.
    """

    key: Key
    order: int
    defined_with: Set[Key]
    under: Set[Key] = frozenset()
    claimed: Set[Key] = frozenset()


def find_prerequisites(concepts: Sequence[TaughtConcept]) -> dict[Key, list[Key]]:
    """Return the direct prerequisites of each concept, the strongest first: without circles and detours.

    A concept needs another one that its definition mentions, that a model names, or under whose heading it stands, if
    that one is defined earlier. Only a part of its own name, as "acceleration" of "average acceleration", may be
    defined later.
    """
    weights = {
        (before.key, after.key): weight
        for after in concepts
        for before in concepts
        if before is not after and (weight := _weight(before, after))
    }
    graph: nx.DiGraph[Key] = nx.DiGraph()
    graph.add_nodes_from(one.key for one in concepts)
    for before, after in sorted(weights, key=lambda pair: (-weights[pair], pair)):
        if not nx.has_path(graph, after, before):
            graph.add_edge(before, after)
    reduced = nx.transitive_reduction(graph)
    return {
        one.key: sorted(reduced.predecessors(one.key), key=lambda key: (-weights[key, one.key], key))[
            :MAX_DIRECT_PREREQUISITES
        ]
        for one in concepts
    }


def sort_for_teaching(orders: Mapping[Key, int], needed: Mapping[Key, Sequence[Key]]) -> list[Key]:
    """Return all concepts, each after its prerequisites, otherwise as the text has them."""
    graph: nx.DiGraph[Key] = nx.DiGraph()
    graph.add_nodes_from(orders)
    graph.add_edges_from((before, after) for after, befores in needed.items() for before in befores)
    return list(nx.lexicographical_topological_sort(graph, key=orders.__getitem__))


def _weight(before: TaughtConcept, after: TaughtConcept) -> int:
    """How much speaks for one before the other, 0 if too little does."""
    if is_inside(before.key, after.key):
        return _IN_NAME
    if before.order >= after.order or is_inside(after.key, before.key):
        return 0
    if before.key in after.defined_with and after.key not in before.defined_with:
        return _IN_DEFINITION
    if before.key in after.claimed and after.key not in before.claimed:
        return _CLAIMED
    return _UNDER if before.key in after.under else 0


def is_inside(part: Key, whole: Key) -> bool:
    """Say whether one name is a part of another, such as "acceleration" of "average acceleration"."""
    return len(part) < len(whole) and any(
        whole[start : start + len(part)] == part for start in range(len(whole) - len(part) + 1)
    )
