"""How close together a passage says what was asked. Pure."""

from __future__ import annotations

import string
import threading
from collections.abc import Collection, Mapping
from functools import cache, lru_cache
from math import fsum
from typing import Any

import snowballstemmer

from corpus.search.language import spaced

WINDOW = 12
"""Words that count as close together. Flat between 8 and 25."""

_BETWEEN = str.maketrans(dict.fromkeys("-/'’", " "))
_AROUND = string.punctuation + "“”„«»‘…–—·•¿¡。，、；：！？（）「」『』"
_NAMES = {"dutch": "dutch_porter"}  # what snowballstemmer calls the algorithm of PostgreSQL's configuration
_ENGLISH_IN = {"hindi", "russian"}  # where PostgreSQL stems words in Latin letters as English ones
_stemming = threading.Lock()  # snowballstemmer's stemmers keep the word they work on


def within_reach(question: str, weights: Mapping[str, float], configuration: str) -> dict[str, float]:
    """Those of the question's stems that can be told in a text as PostgreSQL tells them, with their weights (idf).

    The algorithms are the same, in versions that differ over some words, such as universities, and PostgreSQL takes
    codes and elisions apart in ways of its own: what cannot be found must not be missed either.
    """
    stems = {stem(configuration, word) for word in _words(question)}
    return {found: weight for found, weight in weights.items() if found in stems}


def spelled(question: str, stems: Collection[str], configuration: str) -> dict[str, str]:
    """For each of the question's stems the word as it was asked, in its order; a stem stands for itself where
    PostgreSQL found it in another way."""
    words = {stem(configuration, word): word.strip(_AROUND) for word in reversed(_words(question))}
    asked = {found: word for found, word in reversed(words.items()) if found in stems}
    return asked | {found: found for found in stems if found not in asked}


def closeness(text: str, weights: Mapping[str, float], configuration: str) -> float:
    """The largest share, by weight, of the stems that stand within WINDOW words of the text: from 0 to 1.

    `weights` is what `within_reach` returns for the question. Sums are exact, so that their order, which is that of a
    set, breaks no tie.
    """
    words = _words(text)
    asked = {word: found for word in set(words) if (found := stem(configuration, word)) in weights}
    hits = [(place, asked[word]) for place, word in enumerate(words) if word in asked]
    best, most = 0.0, fsum(weights[found] for found in set(asked.values()))
    for first, (start, _) in enumerate(hits):
        near: set[str] = set()
        for place, found in hits[first : first + WINDOW]:
            if place - start >= WINDOW:
                break
            near.add(found)
        best = max(best, fsum(weights[found] for found in near))
        if best == most:
            break
    return best / fsum(weights.values()) if best else 0.0


@lru_cache(maxsize=100_000)
def stem(configuration: str, word: str) -> str:
    """The stem of a word in lower case, without the punctuation around it, in a text search configuration."""
    bare = word.strip(_AROUND)
    if configuration == "simple":
        return bare
    name = "english" if configuration in _ENGLISH_IN and bare.isascii() else configuration
    with _stemming:
        stemmed: str = _stemmer(_NAMES.get(name, name)).stemWord(bare)
    return stemmed


def _words(text: str) -> list[str]:
    return spaced(text).lower().translate(_BETWEEN).split()


@cache
def _stemmer(name: str) -> Any:
    return snowballstemmer.stemmer(name)
