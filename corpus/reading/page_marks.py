"""Where a passage stands on a page, as rectangles around its words. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher

from corpus.ingestion.readers.images import Box

_MIN_RUN = 3  # words; shorter agreements are chance, unless the passage is as short
_MIN_SHARE = 0.5  # of the words of the passage; with fewer it is not on this page
_MIN_WORDS = 12  # of a passage that begins here and goes on overleaf
_GAP = 4  # words between two marked ones that are marked, too
_PADDING = 2  # pixels around the words
_MAX_WORDS = 2_000  # of a passage
_WORD = re.compile(r"\w+")


@dataclass(frozen=True)
class Mark:
    """A rectangle in pixels, from the top left corner."""

    x: int
    y: int
    width: int
    height: int


def passage_marks(passage: str, words: Sequence[tuple[str, Sequence[Box]]]) -> list[Mark]:
    """Rectangles around the words of a passage (Markdown) on a page, line by line. Empty if it is not found there.

    `words` are those of the page with their boxes, in the order of the file.
    """
    wanted = [part.casefold() for part in _WORD.findall(passage)][:_MAX_WORDS]
    there = [(part.casefold(), number) for number, (text, _) in enumerate(words) for part in _WORD.findall(text)]
    matcher = SequenceMatcher(None, wanted, [part for part, _ in there], autojunk=False)
    least = min(_MIN_RUN, len(wanted))
    blocks = [block for block in matcher.get_matching_blocks() if block.size >= least > 0]
    found = sum(block.size for block in blocks)
    if not found or (found < _MIN_SHARE * len(wanted) and found < _MIN_WORDS):
        return []
    numbers = sorted({there[block.b + step][1] for block in blocks for step in range(block.size)})
    return list(_rectangles([box for number in _filled(numbers) for box in words[number][1]]))


def _filled(numbers: Sequence[int]) -> Iterator[int]:
    """The numbers with those in small gaps between them."""
    before: int | None = None
    for number in numbers:
        if before is not None and 1 < number - before <= _GAP + 1:
            yield from range(before + 1, number)
        yield number
        before = number


def _rectangles(boxes: Sequence[Box]) -> Iterator[Mark]:
    """The boxes joined where they stand next to each other on one line."""
    whole: Box | None = None
    for box in boxes:
        if whole and _follows(whole, box):
            whole = whole[0], min(whole[1], box[1]), max(whole[2], box[2]), max(whole[3], box[3])
            continue
        if whole:
            yield _mark(whole)
        whole = box
    if whole:
        yield _mark(whole)


def _follows(one: Box, other: Box) -> bool:
    height = min(one[3] - one[1], other[3] - other[1])
    overlap = min(one[3], other[3]) - max(one[1], other[1])
    return overlap > height / 2 and -height < other[0] - one[2] < 5 * height


def _mark(box: Box) -> Mark:
    left, top = max(box[0] - _PADDING, 0), max(box[1] - _PADDING, 0)
    return Mark(left, top, box[2] + _PADDING - left, box[3] + _PADDING - top)
