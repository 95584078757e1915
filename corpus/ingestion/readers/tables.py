"""Markdown tables from rows of cells, in parts that each have the header row."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from corpus.ingestion.readers.structure import one_line

Cells = Sequence[str]

_MOST_ROWS = 20
# Of a part, as estimated below. The packaged embedder's limit is 256; a part that is cut would lose its header.
_MOST_TOKENS = 190
_MAX_NAME = 60  # characters; a longer header cell is text, and is not repeated with every row
_TOKENS = re.compile(r"[^\W_\u2e80-\u9fff\uac00-\ud7af]{1,4}|\S")  # up to four letters or digits, or one sign
_PIPE = re.compile(r"(?<!\\)\|")


@dataclass(frozen=True)
class TablePart:
    """Some rows of a table under its header, or one long row as a list of "header: value"."""

    first: int  # index of its first row, from 0, without the header
    last: int
    text: str


def markdown_table(rows: Sequence[Cells]) -> str:
    """A Markdown table with the first row as header. Shorter rows are filled up; each cell is one line."""
    width = max(map(len, rows))
    cells = [[_PIPE.sub(r"\\|", one_line(cell)) for cell in row] + [""] * (width - len(row)) for row in rows]
    lines = ["| " + " | ".join(row) + " |" for row in cells]
    return "\n".join([lines[0], "|" + " --- |" * width, *lines[1:]])


def table_parts(header: Cells, rows: Sequence[Cells]) -> Iterator[TablePart]:
    """The table in parts of at most 20 rows that fit the embedder, in order. A header alone is one part."""
    fixed = _weight(header) + 3 * len(header)  # the rule has three signs for each cell
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
    """An upper estimate of the tokens of a row."""
    return sum(len(_TOKENS.findall(cell)) + 1 for cell in row) + 1


def _record(header: Cells, row: Cells) -> str:
    names = [name if len(name) <= _MAX_NAME else "" for name in map(one_line, header)]
    names += [""] * (len(row) - len(header))
    filled = [(name, one_line(cell)) for name, cell in zip(names, row, strict=False) if cell.strip()]
    return "\n".join(f"- {name}: {cell}" if name else f"- {cell}" for name, cell in filled)
