"""What the page of a plan shows of its concepts: the picture, and the list that says the same."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from uuid import UUID

import networkx

from chatbots.models import Participant
from learning.layout import Box, Picture, draw
from learning.models import Concept, StudyPlan
from learning.practice.progress import ConceptState, get_progress

DEEPEST = 4
"""Indents of the list. Deeper concepts are not indented further: a narrow page has no room for it."""


@dataclass(frozen=True)
class StateWord:
    """How a state of progress is called, with its icon and what it means."""

    value: str
    label: str
    icon: str
    meaning: str


STATES = {
    word.value: word
    for word in (
        StateWord("new", "New", "new", "not practised yet"),
        StateWord("learning", "Learning", "learning", "practised, but not yet safe"),
        StateWord("known", "Known", "check", "answered well, and not due yet"),
        StateWord("weak", "Weak", "warning", "often wrong"),
        StateWord("due", "Due", "clock", "time to repeat it"),
    )
}


@dataclass(frozen=True)
class ConceptNode:
    """A concept in picture and list: its progress, what is learnt before it, and how far the list indents it."""

    concept: Concept
    progress: ConceptState
    word: StateWord
    needs: list[Concept]
    box: Box
    depth: int

    @property
    def icon_place(self) -> tuple[float, float]:
        """The upper left corner of the icon of 12 by 12 pixels before the word of the state, which is centred."""
        return round(self.box.middle - 3.4 * len(self.word.label) - 9, 1), round(self.box.state_y - 10, 1)

    @property
    def spoken(self) -> str:
        after = ", ".join(one.name for one in self.needs)
        return f"{self.concept.shown_name}, {self.word.label.lower()}" + (f", after {after}" if after else "")


@dataclass(frozen=True)
class Graph:
    picture: Picture
    nodes: list[ConceptNode]
    states: list[tuple[StateWord, int]]


def build_graph(plan: StudyPlan, participant: Participant) -> Graph:
    states = {state.concept.pk: state for state in get_progress(plan, participant)}
    links = [(before.pk, key) for key, state in states.items() for before in state.requires]
    picture = draw({key: state.concept.shown_name for key, state in states.items()}, links)
    boxes, depths = {box.key: box for box in picture.boxes}, _depths(states, links)
    nodes = [
        ConceptNode(state.concept, state, STATES[state.state], state.requires, boxes[key], depths[key])
        for key, state in states.items()
    ]
    numbers = Counter(node.word.value for node in nodes)
    in_order = sorted(nodes, key=lambda node: (boxes[node.concept.pk].row, node.concept.position))
    return Graph(picture, in_order, [(word, numbers[value]) for value, word in STATES.items()])


def _depths(keys: Iterable[UUID], links: Iterable[tuple[UUID, UUID]]) -> dict[UUID, int]:
    """How many concepts come before each on the longest way to it, at most DEEPEST."""
    graph: networkx.DiGraph[UUID] = networkx.DiGraph(links)
    graph.add_nodes_from(keys)
    rows = enumerate(networkx.topological_generations(graph))
    return {key: min(depth, DEEPEST) for depth, row in rows for key in row}
