"""From the score of a passage to the number people are shown. Pure."""

from __future__ import annotations

import math
from dataclasses import dataclass


@dataclass(frozen=True)
class ScopeStatistics:
    """What was searched, as one question sees it: chunks, and mean and deviation of their (trusted) cosines."""

    size: int
    mean: float
    spread: float


TYPICAL_SCOPE = (33, 0.06, 0.1)
"""Below so many chunks the best ones make mean and deviation themselves, so usual values take their part."""


def relevance(score: float, scope: ScopeStatistics) -> float:
    """How surely a passage of this score is evidence: a number in [0, 1] with its threshold at 0.5.

    A logistic regression of "is the question about anything in the scope" on the best score, and mean and deviation of
    the question's cosines over the scope; the offset grows with the logarithm of the scope's size, as the best score of
    an unrelated question does, so that every size refuses the same share. `python -m benchmarks.calibration` fits it:
    on 18 articles of SQuAD 2.0, in bases of 33 to 1,000 chunks. On 18 others it keeps 99.1 / 98.0 / 95.9 / 90.6 % of
    answerable questions in bases of 33 / 100 / 300 / 1,000 chunks and refuses 97.8 / 97.2 / 97.6 / 94.7 % of those
    without evidence. The logit is divided so that the numbers spread out between good and very good passages.
    """
    size, mean, spread = TYPICAL_SCOPE
    share = min(scope.size / size, 1)
    mean, spread = share * scope.mean + (1 - share) * mean, share * scope.spread + (1 - share) * spread
    logit = 13.9 * score + 12.4 * mean + 18.2 * spread - 1.24 * math.log(max(scope.size, size)) - 5.45
    return 1 / (1 + math.exp(-logit / 2.5))
