"""Words that English shares with German, French and Spanish but for their ending."""

from __future__ import annotations

import re
from functools import cache

from text.words import read_words

_MIN_STEM_LENGTH = 3
"""Letters before the ending."""


def cognate(word: str, source: str, target: str) -> str:
    """The English form of a word in lower case by its ending, "" if it has none of these endings or is English."""
    if target != "en":
        return ""
    for ending, english in _endings(source):
        if word.endswith(ending) and len(word) - len(ending) >= _MIN_STEM_LENGTH:
            beginning = word.removesuffix(ending)
            for pattern, letters in read_words(source)["cognates"]["spellings"]:
                beginning = re.sub(pattern, letters, beginning)
            return beginning + english
    return ""


@cache
def _endings(language: str) -> tuple[tuple[str, str], ...]:
    pairs = [pair.split("=") for pair in read_words(language)["cognates"]["endings"]]
    return tuple(sorted(((ending, english) for ending, english in pairs), key=lambda p: -len(p[0])))
