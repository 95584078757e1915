"""Fit a prompt into the context window of a model. Pure."""

from __future__ import annotations

from collections.abc import Sequence

from text.sentences import split_sentences
from text.tokens import estimate_tokens


def fit_to_window(room: int, *, exchanges: Sequence[int], passages: Sequence[int]) -> tuple[int, int]:
    """How many of the last exchanges and of the first passages fit into `room` tokens, given the tokens of each.

    The answer depends on the passages, and mostly only the last exchange is needed to understand the question. So the
    older exchanges are dropped first, oldest first; then the least relevant passages but one; then the last exchange.
    The first passage always stays.
    """
    last, first = len(exchanges), len(passages)

    def is_too_long() -> bool:
        return sum(exchanges[len(exchanges) - last :]) + sum(passages[:first]) > room

    while last > 1 and is_too_long():
        last -= 1
    while first > 1 and is_too_long():
        first -= 1
    if last and is_too_long():
        last -= 1
    return last, first


def truncate_text(text: str, room: int, *, around: str, language: str) -> str:
    """Cut a text to `room` tokens at the end of a sentence, keeping the words `around`.

    The result begins with these words, unless they fit together with all the text before them. A single sentence that
    is too long is cut anywhere.
    """
    if estimate_tokens(text) <= room:
        return text
    start = max(text.find(around), 0)
    if estimate_tokens(text[: start + len(around)]) <= room:
        start = 0
    text = text[start:]
    length = _length_within(text, room)
    ends = [sentence.end for sentence in split_sentences(text, language) if sentence.end <= length]
    return text[: ends[-1] if ends else length]


def _length_within(text: str, room: int) -> int:
    """How many characters of a text fit into `room` tokens; a binary search."""
    low, high = 0, len(text)
    while low < high:
        middle = (low + high + 1) // 2
        if estimate_tokens(text[:middle]) <= room:
            low = middle
        else:
            high = middle - 1
    return low
