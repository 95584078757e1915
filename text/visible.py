"""What of a text can be seen: characters without width, such as U+200B, make it longer and say nothing."""

from __future__ import annotations

from unicodedata import category

_FILLERS = "\u115f\u1160\u2800\u3164\uffa0"
"""Letters and a symbol that are drawn as nothing."""


def is_visible(text: str) -> bool:
    """Whether a text has a letter, a digit or a sign."""
    return any(category(sign)[0] in "LNPS" and sign not in _FILLERS for sign in text)


def has_words(text: str) -> bool:
    """Whether a text has a letter or a digit."""
    return any(category(sign)[0] in "LN" and sign not in _FILLERS for sign in text)
