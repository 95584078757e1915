"""Which concept is learnt before which."""

import random

import networkx as nx

from learning.concepts.finding import find_concepts
from learning.concepts.prerequisites import MAX_DIRECT_PREREQUISITES, TaughtConcept, prerequisites, teaching_order
from tests.learning.passages import passage

Key = tuple[str, ...]


def taught(name: str, order: int, *needs: str, passages: set[int] | None = None, claimed: str = "") -> TaughtConcept:
    return TaughtConcept(
        key=tuple(name.split()),
        order=order,
        defined_with=frozenset(tuple(need.split()) for need in needs),
        passages=passages or set(),
        claimed=frozenset([tuple(claimed.split())] if claimed else []),
    )


def test_a_definition_needs_what_it_mentions_if_that_is_defined_earlier() -> None:
    needed = prerequisites([taught("speed", 0), taught("velocity", 1, "speed", "force"), taught("force", 2)])
    assert needed == {("speed",): [], ("velocity",): [("speed",)], ("force",): []}


def test_a_part_of_a_name_may_be_defined_later() -> None:
    needed = prerequisites([taught("average speed", 0), taught("speed", 1)])
    assert needed[("average", "speed")] == [("speed",)]
    assert teaching_order({("average", "speed"): 0, ("speed",): 1}, needed) == [("speed",), ("average", "speed")]


def test_the_whole_of_a_name_is_never_before_its_part() -> None:
    needed = prerequisites([taught("average speed", 0), taught("speed", 1, "average speed")])
    assert needed[("speed",)] == []


def test_detours_are_left_out() -> None:
    needed = prerequisites([taught("a", 0), taught("b", 1, "a"), taught("c", 2, "a", "b")])
    assert needed[("c",)] == [("b",)]


def test_passages_that_mention_another_concept_but_not_the_other_way_round() -> None:
    first, second = taught("heat", 0, passages=set(range(10))), taught("entropy", 1, passages={7, 8, 9})
    assert prerequisites([first, second])[("entropy",)] == [("heat",)]
    apart = taught("heat", 0, passages={7, 8, 9})
    assert prerequisites([apart, second])[("entropy",)] == []


def test_what_a_model_claims_counts_only_forwards() -> None:
    needed = prerequisites([taught("a", 0, claimed="b"), taught("b", 1, claimed="c"), taught("c", 2, claimed="b")])
    assert needed == {("a",): [], ("b",): [], ("c",): []}
    assert prerequisites([taught("a", 0), taught("b", 1, claimed="a")])[("b",)] == [("a",)]


def test_a_field_is_needed_for_nothing() -> None:
    field = TaughtConcept(("physics",), 0, frozenset(), set(range(9)), is_field=True)
    assert prerequisites([field, taught("force", 1, "physics", passages={1, 2, 3})])[("force",)] == []


def test_any_mentions_give_few_prerequisites_without_circles() -> None:
    rng = random.Random(7)
    words = [f"{letter}{n}" for letter in "abc" for n in range(12)]
    for _ in range(20):
        names = rng.sample(words, 20) + [" ".join(rng.sample(words, 2)) for _ in range(10)]
        concepts = [
            taught(
                name, order, *rng.sample(names, 6), passages=set(rng.sample(range(30), 9)), claimed=rng.choice(names)
            )
            for order, name in enumerate(dict.fromkeys(names))
        ]
        needed = prerequisites(concepts)
        graph = nx.DiGraph((before, after) for after, befores in needed.items() for before in befores)
        assert nx.is_directed_acyclic_graph(graph)
        assert max(map(len, needed.values())) <= MAX_DIRECT_PREREQUISITES
        orders = {one.key: one.order for one in concepts}
        place = {key: n for n, key in enumerate(teaching_order(orders, needed))}
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
