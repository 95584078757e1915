"""Rows of Markdown tables with what gives them their meaning: column headers and the line before the table. Pure."""

import re
from dataclasses import dataclass

_MARGIN = " \t>"
_BORDER = re.compile(r"(?<!\\)\|")
_SEPARATOR = re.compile(r"[|\s:-]*-[|\s:-]*")


@dataclass(frozen=True)
class Row:
    """Cells as they stand in the source; `headers` has as many (blank without a header line); `intro` is a line."""

    cells: tuple[str, ...]
    headers: tuple[str, ...]
    intro: str
    is_header: bool


def row_at(text: str, start: int, end: int) -> Row | None:
    """Return the row ``text[start:end]``, or None if that is not a row of a table."""
    if not (text[start:end].startswith("|") and text[start:end].endswith("|")):
        return None
    above = [line.strip(_MARGIN) for line in text[:start].splitlines()]
    if above and not text[:start].endswith("\n"):
        above.pop()  # the margin of this line
    first = len(above)
    while first and above[first - 1].startswith("|"):
        first -= 1
    table = above[first:]
    cells = _cells(text[start:end])
    has_header = len(table) > 1 and _SEPARATOR.fullmatch(table[1]) is not None
    headers = _cells(table[0]) if has_header else ()
    headers = (*headers, *[""] * len(cells))[: len(cells)]
    below = text[end:].lstrip().split("\n", 1)[0].strip(_MARGIN)
    is_header = not table and below.startswith("|") and _SEPARATOR.fullmatch(below) is not None
    before = [line for line in above[:first] if line]
    return Row(cells, headers, before[-1] if before else "", is_header)


def _cells(line: str) -> tuple[str, ...]:
    return tuple(cell.strip() for cell in _BORDER.split(line.strip())[1:-1])
