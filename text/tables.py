"""Tables in Markdown: their rows with the headers of the columns, and Markdown as people read it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

_LINE = re.compile(r"^[ \t>]*(\|.*\|)[ \t]*$", re.MULTILINE)
_MARGIN = " \t>"
_BORDER = re.compile(r"(?<!\\)\|")
_RULE = re.compile(r"[|\s:-]+")
_ITEM = re.compile(r"^([ \t>]*)[-*+][ \t]+", re.MULTILINE)
_SYNTAX = re.compile(r"^[ \t]*(?:#{1,6}|>)[ \t]+|^[ \t]*(?:```|~~~).*$|\*\*|`", re.MULTILINE)
# One star before and after words; not those of a product, a formula or code.
_EMPHASIS = re.compile(r"(?<![^\s(\[\"'“‘—–-])\*(?=[\w\"“‘(])([^*\n]*[^\s*])\*(?!\w)")


@dataclass(frozen=True)
class TableRow:
    """The row at `text[start:end]`: its cells as they stand there, and as many headers, "" where there are none.

    `intro` is the line before the table.
    """

    start: int
    end: int
    cells: tuple[str, ...]
    headers: tuple[str, ...]
    intro: str = ""
    is_header: bool = False

    @cached_property
    def fields(self) -> tuple[tuple[str, str], ...]:
        """The filled cells as (header, value), in plain text."""
        named = zip(self.headers, self.cells, strict=True)
        return tuple((_plain(name), _plain(cell)) for name, cell in named if cell.strip())

    def __str__(self) -> str:
        return " · ".join(f"{header}: {value}" if header else value for header, value in self.fields)


def table_rows(text: str) -> list[TableRow]:
    """Return all rows of the tables of a text, headers too."""
    return [row for _, _, row in _lines(text) if row]


def body_rows(text: str, start: int = 0, end: int | None = None) -> list[TableRow]:
    """Return the rows within text[start:end] but for headers, which may stand before it."""
    return [row for _, _, row in _shown(text, start, len(text) if end is None else end) if row]


def make_readable(text: str, start: int = 0, end: int | None = None) -> str:
    """Return text[start:end] without Markdown, each row of a table as “• Header: value · Header: value”."""
    parts, done = [], start
    end = len(text) if end is None else end
    for first, last, row in _shown(text, start, end):
        parts.append(_without_syntax(text[done:first]))
        if row:
            parts.append(f"• {row}")
            done = last
        else:  # with the end of its line
            done = min(last + 1, end)
    return "".join([*parts, _without_syntax(text[done:end])])


def make_readable_line(text: str) -> str:
    """Return a whole text likewise, on one line."""
    return " ".join(make_readable(text).split())


def drop_tables(text: str) -> str:
    """Return the text around the tables."""
    return _LINE.sub("", text)


def _shown(text: str, start: int, end: int) -> Iterator[tuple[int, int, TableRow | None]]:
    """Yield the lines of tables within text[start:end]; None for a rule, and for a header unless it is all there is."""
    lines = [line for line in _lines(text) if line[0] < end and line[1] > start]
    for number, (first, last, row) in enumerate(lines):
        alone = number + 2 >= len(lines)
        yield first, last, row if row and (alone or not row.is_header) else None


def _lines(text: str) -> Iterator[tuple[int, int, TableRow | None]]:
    """Yield where each line of a table stands, and its row, None for the rule below a header."""
    found = list(_LINE.finditer(text))
    headers: tuple[str, ...] = ()
    intro, done = "", 0
    for number, match in enumerate(found):
        first, last = match.span(1)
        between = text[done : match.start()].split("\n")
        opens = not done or not all(line.strip(_MARGIN).startswith("|") for line in between[1:-1])
        if opens:
            above = [line for line in text[: match.start()].splitlines() if line.strip(_MARGIN)]
            intro, headers = above[-1].strip(_MARGIN) if above else "", ()
        done = match.end()
        if _RULE.fullmatch(match[1]):
            yield first, last, None
            continue
        cells = tuple(cell.strip() for cell in _BORDER.split(match[1])[1:-1])
        below = found[number + 1] if number + 1 < len(found) else None
        rule = below[1] if below and below.start() == done + 1 else ""
        is_header = opens and "-" in rule and _RULE.fullmatch(rule) is not None
        named = (*headers, *[""] * len(cells))[: len(cells)]
        yield first, last, TableRow(first, last, cells, named, intro, is_header)
        if is_header:
            headers = cells


def _without_syntax(text: str) -> str:
    return _EMPHASIS.sub(r"\1", _SYNTAX.sub("", _ITEM.sub(r"\1• ", text)))


def _plain(cell: str) -> str:
    return cell.replace("\\|", "|").replace("**", "").replace("`", "").strip()
