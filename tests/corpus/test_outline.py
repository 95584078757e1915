"""A document's parts as a tree: modules hold chapters, chapters sections, sections chunks (T1)."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from corpus.reading.outline import Node, find_node, outline, outline_tree
from tests.factories import Cast, cast, personal_document

BOOK = """Before all.

# Module 1: Motion

## Introduction

What it is about.

## Chapter 1: Speed

### Mean speed

Distance by time.

#### Units

Metres.

### Practice

One.

## Chapter 2: Force

Pull.

# Module 2: Heat

Warm.
"""


@pytest.fixture
def people(db: None) -> Cast:
    return cast()


def drawn(nodes: list[Node]) -> list[tuple[Any, ...]]:
    """Id, kind, title, number, label, lines and positions of each, in order."""
    rows = []
    for node in nodes:
        lines, positions = (node.line_start, node.line_end), (node.first_position, node.last_position)
        rows.append((node.id, node.kind, node.title, node.number, node.label, lines, positions))
        rows += drawn(node.children)
    return rows


def test_modules_chapters_and_sections(people: Cast) -> None:
    version, nodes = outline(personal_document(people.alice, BOOK, "book.md"))
    assert version == 1
    assert drawn(nodes) == [
        ("1", "text", "", "", "", (1, 1), (0, 0)),
        ("2", "module", "Module 1: Motion", "1", "Module 1", (7, 25), (1, 5)),
        ("2.1", "heading", "Introduction", "", "Module 1", (7, 7), (1, 1)),
        ("2.2", "chapter", "Chapter 1: Speed", "1", "Module 1, Chapter 1", (13, 21), (2, 4)),
        ("2.2.1", "section", "Mean speed", "1", "Module 1, Chapter 1, Section 1", (13, 17), (2, 3)),
        ("2.2.1.1", "heading", "Units", "", "Module 1, Chapter 1, Section 1", (17, 17), (3, 3)),
        ("2.2.2", "section", "Practice", "2", "Module 1, Chapter 1, Section 2", (21, 21), (4, 4)),
        ("2.3", "chapter", "Chapter 2: Force", "2", "Module 1, Chapter 2", (25, 25), (5, 5)),
        ("3", "module", "Module 2: Heat", "2", "Module 2", (29, 29), (6, 6)),
    ]
    assert nodes[1].chunk_count == 5
    found = find_node(nodes, "2.2.2")
    assert found is not None
    assert found.title == "Practice"
    assert find_node(nodes, "2.9") is None


def test_a_document_that_nobody_has_read_has_no_parts(people: Cast) -> None:
    assert outline(personal_document(people.alice, BOOK, "book.md", indexed=False)) == (None, [])


def row(position: int, path: list[str], numbers: list[str], file: str = "") -> dict[str, Any]:
    place = {"position": position, "line_start": None, "line_end": None, "page": None}
    return {**place, "heading_path": path, "numbers": numbers, "file_path": file}


def test_sections_of_one_name_are_told_apart_by_number_and_file() -> None:
    rows = [
        row(0, ["M", "Practice"], ["Module 1", "Section 1"], "a.md"),
        row(1, ["M", "Practice"], ["Module 1", "Section 2"], "a.md"),
        row(2, ["M", "Practice"], ["Module 1", "Section 2"], "b.md"),
    ]
    assert [node[0] for node in drawn(outline_tree(rows))] == ["1", "1.1", "1.2", "2", "2.1"]


def test_a_path_that_was_shortened_keeps_its_numbers() -> None:
    [node] = outline_tree([row(0, ["…", "Speed"], ["Module 1", "Chapter 2", "Section 3"])])
    assert (node.label, node.children[0].label) == ("Module 1, Chapter 2", "Module 1, Chapter 2, Section 3")
    assert (node.kind, node.number) == ("chapter", "2")


@given(st.lists(st.lists(st.sampled_from("AB"), max_size=3), max_size=20))
def test_every_chunk_stands_in_one_part_of_its_own_depth(paths: list[list[str]]) -> None:
    nodes = outline_tree([row(position, path, []) for position, path in enumerate(paths)])
    leaves: dict[int, list[str]] = {}

    def walk(siblings: list[Node], titles: list[str]) -> None:
        for node in siblings:
            for position in range(node.first_position, node.last_position + 1):
                leaves[position] = [*titles, node.title]
            assert [child.id.rpartition(".")[0] for child in node.children] == [node.id] * len(node.children)
            walk(node.children, [*titles, node.title])

    walk(nodes, [])
    assert [leaves[position] for position in range(len(paths))] == [path or [""] for path in paths]
