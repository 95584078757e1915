"""Calibrated relevance: from the score of a passage to a number between 0 and 1. Pure."""

from __future__ import annotations

import math

TYPICAL_SCOPE = (33, 0.06, 0.1)
"""Size, mean and deviation. In a smaller scope the best chunks dominate the statistics, so these are mixed in."""


def relevance(score: float, *, size: int, mean: float, spread: float) -> float:
    """The relevance of a passage with this score, in [0, 1]; the threshold is 0.5.

    The scope of the search has `size` chunks; `mean` and `spread` are mean and standard deviation of their cosines.

    A logistic regression of "is the question about anything in the scope" on the best score and on mean and deviation
    of the question's cosines. The offset grows with the logarithm of the scope's size, as the best score of unrelated
    questions does. Fitted by `python -m benchmarks.calibration` on 18 articles of SQuAD 2.0 with 33 to 1,000 chunks. On
    18 other articles it keeps 99.6 / 99.4 / 98.1 / 93.3 % of the answerable questions with 33 / 100 / 300 / 1,000
    chunks and refuses 97.2 / 97.6 / 98.5 / 94.3 % of the others. The divisor 2.5 spreads the values of good passages.
    """
    typical_size, typical_mean, typical_spread = TYPICAL_SCOPE
    share = min(size / typical_size, 1)
    mean, spread = share * mean + (1 - share) * typical_mean, share * spread + (1 - share) * typical_spread
    logit = 13.25 * score + 7.04 * mean + 23.86 * spread - 1.51 * math.log(max(size, typical_size)) - 5.2
    return 1 / (1 + math.exp(-logit / 2.5))


def estimate_score(relevance: float) -> float:
    """Return the score that has this relevance in TYPICAL_SCOPE."""
    size, mean, spread = TYPICAL_SCOPE
    inside = min(max(relevance, 1e-4), 1 - 1e-4)
    return (2.5 * math.log(inside / (1 - inside)) - 7.04 * mean - 23.86 * spread + 1.51 * math.log(size) + 5.2) / 13.25
