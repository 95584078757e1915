"""The small markup in which the project's own documents are written, so that one text can be written in any format.

Blocks stand between blank lines: `# Title`, `## Heading`, a paragraph, `1. step`, `- item`, `[x] ticked`, `[ ] not`,
and tables of `| cell | cell |` whose first row is the header and where `^` goes on with the cell above. In a block
`^{23}` is raised, `_{2}` lowered, `~~crossed out~~` and `%%hidden%%`.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal

Style = Literal["", "raised", "lowered", "struck", "hidden"]
BlockKind = Literal["title", "heading", "text", "step", "item", "ticked", "unticked", "table"]

_STYLES: dict[str, Style] = {"^": "raised", "_": "lowered", "~": "struck", "%": "hidden"}
_SPAN = re.compile(r"([\^_])\{([^}]*)\}|(~~|%%)(.+?)\3")
_MARKS: tuple[tuple[str, BlockKind], ...] = (
    ("# ", "title"), ("## ", "heading"), ("- ", "item"), ("[x] ", "ticked"), ("[ ] ", "unticked"),
)  # fmt: skip
ABOVE = "^"


@dataclass(frozen=True)
class Run:
    """Words in one style."""

    text: str
    style: Style = ""


@dataclass(frozen=True)
class Block:
    """A paragraph of runs, or a table of cells, each of them runs."""

    kind: BlockKind
    runs: tuple[Run, ...] = ()
    rows: tuple[tuple[tuple[Run, ...], ...], ...] = ()

    @property
    def text(self) -> str:
        return "".join(run.text for run in self.runs)

    def covered(self, row: int, column: int) -> int:
        """Return how many rows a cell of a table covers, 1 if it is itself covered."""
        if self.rows[row][column] == (Run(ABOVE),):
            return 1
        below = (cells[column] for cells in self.rows[row + 1 :])
        count = 1
        for cell in below:
            if cell != (Run(ABOVE),):
                break
            count += 1
        return count


def read_markup(text: str) -> list[Block]:
    """Return the blocks of a text."""
    blocks: list[Block] = []
    for part in re.split(r"\n\s*\n", text.strip()):
        if part.startswith("|"):
            rows = [[cell.strip() for cell in line.strip().strip("|").split("|")] for line in part.splitlines()]
            blocks.append(Block("table", rows=tuple(tuple(read_runs(cell) for cell in row) for row in rows)))
            continue
        lines = part.splitlines() if re.match(r"- |\d+\. |\[[x ]\] ", part) else [" ".join(part.split("\n"))]
        blocks += [_read_line(line) for line in lines]
    return blocks


def _read_line(line: str) -> Block:
    for mark, kind in _MARKS:
        if line.startswith(mark):
            return Block(kind, read_runs(line.removeprefix(mark)))
    step = re.match(r"\d+\. ", line)
    return Block("step", read_runs(line[step.end() :])) if step else Block("text", read_runs(line))


def read_runs(text: str) -> tuple[Run, ...]:
    """Return the words of a line with their styles."""
    runs: list[Run] = []
    done = 0
    for match in _SPAN.finditer(text):
        runs += [Run(text[done : match.start()]), Run(match[2] or match[4], _STYLES[match[0][0]])]
        done = match.end()
    return tuple(run for run in (*runs, Run(text[done:])) if run.text)
