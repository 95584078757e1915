"""Markdown as plain text, and the rows of its tables, each with the headers of its columns. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from text.tables import row_at

_LINE = re.compile(r"^[ \t>]*(\|.*\|)[ \t]*$", re.MULTILINE)
_ITEM = re.compile(r"^([ \t>]*)[-*+][ \t]+", re.MULTILINE)
_SYNTAX = re.compile(r"^[ \t]*(?:#{1,6}|>)[ \t]+|^[ \t]*(?:```|~~~).*$|\*\*|`", re.MULTILINE)
_EMPHASIS = re.compile(r"(?<![^\s(\[\"'“‘—–-])\*(?=[\w\"“‘(])([^*\n]*[^\s*])\*(?!\w)")
"""One star before and after words; not those of a product, a formula or code."""
_RULE = re.compile(r"[|\s:-]+")


@dataclass(frozen=True)
class Row:
    """A row of a table, not its head: where it stands in the text, and its filled cells as (header, value)."""

    start: int
    end: int
    cells: tuple[tuple[str, str], ...]

    def __str__(self) -> str:
        return " · ".join(f"{header}: {value}" if header else value for header, value in self.cells)


def rows(text: str, start: int = 0, end: int | None = None) -> list[Row]:
    """The rows of tables that stand in text[start:end]; their headers may stand before."""
    return [row for _, row in _lines(text, start, len(text) if end is None else end) if row]


def readable(text: str, start: int = 0, end: int | None = None) -> str:
    """text[start:end] without marks of Markdown; each row of a table as “• Header: value · Header: value”, without head
    and rule."""
    parts, done = [], start
    end = len(text) if end is None else end
    for (first, last), row in _lines(text, start, end):
        parts.append(_plain_text(text[done:first]))
        if row:
            parts.append(f"• {row}")
            done = last
        else:  # with the end of its line
            done = min(last + 1, end)
    return "".join([*parts, _plain_text(text[done:end])])


def readable_line(text: str) -> str:
    """The same of a whole text, on one line."""
    return " ".join(readable(text).split())


def _plain_text(text: str) -> str:
    return _EMPHASIS.sub(r"\1", _SYNTAX.sub("", _ITEM.sub(r"\1• ", text)))


def without_tables(text: str) -> str:
    """The text around the tables."""
    return _LINE.sub("", text)


def _lines(text: str, start: int, end: int) -> Iterator[tuple[tuple[int, int], Row | None]]:
    """Where each line of a table stands, and its row; None of a head, unless it is the whole table, and of a rule."""
    lines = [match.span(1) for match in _LINE.finditer(text) if match.start() < end and match.end() > start]
    for number, (first, last) in enumerate(lines):
        row = row_at(text, first, last)
        if row is None or _RULE.fullmatch(text[first:last]):
            yield (first, last), None
            continue
        is_bare = row.is_header and number + 2 >= len(lines)
        if row.is_header and not is_bare:
            yield (first, last), None
            continue
        named = zip(row.headers, row.cells, strict=True)
        cells = tuple((_plain(name), _plain(cell)) for name, cell in named if cell.strip())
        yield (first, last), Row(first, last, cells)


def _plain(cell: str) -> str:
    return cell.replace("\\|", "|").replace("**", "").replace("`", "").strip()
