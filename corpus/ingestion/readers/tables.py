"""Rows of cells as Markdown tables, cut so that every part has the header row of its own."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from corpus.ingestion.readers.structure import one_line

Cells = Sequence[str]

_MOST_ROWS = 20
# Of a part, by the estimate below: what is cut by the packaged embedder's limit of 256 would lose its header.
_MOST_TOKENS = 190
_LONGEST_NAME = (
    60  # characters; a longer cell on top is text, and repeating it with every row would drown the row
)
_TOKENS = re.compile(r"[^\W_\u2e80-\u9fff\uac00-\ud7af]{1,4}|\S")  # up to four letters or digits, or one sign
_PIPE = re.compile(r"(?<!\\)\|")


@dataclass(frozen=True)
class TablePart:
    """Some rows of a table under its header, or a row too long for that as a list of "header: value"."""

    first: int  # index of its first row below the header, from 0
    last: int
    text: str


def markdown_table(rows: Sequence[Cells]) -> str:
    """A Markdown table whose header is the first row; shorter rows are filled up, cells put on one line."""
    width = max(map(len, rows))
    lines = ["| " + " | ".join([*map(_cell, row), *[""] * (width - len(row))]) + " |" for row in rows]
    return "\n".join([lines[0], "|" + " --- |" * width, *lines[1:]])


def table_parts(header: Cells, rows: Sequence[Cells]) -> Iterator[TablePart]:
    """The table in parts of at most 20 rows that an embedder can read whole, in order; a header alone is one part."""
    fixed = _weight(header) + 3 * len(header)  # the rule below it is three signs a cell
    group: list[Cells] = []
    weight = fixed
    for number, row in enumerate(rows):
        added = _weight(row)
        if group and (len(group) == _MOST_ROWS or weight + added > _MOST_TOKENS):
            yield TablePart(number - len(group), number - 1, markdown_table([header, *group]))
            group, weight = [], fixed
        if fixed + added > _MOST_TOKENS:
            yield TablePart(number, number, _record(header, row))
        else:
            group.append(row)
            weight += added
    if group or not rows:
        yield TablePart(len(rows) - len(group), max(len(rows) - 1, 0), markdown_table([header, *group]))


def _weight(row: Cells) -> int:
    """About how many tokens a row has, rather too many than too few."""
    return sum(len(_TOKENS.findall(cell)) + 1 for cell in row) + 1


def _record(header: Cells, row: Cells) -> str:
    names = [name if len(name) <= _LONGEST_NAME else "" for name in map(one_line, header)]
    names += [""] * (len(row) - len(header))
    filled = [(name, one_line(cell)) for name, cell in zip(names, row, strict=False) if cell.strip()]
    return "\n".join(f"- {name}: {cell}" if name else f"- {cell}" for name, cell in filled)


def _cell(text: str) -> str:
    return _PIPE.sub(r"\\|", one_line(text))
