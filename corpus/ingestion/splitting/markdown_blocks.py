"""Blocks of Markdown text: paragraphs, list items, tables, code and formulas, detected line by line.

Plain text follows the same rules, since it usually uses such marks in the same sense.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from enum import Enum
from itertools import accumulate


class BlockKind(Enum):
    PROSE = "prose"
    ITEM = "item"
    TABLE = "table"
    CODE = "code"
    FORMULA = "formula"


@dataclass(frozen=True)
class MarkdownBlock:
    kind: BlockKind
    start: int  # offset of the first line with its indentation
    end: int
    apart: bool  # whether a blank line precedes it


_QUOTE = r"[ \t]*+(?:>[ \t]?)*+"
_FENCE = re.compile(_QUOTE + r"(`{3,}|~{3,})")
_FORMULA = re.compile(_QUOTE + r"(\$\$|\\\[)")
_ITEM = re.compile(_QUOTE + r"[ \t]*+(?:[-*+•]|\d{1,4}[.)])[ \t]+\S")
_ROW = re.compile(_QUOTE + r"\|.*\|")
_RULE = re.compile(_QUOTE + r"\|?[ \t]*+:?-++:?[ \t]*+(?:\|[ \t]*+:?-++:?[ \t]*+)+\|?[ \t]*+$")
_HEADING = re.compile(r" {0,3}#{1,6}[ \t]")
_OPENINGS = (_ITEM, _FENCE, _FORMULA, _HEADING)
_INDENTED = re.compile(r"(?: {4}|\t)")


def markdown_blocks(text: str) -> Iterator[MarkdownBlock]:
    """The blocks of `text` in order. Only white space lies between them."""
    lines = text.split("\n")
    starts = [0, *accumulate(len(line) + 1 for line in lines)]
    position, apart, previous = 0, False, BlockKind.PROSE
    while position < len(lines):
        if not lines[position].strip():
            position, apart = position + 1, True
            continue
        kind, stop = _block_at(lines, position, code=previous is not BlockKind.ITEM and (apart or position == 0))
        yield MarkdownBlock(kind, starts[position], starts[stop] - 1, apart)
        position, apart, previous = stop, False, kind


def _block_at(lines: Sequence[str], position: int, *, code: bool) -> tuple[BlockKind, int]:
    """The kind of the block that begins at line `position`, and the line after its last one."""
    line = lines[position]
    if fence := _FENCE.match(line):
        return BlockKind.CODE, _closing_fence(lines, position, fence.group(1))
    if (formula := _FORMULA.match(line)) and (stop := _closing_formula(lines, position, formula)):
        return BlockKind.FORMULA, stop
    if _opens_table(lines, position):
        return BlockKind.TABLE, _run(lines, position, lambda text: "|" in text)
    if code and _INDENTED.match(line):
        stop = _run(lines, position, lambda text: bool(_INDENTED.match(text)))
        if stop == len(lines) or not lines[stop].strip():
            return BlockKind.CODE, stop
    kind = BlockKind.ITEM if _ITEM.match(line) else BlockKind.PROSE
    return kind, _end_of_prose(lines, position)


def _closing_fence(lines: Sequence[str], position: int, fence: str) -> int:
    closing = re.compile(rf"{_QUOTE}{re.escape(fence[0])}{{{len(fence)},}}[ \t]*$")
    return next((number + 1 for number in range(position + 1, len(lines)) if closing.match(lines[number])), len(lines))


def _closing_formula(lines: Sequence[str], position: int, opening: re.Match[str]) -> int | None:
    """The line after a formula of at most 60 lines. None if it is not closed or text follows it."""
    mark = "$$" if opening.group(1) == "$$" else r"\]"
    rest = lines[position][opening.end() :]
    for number in range(position, min(position + 60, len(lines))):
        text = rest if number == position else lines[number]
        if mark in text:
            return None if text.partition(mark)[2].strip(" \t.,;") else number + 1
    return None


def _opens_table(lines: Sequence[str], position: int) -> bool:
    first, following = lines[position], "".join(lines[position + 1 : position + 2])
    return "|" in first and bool(_RULE.match(following) or (_ROW.match(first) and _ROW.match(following)))


def _end_of_prose(lines: Sequence[str], position: int) -> int:
    if _HEADING.match(lines[position]):
        return position + 1
    for number in range(position + 1, len(lines)):
        text = lines[number]
        if not text.strip() or any(one.match(text) for one in _OPENINGS) or _opens_table(lines, number):
            return number
    return len(lines)


def _run(lines: Sequence[str], position: int, belongs: Callable[[str], bool]) -> int:
    following = range(position + 1, len(lines))
    return next((stop for stop in following if not (lines[stop].strip() and belongs(lines[stop]))), len(lines))
