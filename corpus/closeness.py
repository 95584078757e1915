"""How close together a passage says what was asked. Pure."""

from __future__ import annotations

import re
import threading
from collections.abc import Mapping
from functools import cache, lru_cache
from math import fsum
from typing import Any

import snowballstemmer

from corpus.language import spaced

WINDOW = 12
"""Words that count as close together. Flat between 8 and 25."""

_WORD = re.compile(r"\w+(?:[.,]\d+)*")
_stemming = threading.Lock()  # snowballstemmer's stemmers keep the word they work on


def closeness(text: str, weights: Mapping[str, float], configuration: str) -> float:
    """The largest sum of the weights of different stems within WINDOW words of the text.

    `weights` maps the question's stems, as the text search configuration makes them, to their idf. Sums are exact, so
    that their order, which is that of a set, breaks no tie.
    """
    words = spaced(text).lower().replace("-", " ").replace("/", " ").split()
    asked = {word: found for word in set(words) if (found := stem(configuration, word)) in weights}
    hits = [(place, asked[word]) for place, word in enumerate(words) if word in asked]
    best, all_of_them = 0.0, fsum(weights[found] for found in set(asked.values()))
    for first, (start, _) in enumerate(hits):
        near: set[str] = set()
        for place, found in hits[first : first + WINDOW]:
            if place - start >= WINDOW:
                break
            near.add(found)
        best = max(best, fsum(weights[found] for found in near))
        if best == all_of_them:
            break
    return best


@lru_cache(maxsize=100_000)
def stem(configuration: str, word: str) -> str:
    """The stem of a word in lower case, without punctuation, as PostgreSQL's configuration of that name has it.

    The algorithms are the same, in versions that differ over a few words, such as universities: those count as far.
    """
    found = _WORD.search(word)
    bare = found[0] if found else word
    if configuration == "simple":
        return bare
    with _stemming:
        stemmed: str = _stemmer(configuration).stemWord(bare)
    return stemmed


@cache
def _stemmer(configuration: str) -> Any:
    return snowballstemmer.stemmer(configuration)
