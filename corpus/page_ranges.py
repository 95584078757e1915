"""Page numbers in words."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import groupby


def format_ranges(numbers: Iterable[int]) -> str:
    """Numbers as sorted ranges: 3, 7–9."""
    runs = (list(run) for _, run in groupby(enumerate(sorted(numbers)), key=lambda item: item[1] - item[0]))
    return ", ".join(_range(run[0][1], run[-1][1]) for run in runs)


def format_pages(numbers: Iterable[int]) -> str:
    """Numbers as sorted ranges with a noun: Page 3, Pages 7–9."""
    counted = list(numbers)
    return f"Page{'s' if len(counted) > 1 else ''} {format_ranges(counted)}"


def _range(first: int, last: int) -> str:
    return str(first) if first == last else f"{first}, {last}" if last == first + 1 else f"{first}–{last}"
