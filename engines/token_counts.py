"""Counting tokens word by word: a text's words recur, and BERT's tokenizers take each of them for itself."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

KEPT = 100_000
"""Words remembered, in some 10 MB."""

_LONGEST = 40  # characters of a word that is kept


def token_counter(tokenizer: Any) -> Callable[[str], int]:
    """A function from a text to the number of its tokens, special tokens not counted. Safe for several threads.

    `tokenizer` is one of the library tokenizers. Of BERT's, which never make a token across white space, each word is
    counted once and remembered: a twentieth of the time. Of all others the text is counted as a whole.
    """

    def count(text: str) -> int:
        return len(tokenizer.encode(text, add_special_tokens=False).ids)

    if not _takes_words_for_themselves(tokenizer):
        return count
    words = Counted(count)

    def count_by_words(text: str) -> int:
        # Other white space stays inside a "word": Python's and the tokenizer's ideas of it differ.
        return sum(map(words.__getitem__, text.replace("\n", " ").replace("\t", " ").split(" ")))

    return count_by_words


class Counted(dict[str, int]):
    """The tokens of a word, found out when it is first asked for."""

    def __init__(self, count: Callable[[str], int]) -> None:
        super().__init__()
        self._count = count

    def __missing__(self, word: str) -> int:
        tokens = self._count(word)
        if len(word) <= _LONGEST:
            if len(self) >= KEPT:
                self.clear()
            self[word] = tokens
        return tokens


def _takes_words_for_themselves(tokenizer: Any) -> bool:
    parts = (tokenizer.normalizer, tokenizer.pre_tokenizer, tokenizer.model)
    names = ["BertNormalizer", "BertPreTokenizer", "WordPiece"]
    marks = (mark.content for mark in tokenizer.get_added_tokens_decoder().values())
    return [type(part).__name__ for part in parts] == names and not any(" " in mark for mark in marks)
