"""Whether one word may be a misspelling of another."""

from __future__ import annotations

LONG = 7
"""Letters from which two slips are allowed; shorter words are allowed one."""


def is_slip(word: str, other: str) -> bool:
    """Whether a few slips turn one word into the other: a letter too many, too few or wrong, or two swapped."""
    most = 2 if min(len(word), len(other)) >= LONG else 1
    return abs(len(word) - len(other)) <= most and edit_distance(word, other) <= most


def edit_distance(first: str, second: str) -> int:
    """The number of letters to insert, delete, replace or swap with their neighbour (optimal string alignment)."""
    before: list[int] = []
    last = list(range(len(second) + 1))
    for row, letter in enumerate(first, 1):
        current = [row]
        for column, other in enumerate(second, 1):
            cost = min(last[column] + 1, current[-1] + 1, last[column - 1] + (letter != other))
            if row > 1 and column > 1 and letter == second[column - 2] and first[row - 2] == other:
                cost = min(cost, before[column - 2] + 1)
            current.append(cost)
        before, last = last, current
    return last[-1]
