"""How well a text matches the words of a question: coverage, and closeness of the words to each other."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from math import fsum, log

WINDOW = 12
"""Words that count as close together. Results are flat between 8 and 25."""


def inverse_frequencies(stems: Collection[str], texts: Sequence[Collection[str]]) -> dict[str, float]:
    """Return the weight of each stem as BM25 has it, over texts given as sets of stems."""
    counts = Counter(stem for text in texts for stem in text)
    return {stem: log(1 + (len(texts) - counts[stem] + 0.5) / (counts[stem] + 0.5)) for stem in stems}


def coverage(found: Collection[str], weights: Mapping[str, float]) -> float:
    """Return the share of a question's weighted stems that are in `found`: from 0 to 1."""
    # fsum is exact: the order of stems must not break a tie.
    own = set(found) if isinstance(found, list | tuple) else found
    return fsum(weight for stem, weight in weights.items() if stem in own) / (fsum(weights.values()) or 1.0)


def closeness(stems: Sequence[str], weights: Mapping[str, float]) -> float:
    """Return the largest coverage by WINDOW neighbouring stems of a text: from 0 to 1."""
    hits = [(place, stem) for place, stem in enumerate(stems) if stem in weights]
    best, most = 0.0, coverage({stem for _, stem in hits}, weights)
    for first, (start, _) in enumerate(hits):
        near = {stem for place, stem in hits[first : first + WINDOW] if place - start < WINDOW}
        best = max(best, coverage(near, weights))
        if best == most:
            break
    return best
