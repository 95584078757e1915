"""Duplicate passages: the same words in two places. Pure."""

from __future__ import annotations

from text.lexemes import full_text_input
from text.memo import Memo

_AROUND = "*_#`|.,;:!?\"'“”„«»‘’…()[]{}。，、；：！？（）「」『』"


def wording(text: str) -> tuple[str, ...]:
    """The words of a text. Two texts with equal words are duplicates.

    Case, markup, line breaks and punctuation around words are ignored. Signs and numbers count: a text that differs in
    one word may correct the other, and hiding a contradiction is worse than showing a passage twice.
    """
    words = map(_stripped.__getitem__, full_text_input(text).casefold().split())
    return tuple(filter(None, words)) or (text.strip(),)


_stripped = Memo(lambda word: word.strip(_AROUND))
