"""Windows of a text: pieces of so many tokens that overlap a little."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

TOKENS, OVERLAP = 160, 20
_WORD = re.compile(r"\S+")


def windows(
    text: str, count_tokens: Callable[[str], int], *, tokens: int = TOKENS, overlap: int = OVERLAP
) -> Iterator[tuple[int, int]]:
    """Yield the pieces of a text as (start, end) in characters: at most `tokens` tokens each, cut between words.

    Neighbours share at least the words of `overlap` tokens. A text that is short enough is one piece. A single word
    that is too long is a piece of its own.
    """
    words = [(match.start(), match.end(), count_tokens(match[0])) for match in _WORD.finditer(text)]
    first = 0
    while first < len(words):
        last, size = first, words[first][2]
        while last + 1 < len(words) and size + words[last + 1][2] <= tokens:
            last += 1
            size += words[last][2]
        yield words[first][0], words[last][1]
        if last + 1 == len(words):
            return
        following, shared = last + 1, 0
        while following > first + 1 and shared < overlap:
            following -= 1
            shared += words[following][2]
        first = following
