"""Which concept is learnt before which."""

import random

import networkx as nx

from learning.concepts.find_concepts import find_concepts
from learning.concepts.prerequisites import (
    MAX_DIRECT_PREREQUISITES,
    TaughtConcept,
    find_prerequisites,
    sort_for_teaching,
)
from tests.learning.passages import passage

Key = tuple[str, ...]


def taught(name: str, order: int, *needs: str, under: str = "", claimed: str = "") -> TaughtConcept:
    return TaughtConcept(
        key=tuple(name.split()),
        order=order,
        defined_with=frozenset(tuple(need.split()) for need in needs),
        under=frozenset([tuple(under.split())] if under else []),
        claimed=frozenset([tuple(claimed.split())] if claimed else []),
    )


def test_a_definition_needs_what_it_mentions_if_that_is_defined_earlier() -> None:
    needed = find_prerequisites([taught("speed", 0), taught("velocity", 1, "speed", "force"), taught("force", 2)])
    assert needed == {("speed",): [], ("velocity",): [("speed",)], ("force",): []}


def test_a_part_of_a_name_may_be_defined_later() -> None:
    needed = find_prerequisites([taught("average speed", 0), taught("speed", 1)])
    assert needed[("average", "speed")] == [("speed",)]
    assert sort_for_teaching({("average", "speed"): 0, ("speed",): 1}, needed) == [("speed",), ("average", "speed")]


def test_the_whole_of_a_name_is_never_before_its_part() -> None:
    needed = find_prerequisites([taught("average speed", 0), taught("speed", 1, "average speed")])
    assert needed[("speed",)] == []


def test_detours_are_left_out() -> None:
    needed = find_prerequisites([taught("a", 0), taught("b", 1, "a"), taught("c", 2, "a", "b")])
    assert needed[("c",)] == [("b",)]


def test_a_concept_needs_that_of_its_heading() -> None:
    assert find_prerequisites([taught("cell", 0), taught("cell wall", 1), taught("nucleus", 2, under="cell")]) == {
        ("cell",): [],
        ("cell", "wall"): [("cell",)],
        ("nucleus",): [("cell",)],
    }


def test_what_a_model_claims_counts_only_forwards() -> None:
    needed = find_prerequisites([taught("a", 0, claimed="b"), taught("b", 1, claimed="c"), taught("c", 2, claimed="b")])
    assert needed == {("a",): [], ("b",): [], ("c",): []}
    assert find_prerequisites([taught("a", 0), taught("b", 1, claimed="a")])[("b",)] == [("a",)]


def test_any_mentions_give_few_prerequisites_without_circles() -> None:
    rng = random.Random(7)
    words = [f"{letter}{n}" for letter in "abc" for n in range(12)]
    for _ in range(20):
        names = rng.sample(words, 20) + [" ".join(rng.sample(words, 2)) for _ in range(10)]
        concepts = [
            taught(name, order, *rng.sample(names, 6), under=rng.choice(names), claimed=rng.choice(names))
            for order, name in enumerate(dict.fromkeys(names))
        ]
        needed = find_prerequisites(concepts)
        graph = nx.DiGraph((before, after) for after, befores in needed.items() for before in befores)
        assert nx.is_directed_acyclic_graph(graph)
        assert max(map(len, needed.values())) <= MAX_DIRECT_PREREQUISITES
        orders = {one.key: one.order for one in concepts}
        place = {key: n for n, key in enumerate(sort_for_teaching(orders, needed))}
        assert all(place[before] < place[after] for before, after in graph.edges)


def test_a_chapter_is_taught_in_its_own_order() -> None:
    text = (
        "Speed is the distance that a body travels in a certain time. Acceleration is the rate of change of "
        "speed that a "
        "force causes in a body. A force is a push or a pull that acts on a body from outside."
    )
    found = find_concepts([passage(text, "Motion")], language="en")
    assert [concept.name.casefold() for concept in found] == ["speed", "acceleration", "force"]
    assert found[1].prerequisites == (found[0].name,)
