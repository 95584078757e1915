"""The outline of a document: a tree of modules, chapters, sections and headings, each with its chunks.

It is built from the stored chunks, so it always describes the version that answers.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from corpus.models import Document
from corpus.numbering import find_part_kind, label
from corpus.reading.blocks import new_headings

NODE_KINDS = ("module", "chapter", "section", "heading", "text")
FIELDS = ("position", "heading_path", "numbers", "file_path", "line_start", "line_end", "page")


@dataclass
class Node:
    """A heading, or text without one. `id` is its path in the tree, such as "1.2.3", stable within a version."""

    id: str
    kind: str  # one of NODE_KINDS; "heading" has no number, "text" no heading
    level: int
    title: str
    number: str  # within its parent, such as "2"; empty if it has none
    label: str  # "Module 1, Chapter 2"
    file_path: str
    line_start: int | None
    line_end: int | None
    page: int | None
    first_position: int
    last_position: int
    children: list[Node] = field(default_factory=list)

    @property
    def parent_id(self) -> str | None:
        """The id of its parent. None at the top."""
        return self.id.rpartition(".")[0] or None

    @property
    def chunk_count(self) -> int:
        """Chunks of the node and of all nodes below it."""
        return self.last_position - self.first_position + 1


def outline(document: Document) -> tuple[int | None, list[Node]]:
    """The number of the version that answers (None before the first is indexed), and its outline."""
    rows = list(document.chunks.order_by("position").values("document__answering_version", *FIELDS))
    return (rows[0]["document__answering_version"] if rows else None), outline_tree(rows)


def find_node(nodes: Sequence[Node], key: str) -> Node | None:
    found = (node if node.id == key else find_node(node.children, key) for node in nodes)
    return next(filter(None, found), None)


def outline_tree(rows: Sequence[dict[str, Any]]) -> list[Node]:
    """The outline from rows of chunks (dicts with FIELDS), in order."""
    roots: list[Node] = []
    above: list[Node] = []
    keys: list[tuple[str, str, str]] = []
    for row in rows:
        parts = _aligned(row["heading_path"], row["numbers"])
        own = [(row["file_path"], title, part) for title, part in parts] or [(row["file_path"], "", "")]
        same = len(own) - len(new_headings(own, keys))
        above = above[:same]
        for depth in range(same, len(own)):
            siblings = above[-1].children if above else roots
            above.append(_node(above, siblings, own[: depth + 1], row))
            siblings.append(above[-1])
        for node in above:
            node.last_position = row["position"]
            node.line_end = row["line_end"] or node.line_end
        keys = own
    return roots


def _node(
    above: Sequence[Node], siblings: Sequence[Node], path: Sequence[tuple[str, str, str]], row: dict[str, Any]
) -> Node:
    _, title, part = path[-1]
    place = str(len(siblings) + 1)
    return Node(
        id=f"{above[-1].id}.{place}" if above else place,
        kind=(find_part_kind(part) or "heading") if title else "text",
        level=len(path),
        title=title,
        number=part.rpartition(" ")[2],
        label=label(part for _, _, part in path),
        **{name: row[name] for name in ("file_path", "line_start", "line_end", "page")},
        first_position=row["position"],
        last_position=row["position"],
    )


def _aligned(path: Sequence[str], numbers: Sequence[str]) -> list[tuple[str, str]]:
    """Pairs of heading and number. In a shortened path the first heading has the numbers of those left out."""
    over = max(len(numbers) - len(path), 0)
    parts = [label(numbers[: over + 1]), *numbers[over + 1 :]] if numbers else []
    return list(zip(path, [*parts, *[""] * len(path)], strict=False))
