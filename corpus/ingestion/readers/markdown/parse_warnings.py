"""Warnings about Markdown files, in words for the people who uploaded them. Pure."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING

from corpus.ingestion.readers.tables import PIPE

if TYPE_CHECKING:
    from markdown_it.token import Token

MAX_PLACES = 3
"""The most places that are listed for one kind of warning."""


class WarningKind(StrEnum):
    """The kinds of warnings with their messages; {at} is replaced by the places."""

    NO_HEADINGS = "There are no headings{at}: passages are cited by their lines alone."
    LATE_START = "The first heading is not of the highest level, #{at}: there is no module or title above it."
    SKIPPED = "Levels of headings are skipped{at}: a section may stand under another heading than meant."
    OPEN_CODE = "A code block is not closed{at}: all below it was read as code."
    SETTINGS = "The settings at the top of the file have a mistake{at}; they are not read as text."
    UNEVEN = "Rows of a table have more or fewer cells than its head{at}; they are kept as they stand."
    NO_TABLE = "What looks like a table has no line of dashes that fits its head{at}: it was read as text."
    EMPTY = "Nothing is in the file{at}."


@dataclass(frozen=True)
class ParseWarning:
    kind: WarningKind
    line: int | None = None  # from 1
    file: str = ""


def warning_notes(warnings: Iterable[ParseWarning]) -> tuple[str, ...]:
    """One sentence for each kind of warning with its first places."""
    places: dict[WarningKind, list[str]] = defaultdict(list)
    for one in warnings:
        line = f"line {one.line}" if one.line else ""
        places[one.kind].append(", ".join(filter(None, (one.file, line))))
    return tuple(kind.format(at=_named(places[kind])) for kind in WarningKind if kind in places)


def _named(places: Sequence[str]) -> str:
    named = [place for place in places[:MAX_PLACES] if place]
    if len(places) > MAX_PLACES:
        named.append(f"{len(places) - MAX_PLACES} more")
    return f" ({'; '.join(named)})" if named else ""


def heading_warnings(levels: Sequence[tuple[int, int]]) -> Iterator[ParseWarning]:
    """Warnings about the headings of a file, given as pairs of level and line."""
    if not levels:
        yield ParseWarning(WarningKind.NO_HEADINGS)
        return
    if levels[0][0] > 1:
        yield ParseWarning(WarningKind.LATE_START, levels[0][1])
    above = levels[0][0]
    for level, line in levels[1:]:
        if level > above + 1:
            yield ParseWarning(WarningKind.SKIPPED, line)
        above = level


def block_warnings(tokens: Iterable[Token], lines: Sequence[str], first: int) -> Iterator[ParseWarning]:
    """Warnings about the blocks of a file. The tokens begin at line `first`, from 0."""
    for token in tokens:
        if not token.map or token.level:
            continue
        start, end = first + token.map[0], first + token.map[1]
        if token.type == "fence" and not _is_closed(lines[start:end], token.markup):
            yield ParseWarning(WarningKind.OPEN_CODE, start + 1)
        elif token.type == "table_open":
            cells = _cells(lines[start])
            uneven = (n for n in range(start + 2, end) if _cells(lines[n]) != cells)
            if (number := next(uneven, None)) is not None:
                yield ParseWarning(WarningKind.UNEVEN, number + 1)
        elif token.type == "paragraph_open" and _looks_like_a_table(lines[start:end]):
            yield ParseWarning(WarningKind.NO_TABLE, start + 1)


def _is_closed(lines: Sequence[str], fence: str) -> bool:
    last = lines[-1].strip()
    return len(lines) > 1 and last.startswith(fence) and not last.strip(fence[0])


def _cells(line: str) -> int:
    text = line.strip()
    return len(PIPE.findall(text)) + 1 - text.startswith("|") - bool(text.endswith("|") and text[-2:] != r"\|")


def _looks_like_a_table(lines: Sequence[str]) -> bool:
    rows = [line.strip() for line in lines]
    return len(rows) > 1 and all(len(row) > 2 and row[0] == row[-1] == "|" for row in rows)
