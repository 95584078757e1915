"""Headings of a PDF: from its outline, or else from lines in clearly larger type."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace

from corpus.ingestion.readers.pdf.lines import Line, OutlineEntry
from corpus.ingestion.readers.structure import one_line

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
    """The size of most letters, in points."""
    letters: Counter[float] = Counter()
    for lines in pages:
        for line in lines:
            letters[line.size] += len(line.text)
    return max(letters, key=lambda size: (letters[size], -size), default=0.0)


def is_large(line: Line, body: float) -> bool:
    """Whether a line is clearly larger than the body."""
    return line.size >= body * _LARGER


def font_headings(pages: Sequence[Sequence[Line]]) -> list[PdfHeading]:
    """Short runs of lines in one size clearly above the body size. The largest size is level 1."""
    body = body_size(pages)
    found: list[tuple[float, PdfHeading]] = []
    for number, lines in enumerate(pages, start=1):
        start = 0
        while start < len(lines):
            stop = _run(lines, start)
            title = one_line(" ".join(line.text for line in lines[start:stop])) if is_large(lines[start], body) else ""
            if len(title) <= _MAX_HEADING_LENGTH and sum(character.isalpha() for character in title) > 1:
                found.append((lines[start].size, PdfHeading(0, title, number, start, stop)))
            start = stop
    sizes = sorted({size for size, _ in found}, reverse=True)
    return [replace(heading, level=min(sizes.index(size) + 1, _LEVELS)) for size, heading in found]


def _run(lines: Sequence[Line], start: int) -> int:
    """The end of a run of lines with one size and normal spacing."""
    stop = start + 1
    while stop < len(lines) and lines[stop].size == lines[start].size:
        if not 0 < lines[stop - 1].y - lines[stop].y <= 1.8 * lines[start].size:
            break
        stop += 1
    return stop


def outline_headings(outline: Sequence[OutlineEntry], pages: Sequence[Sequence[Line]]) -> list[PdfHeading]:
    """The outline entries at their lines. An entry whose text is not found is placed where it points to."""
    entries = [entry for entry in _with_pages(outline) if entry.page and entry.page <= len(pages)]
    found: list[PdfHeading] = []
    for entry in sorted(entries, key=lambda entry: entry.page or 0):
        title = one_line(entry.title)
        if not title or entry.page is None:
            continue
        lines = pages[entry.page - 1]
        first = found[-1].stop if found and found[-1].page == entry.page else 0
        start, stop = _find(title, lines, first) or _point(entry, lines, first)
        found.append(PdfHeading(entry.level, title, entry.page, start, stop))
    return found


def _with_pages(outline: Sequence[OutlineEntry]) -> list[OutlineEntry]:
    """The entries with pages. An entry without a target gets the page of the next one."""
    page: int | None = None
    filled: list[OutlineEntry] = []
    for entry in reversed(outline):
        page = entry.page or page
        filled.append(replace(entry, page=page, y=entry.y if entry.page else None))
    return filled[::-1]


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
    if entry.y is not None:
        first = next((index for index in range(first, len(lines)) if lines[index].y <= entry.y), len(lines))
    return first, first
