"""Paragraphs from the lines of a page: joins hyphenated words, and sentences across pages."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from statistics import median
from typing import TypeVar

from corpus.ingestion.readers.pdf.lines import Line
from text.sentences import sentence_starts

_BULLET = re.compile(r"[•●▪■◦○‣⁃∙·–—-]\s+(?=\S)")
_NUMBERED = re.compile(r"(?:\d{1,3}|[a-z])[.)]\s+\S")
_HYPHENS = ("-", "\u2010")
_FINISHED = re.compile(r"[.!?…:;。！？؟।][\"'”’»)\]]*$")
_WORD = re.compile(r"[^\W\d_]+(?:-[^\W\d_]+)*")
_LOOSE = {"and", "or", "und", "oder", "bzw", "sowie", "et", "ou", "y", "o", "e"}  # "Haupt- und Nebensatz"
_LONGEST_TAIL = 600  # characters of a sentence that are moved to the page before


@dataclass(frozen=True)
class Paragraph:
    """A paragraph of one page."""

    text: str
    page: int
    size: float
    open: bool  # whether its last line is full and does not end a sentence


def words_in(lines: Iterable[str]) -> frozenset[str]:
    """All words of these lines in lower case. They tell a compound from a word broken at a line end."""
    return frozenset(word for line in lines for word in _WORD.findall(line.lower()))


def paragraphs(lines: Sequence[Line], page: int, words: frozenset[str]) -> Iterator[Paragraph]:
    """The paragraphs of consecutive lines of one page."""
    gaps = [above.y - below.y for above, below in pairwise(lines) if above.size == below.size and above.y > below.y]
    leading = median(gaps) if gaps else 0.0  # the usual distance between baselines, in points
    right = max((line.right for line in lines), default=0.0)
    start = 0
    for stop in range(1, len(lines) + 1):
        if stop == len(lines) or _begins(lines[start], lines[stop - 1], lines[stop], leading, right):
            yield _paragraph(lines[start:stop], page, words, right)
            start = stop


def _begins(first: Line, above: Line, line: Line, leading: float, right: float) -> bool:
    """Whether `line` begins a paragraph; `first` is the first line of the open one."""
    if above.hyphen:
        return False
    gap = above.y - line.y
    if _BULLET.match(line.text) or abs(line.size - above.size) > 0.1 * above.size:
        return True
    finished = bool(_FINISHED.search(above.text))
    if gap < 0:  # the top of the next column
        return finished
    listed = bool(_BULLET.match(first.text) or _NUMBERED.match(first.text))
    if _NUMBERED.match(line.text) and (finished or listed):
        return True
    indented = 0.9 * line.size < line.left - above.left < 4 * line.size and not listed
    short = above.right < right - 0.2 * (right - above.left) and finished
    return gap > 1.35 * min(leading, 1.6 * line.size) or indented or short


def _paragraph(lines: Sequence[Line], page: int, words: frozenset[str], right: float) -> Paragraph:
    text = lines[0].text
    for above, line in pairwise(lines):
        text = joined(text, line.text, above.hyphen, words)
    last = lines[-1]
    full = last.right >= right - 0.2 * (right - last.left)
    text = _BULLET.sub("- ", text, count=1) if _BULLET.match(text) else text
    return Paragraph(text, page, last.size, last.hyphen or (full and not _FINISHED.search(text)))


def joined(text: str, following: str, broken: bool, words: frozenset[str]) -> str:
    """Two lines joined. A word broken between them is mended; `broken` says that the line certainly ends with one."""
    stem = text if broken else next((text[:-1] for hyphen in _HYPHENS if text.endswith(hyphen)), None)
    before = _WORD.search(stem[-40:][::-1]) if stem and stem[-1:].isalpha() else None
    after = _WORD.match(following)
    if stem is None or not before or not after:
        return text + following if stem and following[:1].isalnum() else f"{text} {following}"
    left, right = before.group()[::-1].lower(), after.group().lower()
    if right in _LOOSE:
        return f"{stem}- {following}"
    compound = f"{left}-{right}" in words and left + right not in words
    return f"{stem}-{following}" if compound or after.group()[0].isupper() else stem + following


T = TypeVar("T")


def carried_over(items: Sequence[Paragraph | T]) -> Iterator[Paragraph | T]:
    """The items, with each sentence that continues on the next page moved to the page on which it begins."""
    pending: Paragraph | None = None
    for item in items:
        rest: Paragraph | T | None = item
        if isinstance(item, Paragraph) and pending:
            pending, rest = _carry(pending, item)
        if pending and rest:
            yield pending
        if isinstance(rest, Paragraph):
            pending = rest
        elif rest:
            pending = None
            yield rest
    if pending:
        yield pending


def _carry(before: Paragraph, after: Paragraph) -> tuple[Paragraph, Paragraph | None]:
    """The paragraphs with the rest of the sentence moved to the first. Unchanged if it does not go on, or is long."""
    if not before.open or after.page != before.page + 1 or after.size != before.size or _BULLET.match(after.text):
        return before, after
    cut = next(sentence_starts(after.text), len(after.text))
    if cut > _LONGEST_TAIL:
        return before, after
    text = joined(before.text, after.text[:cut].rstrip(), False, frozenset())
    rest = after.text[cut:]
    still_open = after.open and not rest
    moved = replace(before, text=text, open=still_open)
    return moved, replace(after, text=rest) if rest else None
