"""Full-text search in a ZIM file for a natural question.

libzim finds only texts that contain all words of a query, and a natural question has words that no text has. So the
question is asked again with fewer of its words: without the least rare ones, and as pairs of the rarest.
"""

from __future__ import annotations

import math
from collections.abc import Collection
from dataclasses import dataclass
from itertools import combinations

from references.offline.zim import ZimFile

_PAIRED = 6
"""So many of the rarest words are searched for in pairs."""


@dataclass(frozen=True)
class FullTextResults:
    """Paths of articles, best first, and the weight (idf) of each word that any article has."""

    paths: tuple[str, ...]
    weights: dict[str, float]


def search_full_text(file: ZimFile, words: Collection[str], count: int) -> FullTextResults:
    """Find the `count` articles that contain the most of these words, weighted by how rare they are.

    What an article contains is known from the queries that found it: no text is read.
    """
    frequencies = {word: file.search(word, 0)[0] for word in dict.fromkeys(words)}
    known = sorted((word for word, frequency in frequencies.items() if frequency), key=lambda word: frequencies[word])
    total = max(file.articles, max(frequencies.values(), default=0))
    weights = {word: math.log(1 + (total - frequencies[word] + 0.5) / (frequencies[word] + 0.5)) for word in known}
    contained: dict[str, set[str]] = {}
    ranks: dict[str, float] = {}
    for query in _relaxed(known):
        for rank, path in enumerate(file.search(" ".join(query), count)[1]):
            contained.setdefault(path, set()).update(query)
            ranks[path] = ranks.get(path, 0.0) + 1 / (rank + 10)

    def key(path: str) -> tuple[float, float, str]:
        return -math.fsum(weights[word] for word in contained[path]), -ranks[path], path

    return FullTextResults(tuple(sorted(contained, key=key)[:count]), weights)


def _relaxed(rarest: list[str]) -> list[tuple[str, ...]]:
    """Queries with fewer and fewer of the words, rarest first, and pairs of the rarest."""
    shorter = [tuple(rarest[:size]) for size in range(len(rarest), 0, -1)]
    return list(dict.fromkeys([*shorter, *combinations(rarest[:_PAIRED], 2)]))
