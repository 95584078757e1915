"""The picture of a concept graph: what comes first stands above, nothing overlaps, few lines cross."""

from __future__ import annotations

import random
from itertools import combinations

import pytest

from learning.layout import IN_A_ROW, WIDTH, Picture, draw, wrap_name

Edges = list[tuple[int, int]]


def some_edges(nodes: int, share: float, seed: int) -> Edges:
    chance = random.Random(seed)
    return [(a, b) for b in range(nodes) for a in range(max(0, b - 10), b) if chance.random() < share]


GRAPHS: dict[str, tuple[int, Edges]] = {
    "one": (1, []),
    "chain": (8, [(index, index + 1) for index in range(7)]),
    "wide": (13, [(0, index) for index in range(1, 13)]),
    "diamond": (4, [(0, 1), (0, 2), (1, 3), (2, 3)]),
    "unconnected": (12, []),
    "forest": (12, [(0, 1), (0, 2), (3, 4), (4, 5), (6, 7), (8, 9), (9, 10), (8, 11)]),
    "sixty": (60, some_edges(60, 0.08, 1)),
    "dense": (30, some_edges(30, 0.4, 2)),
}


def draw_graph(name: str) -> Picture:
    nodes, edges = GRAPHS[name]
    return draw({key: f"Concept number {key}" for key in range(nodes)}, edges)


@pytest.mark.parametrize("name", GRAPHS)
def test_a_concept_stands_below_all_that_it_needs(name: str) -> None:
    boxes = {box.key: box for box in draw_graph(name).boxes}
    assert all(boxes[first].y + boxes[first].height < boxes[then].y for first, then in GRAPHS[name][1])


@pytest.mark.parametrize("name", GRAPHS)
def test_boxes_do_not_overlap_and_stay_in_the_picture(name: str) -> None:
    picture = draw_graph(name)
    for box in picture.boxes:
        assert box.x >= 0
        assert box.x + box.width <= picture.width
        assert box.y + box.height <= picture.height
    for one, other in combinations(picture.boxes, 2):
        apart = one.x + one.width < other.x or other.x + other.width < one.x
        assert apart or one.row != other.row


def test_most_plans_fit_the_page() -> None:
    assert all(draw_graph(name).width <= 1.15 * WIDTH for name in GRAPHS)
    rows = [box.row for box in draw_graph("wide").boxes]
    assert max(rows.count(row) for row in set(rows)) <= IN_A_ROW


def test_a_prerequisite_of_a_prerequisite_is_not_drawn() -> None:
    picture = draw({1: "A", 2: "B", 3: "C"}, [(1, 2), (2, 3), (1, 3)])
    assert set(picture.lines) == {(1, 2), (2, 3)}
    assert picture.leaves_out == 1


def test_lines_cross_as_little_as_they_must() -> None:
    boxes = {
        box.key: box.x for box in draw(dict.fromkeys("abcxyz", "Acid"), [("a", "z"), ("b", "y"), ("c", "x")]).boxes
    }
    assert (boxes["a"] < boxes["b"] < boxes["c"]) == (boxes["z"] < boxes["y"] < boxes["x"])


def test_the_same_plan_always_looks_the_same() -> None:
    assert draw_graph("sixty") == draw_graph("sixty")


def test_long_names_are_wrapped() -> None:
    assert wrap_name("Solution and corrosion of limestone") == ("Solution and corrosion", "of limestone")
    lines = wrap_name("word " * 24)
    assert len(lines) == 3
    assert lines[-1].endswith("…")
    assert wrap_name("Donaudampfschifffahrtsgesellschaft")[0] == "Donaudampfschifffahrtsg"


def test_nothing_is_a_picture_too() -> None:
    assert draw({}, []).boxes == ()
