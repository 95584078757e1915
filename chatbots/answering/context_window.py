"""What of a prompt is left out so that it fits the model's window. Pure."""

from __future__ import annotations

from collections.abc import Sequence

from engines.sentences import split_sentences
from engines.token_counts import estimated_tokens


def fit_to_window(room: int, *, exchanges: Sequence[int], passages: Sequence[int]) -> tuple[int, int]:
    """How many of the last exchanges and of the first passages fit, given the tokens of each.

    The answer stands on the passages, while of the conversation mostly the last exchange is needed to understand the
    question: so the older exchanges go first, the oldest before the others, then the least relevant passages, down to
    one, then the last exchange. The first passage always stays.
    """
    said, given = len(exchanges), len(passages)

    def is_too_much() -> bool:
        return sum(exchanges[len(exchanges) - said :]) + sum(passages[:given]) > room

    while said > 1 and is_too_much():
        said -= 1
    while given > 1 and is_too_much():
        given -= 1
    if said and is_too_much():
        said -= 1
    return said, given


def truncate_text(text: str, room: int, *, around: str, language: str) -> str:
    """As much of a text as fits, with the words `around`, which were found, and cut at the end of a sentence.

    It begins where these begin, unless they fit with all that stands before. One sentence that is too long is cut where
    it must be.
    """
    if estimated_tokens(text) <= room:
        return text
    start = max(text.find(around), 0)
    if estimated_tokens(text[: start + len(around)]) <= room:
        start = 0
    text = text[start:]
    most = _most(text, room)
    ends = [sentence.end for sentence in split_sentences(text, language) if sentence.end <= most]
    return text[: ends[-1] if ends else most]


def _most(text: str, room: int) -> int:
    """How many characters of a text are surely within so many tokens."""
    low, high = 0, len(text)
    while low < high:
        middle = (low + high + 1) // 2
        if estimated_tokens(text[:middle]) <= room:
            low = middle
        else:
            high = middle - 1
    return low
