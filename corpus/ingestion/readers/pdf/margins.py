"""Removes running headers, footers and page numbers: lines that repeat at the edge of neighbouring pages."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Sequence

from corpus.ingestion.readers.pdf.headings import body_size, is_large
from corpus.ingestion.readers.pdf.lines import Line

_EDGE = 0.12  # share of the page's height at the top and at the bottom
_OUTERMOST = 2  # lines examined at either edge
_NEAR = 4  # pages before and after; a header may repeat within a chapter only, or on every other page
_REPEATS = 3  # pages
_SHARED, _MIN_NAMES = 0.4, 3  # of the pages, and words: of a header that says more than a page number
_SAME_HEIGHT = 3.0  # points


def drop_running_lines(pages: Sequence[Sequence[Line]]) -> tuple[list[list[Line]], list[tuple[int, str]]]:
    """The pages without running lines, and those of most pages once, with the number of their first page from 1.

    They stay if the pages have nothing else, or if they are large like headings.
    """
    body = body_size(pages)
    seen: dict[str, list[tuple[int, Line]]] = defaultdict(list)
    for number, lines in enumerate(pages):
        for line in _outermost(lines):
            if not is_large(line, body):
                for mark in _marks(line.text, number):
                    seen[mark].append((number, line))
    running = {
        (number, id(line))
        for group in seen.values()
        for number, line in group
        if _repeats(number, line, group) >= _REPEATS
    }
    kept = [[line for line in lines if (number, id(line)) not in running] for number, lines in enumerate(pages)]
    if not any(kept):
        return [list(lines) for lines in pages], []
    once: dict[str, tuple[int, str]] = {}
    for mark, group in seen.items():
        shared = len({number for number, _ in group}) >= _SHARED * len(pages)
        first, line = group[0]
        if shared and (first, id(line)) in running and len(_NAME.findall(mark)) >= _MIN_NAMES:
            once[mark] = first + 1, line.text
    return kept, list(once.values())


def is_at_edge(line: Line) -> bool:
    """Whether a line is so far up or down that it may be a header, a footer or a page number."""
    return not _EDGE <= line.depth <= 1 - _EDGE


def _outermost(lines: Sequence[Line]) -> list[Line]:
    ordered = sorted((line for line in lines if line.table is None), key=lambda line: line.depth)
    top = [line for line in ordered[:_OUTERMOST] if line.depth <= _EDGE]
    return top + [line for line in ordered[-_OUTERMOST:] if line.depth >= 1 - _EDGE]


_NAME = re.compile(r"[^\W\d_]{2,}")
_NUMBER = re.compile(r"\b(?:\d+|[ivxl]+)\b")
_PAGE_NUMBER = re.compile(r"(\d{1,4})\b.*|.*\b(\d{1,4})")


def _marks(text: str, page: int) -> list[str]:
    """Keys that a running line shares with those of other pages.

    The words without numbers; and, if a number at an end grows with the pages, its offset to the page.
    """
    match = _PAGE_NUMBER.fullmatch(text)
    counted = int(match.group(1) or match.group(2)) - page if match else None
    return [_NUMBER.sub("#", text)] + ([] if counted is None else [f"page {counted}"])


def _repeats(number: int, line: Line, group: Sequence[tuple[int, Line]]) -> int:
    """The number of pages near page `number` that have the line at the same height."""
    return len(
        {
            other
            for other, same in group
            if abs(other - number) <= _NEAR
            and abs(same.y - line.y) <= _SAME_HEIGHT
            and _counts(line.text, same.text, other - number)
        }
    )


def _counts(text: str, other: str, pages: int) -> bool:
    """Whether each number of a line grows by at most the pages to the other line: it counts pages or chapters."""
    if _NUMBER.sub("#", text) != _NUMBER.sub("#", other):
        return True  # the number of the page is all that they share
    pairs = zip(_NUMBER.findall(text), _NUMBER.findall(other), strict=False)  # a text may have "#" itself
    steps = (int(two[-9:]) - int(one[-9:]) for one, two in pairs if one.isdecimal() and two.isdecimal())
    return all(0 <= step * (1 if pages >= 0 else -1) <= abs(pages) for step in steps)
