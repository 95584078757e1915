"""Which concept is learnt before which: from definitions that mention others, passages, and the order of the text."""

from __future__ import annotations

from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass

import networkx as nx

from learning.concepts.mentions import is_inside
from text.names import Key

MAX_DIRECT_PREREQUISITES = 4
"""Prerequisites of one concept."""

_IN_NAME, _IN_DEFINITION, _CLAIMED, _IN_PASSAGES = 3.0, 2.0, 1.5, 1.0
_MIN_SHARE, _MIN_DIFFERENCE, _MIN_PASSAGES = 0.6, 0.3, 3


@dataclass(frozen=True)
class TaughtConcept:
    """What decides about prerequisites: `order` of the definition, concepts in it, and the passages that mention it.

    `claimed` are prerequisites that a language model gave. A field, such as physics in a book with this title, is
    mentioned everywhere and needed for nothing.
    """

    key: Key
    order: int
    defined_with: Set[Key]
    passages: Set[int]
    claimed: Set[Key] = frozenset()
    is_field: bool = False


def prerequisites(concepts: Sequence[TaughtConcept]) -> dict[Key, list[Key]]:
    """Return the direct prerequisites of each concept, the strongest first: without circles and detours.

    A concept needs another one that its definition mentions, or that most of its passages mention but not the other
    way round (reference distance, Liang et al. 2015), if that one is defined earlier. Only a part of its own name, as
    "acceleration" of "average acceleration", may be defined later.
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


def teaching_order(orders: Mapping[Key, int], needed: Mapping[Key, Sequence[Key]]) -> list[Key]:
    """Return all concepts, each after its prerequisites, otherwise as the text has them."""
    graph: nx.DiGraph[Key] = nx.DiGraph()
    graph.add_nodes_from(orders)
    graph.add_edges_from((before, after) for after, befores in needed.items() for before in befores)
    return list(nx.lexicographical_topological_sort(graph, key=orders.__getitem__))


def _weight(before: TaughtConcept, after: TaughtConcept) -> float:
    """How much speaks for one before the other, 0 if too little does."""
    if is_inside(before.key, after.key):
        return _IN_NAME
    if before.order >= after.order or before.is_field or is_inside(after.key, before.key):
        return 0.0
    if before.key in after.defined_with and after.key not in before.defined_with:
        return _IN_DEFINITION
    if before.key in after.claimed and after.key not in before.claimed:
        return _CLAIMED
    there = len(after.passages & before.passages)
    share = there / (len(after.passages) or 1)
    difference = share - there / (len(before.passages) or 1)
    is_clear = len(after.passages) >= _MIN_PASSAGES and share >= _MIN_SHARE and difference >= _MIN_DIFFERENCE
    return _IN_PASSAGES * share if is_clear else 0.0
