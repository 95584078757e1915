"""Full-text search in a ZIM file for a natural question.

libzim finds only texts that contain all words of a query, and a natural question has words that no text has. So the
question is asked again with fewer and fewer of its words, the rarest combinations first.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Iterator, Mapping, Sequence
from itertools import combinations

from references.offline.zim import ZimFile

_COMBINATIONS = 100
_RANKED = 10.0
"""How much it counts that a text stands high in the results of many combinations."""


def word_weights(file: ZimFile, words: Collection[str]) -> dict[str, float]:
    """Return the idf of each word that any text of the file contains, as BM25 has it."""
    frequencies = {word: file.search(word, 0)[0] for word in dict.fromkeys(words)}
    total = max(file.articles, *frequencies.values(), 1)
    return {
        word: math.log(1 + (total - frequency + 0.5) / (frequency + 0.5))
        for word, frequency in frequencies.items()
        if frequency
    }


def search_full_text(file: ZimFile, weights: Mapping[str, float], count: int) -> list[str]:
    """Return the paths of the `count` articles that contain the most of these words by weight, best first.

    What an article contains is known from the queries that found it: no text is read.
    """
    contained: dict[str, set[str]] = {}
    ranks: dict[str, float] = {}
    for query, paths in _queries(file, weights):
        if len(contained) >= 2 * count and len(query) == 1:
            break
        for rank, path in enumerate(paths):
            contained.setdefault(path, set()).update(query)
            ranks[path] = ranks.get(path, 0.0) + 1 / (rank + 10)

    def key(path: str) -> tuple[float, str]:
        return -math.fsum(weights[word] for word in contained[path]) - _RANKED * ranks[path], path

    return sorted(contained, key=key)[:count]


def _queries(file: ZimFile, weights: Mapping[str, float]) -> Iterator[tuple[Sequence[str], list[str]]]:
    """Combinations of the words that any text contains, those of the largest weight first, with what they find.

    A long question has more combinations than are asked. The pairs are always asked.
    """
    rarest = sorted(weights, key=lambda word: (-weights[word], word))[:8]
    every = [words for size in range(len(rarest), 0, -1) for words in combinations(rarest, size)]
    every.sort(key=lambda words: -math.fsum(weights[word] for word in words))
    every = every[:_COMBINATIONS] + [words for words in every[_COMBINATIONS:] if len(words) <= 2]
    nowhere: list[set[str]] = []
    for words in every:
        if any(missing <= set(words) for missing in nowhere):
            continue
        matches, paths = file.search(" ".join(words), 40)
        if matches:
            yield words, paths
        else:
            nowhere.append(set(words))
