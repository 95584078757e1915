"""What the page of a plan shows of its concepts: the picture, and the list that says the same."""

from __future__ import annotations

from collections import Counter, defaultdict
from dataclasses import dataclass
from uuid import UUID

import networkx

from chatbots.models import Participant
from learning.layout import Box, Picture, draw
from learning.models import Concept, Prerequisite, StudyPlan
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
    progress = {state.concept.pk: state for state in get_progress(plan, participant)}
    concepts = {one.pk: one for one in plan.active_concepts().order_by("position", "pk") if one.pk in progress}
    links = _links(plan, concepts)
    picture = draw(
        {key: one.shown_name for key, one in concepts.items()}, [(a, b) for b, all_ in links.items() for a in all_]
    )
    boxes = {box.key: box for box in picture.boxes}
    depths = _depths(links, concepts)
    nodes = [
        ConceptNode(
            concept=concept,
            progress=progress[key],
            word=STATES[progress[key].state],
            needs=[concepts[one] for one in links[key]],
            box=boxes[key],
            depth=depths[key],
        )
        for key, concept in concepts.items()
    ]
    numbers = Counter(node.word.value for node in nodes)
    in_order = sorted(nodes, key=lambda node: (boxes[node.concept.pk].row, node.concept.position))
    return Graph(picture, in_order, [(word, numbers[value]) for value, word in STATES.items()])


def _links(plan: StudyPlan, concepts: dict[UUID, Concept]) -> dict[UUID, list[UUID]]:
    found: dict[UUID, list[UUID]] = defaultdict(list)
    rows = Prerequisite.objects.filter(concept__plan=plan).order_by("requires__position", "requires")
    for concept, requires in rows.values_list("concept", "requires"):
        if concept in concepts and requires in concepts:
            found[concept].append(requires)
    return found


def _depths(links: dict[UUID, list[UUID]], concepts: dict[UUID, Concept]) -> dict[UUID, int]:
    """How many concepts come before each on the longest way to it, at most DEEPEST."""
    graph: networkx.DiGraph[UUID] = networkx.DiGraph()
    graph.add_nodes_from(concepts)
    graph.add_edges_from((one, key) for key, needs in links.items() for one in needs)
    return {
        key: min(depth, DEEPEST) for depth, row in enumerate(networkx.topological_generations(graph)) for key in row
    }
