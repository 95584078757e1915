"""A function of a word, whose results are kept: a text is looked up word by word, at the speed of a dictionary."""

from __future__ import annotations

from collections.abc import Callable

MAX_WORDS = 50_000
"""How many words are kept, some 8 MB; then all are forgotten."""


class Memo(dict[str, str]):
    """Maps words to what `compute` returns for them. `memo.__getitem__` is what to map a text's words with."""

    def __init__(self, compute: Callable[[str], str]) -> None:
        super().__init__()
        self._compute = compute

    def __missing__(self, word: str) -> str:
        if len(self) >= MAX_WORDS:
            self.clear()
        found = self[word] = self._compute(word)
        return found
