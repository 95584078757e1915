"""Headings of a PDF, from its outline or larger type, and running headers and footers, which are removed."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, replace

from corpus.ingestion.readers.pdf.lines import OutlineEntry
from corpus.ingestion.readers.pdf.words import Line
from corpus.ingestion.readers.structure import group_while, one_line

_LARGER = 1.15  # times the body size
_MAX_HEADING_LENGTH = 200  # characters; longer large text is a quotation or a poster
_LEVELS = 6
_NUMBERING = 12  # letters by which a line may be longer than its outline title ("Chapter 3")


@dataclass(frozen=True)
class PdfHeading:
    level: int
    title: str
    page: int
    start: int  # first line on the page, from 0
    stop: int  # line after the last one; equal to `start` if its text is not on the page


def body_size(pages: Sequence[Sequence[Line]]) -> float:
    letters: Counter[float] = Counter()
    for lines in pages:
        for line in lines:
            letters[line.size] += len(line.text)
    return max(letters, key=lambda size: (letters[size], -size), default=0.0)


def is_large(line: Line, body: float) -> bool:
    return line.size >= body * _LARGER


def font_headings(pages: Sequence[Sequence[Line]]) -> list[PdfHeading]:
    """Short runs of lines in one size clearly above the body size. The largest size is level 1."""
    body = body_size(pages)
    found: list[tuple[float, PdfHeading]] = []
    for number, lines in enumerate(pages, start=1):
        start = 0
        for run in group_while(lines, _goes_on):
            title = one_line(" ".join(line.text for line in run)) if is_large(run[0], body) else ""
            if len(title) <= _MAX_HEADING_LENGTH and sum(character.isalpha() for character in title) > 1:
                found.append((run[0].size, PdfHeading(0, title, number, start, start + len(run))))
            start += len(run)
    sizes = sorted({size for size, _ in found}, reverse=True)
    return [replace(heading, level=min(sizes.index(size) + 1, _LEVELS)) for size, heading in found]


def _goes_on(run: list[Line], line: Line) -> bool:
    """Whether a line has the size of those above and follows at the usual distance."""
    return line.size == run[0].size and 0 < run[-1].y - line.y <= 1.8 * line.size


def outline_headings(outline: Sequence[OutlineEntry], pages: Sequence[Sequence[Line]]) -> list[PdfHeading]:
    """The outline entries at their lines. An entry whose text is not found is placed where it points to."""
    page = len(pages) + 1
    placed: list[tuple[int, OutlineEntry]] = []  # an entry without a target has the page of the next one
    for entry in reversed(outline):
        page = entry.page or page
        placed.append((page, entry))
    found: list[PdfHeading] = []
    placed.reverse()
    for page, entry in sorted(placed, key=lambda one: one[0]):
        if page <= len(pages) and (title := one_line(entry.title)):
            lines = pages[page - 1]
            first = found[-1].stop if found and found[-1].page == page else 0
            start, stop = _find(title, lines, first) or _point(entry, lines, first)
            found.append(PdfHeading(entry.level, title, page, start, stop))
    return found


def _find(title: str, lines: Sequence[Line], first: int) -> tuple[int, int] | None:
    """The one to three lines from `first` on that equal the title, or else equal it except for a leading number."""
    wanted = _letters(title)
    nearly: tuple[int, int] | None = None
    for start in range(first, len(lines)):
        opening, text = _letters(lines[start].text), ""
        for stop in range(start + 1, min(start + 4, len(lines) + 1)):
            text += _letters(lines[stop - 1].text)
            if text and text == wanted:
                return start, stop
            if nearly is None and _differ_by_number(text, wanted, len(opening)):
                nearly = start, stop
    return nearly


def _differ_by_number(text: str, wanted: str, opening: int) -> bool:
    """Whether one equals the other after a number ("3.1", "Chapter 3") that is not alone on the first line."""
    long, short = max(text, wanted, key=len), min(text, wanted, key=len)
    number = long.removesuffix(short)
    if not short[:1].isalpha() or not number[-1:].isdigit() or len(number) > _NUMBERING:
        return False
    return long.endswith(short) and (short == text or len(number) < opening)


def _letters(text: str) -> str:
    return "".join(character for character in text.casefold() if character.isalnum())


def _point(entry: OutlineEntry, lines: Sequence[Line], first: int) -> tuple[int, int]:
    """Where the entry points to, if it points to a height."""
    if entry.page and entry.y is not None:
        first = next((index for index in range(first, len(lines)) if lines[index].y <= entry.y), len(lines))
    return first, first


_EDGE = 0.12  # share of the page's height at the top and at the bottom
_OUTERMOST = 2  # lines examined at either edge
_NEAR = 4  # pages before and after; a header may repeat within a chapter only, or on every other page
_REPEATS = 3  # pages
_SHARED, _MIN_NAMES = 0.4, 3  # of the pages, and words: of a header that says more than a page number
_SAME_HEIGHT = 3.0  # points


def drop_running_lines(pages: Sequence[Sequence[Line]]) -> tuple[list[list[Line]], list[tuple[int, str]]]:
    """The pages without running lines, and those of most pages once, with their first page. Large ones stay."""
    body = body_size(pages)
    seen: dict[str, list[tuple[int, Line]]] = defaultdict(list)
    for number, lines in enumerate(pages):
        for line in _outermost(lines):
            for mark in () if is_large(line, body) else _marks(line.text, number):
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
    """Keys of a running line: its words without numbers, and what a number at an end differs from the page."""
    match = _PAGE_NUMBER.fullmatch(text)
    return [_NUMBER.sub("#", text), *([f"page {int(match[1] or match[2]) - page}"] if match else [])]


def _repeats(number: int, line: Line, group: Sequence[tuple[int, Line]]) -> int:
    """The number of pages near page `number` that have the line at the same height."""
    near = [one for one in group if abs(one[0] - number) <= _NEAR and abs(one[1].y - line.y) <= _SAME_HEIGHT]
    return len({other for other, same in near if _counts(line.text, same.text, other - number)})


def _counts(text: str, other: str, pages: int) -> bool:
    """Whether each number of a line grows by at most the pages to the other line: it counts pages or chapters."""
    if _NUMBER.sub("#", text) != _NUMBER.sub("#", other):
        return True  # the number of the page is all that they share
    pairs = zip(_NUMBER.findall(text), _NUMBER.findall(other), strict=False)  # a text may have "#" itself
    steps = (int(two[-9:]) - int(one[-9:]) for one, two in pairs if one.isdecimal() and two.isdecimal())
    return all(0 <= step * (1 if pages >= 0 else -1) <= abs(pages) for step in steps)
