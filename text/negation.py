"""Which words of a text are negated, by the words around "not" and its like."""

from __future__ import annotations

import re
from functools import cache

from text.function_words import content_stems
from text.words import read_words

_BEFORE, _AFTER = 3, 4
"""Words around a negation, within its clause, that it may negate."""

_WORD = re.compile(r"[^\W_]+(?:['’][^\W_]+)*")
_CLAUSE = re.compile(r"[,;:.!?()\n]+(?!\d)")


def find_negated(text: str, language: str) -> list[set[str]]:
    """Return the stems of the words that each negation may negate."""
    pattern, found = compile_negation(language), list[set[str]]()
    for clause in _CLAUSE.split(text) if pattern.search(text) else ():
        words = _WORD.findall(clause)
        for place, word in enumerate(words):
            if pattern.search(word):
                around = words[max(0, place - _BEFORE) : place] + words[place + 1 : place + 1 + _AFTER]
                found.append(content_stems(" ".join(around), language))
    return found


@cache
def compile_negation(language: str) -> re.Pattern[str]:
    """Return a pattern for the words that negate in a language code."""
    words = "|".join(read_words(language)["negation"])
    return re.compile(rf"(?<![\w-])(?:{words})(?![\w-])|n['’]t(?!\w)", re.IGNORECASE)
