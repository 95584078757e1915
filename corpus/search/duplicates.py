"""Duplicate passages: the same words in two places. Pure."""

from __future__ import annotations

from text.lexemes import full_text_input

_AROUND = "*_#`|.,;:!?\"'“”„«»‘’…()[]{}。，、；：！？（）「」『』"


def wording(text: str) -> tuple[str, ...]:
    """The words of a text. Two texts with equal words are duplicates.

    Case, markup, line breaks and punctuation around words are ignored. Signs and numbers count: a text that differs in
    one word may correct the other, and hiding a contradiction is worse than showing a passage twice.
    """
    words = (word.strip(_AROUND) for word in full_text_input(text).casefold().split())
    return tuple(word for word in words if word) or (text.strip(),)
