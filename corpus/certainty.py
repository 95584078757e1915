"""Certainty: how surely a passage answers a question, from reading and search together. Pure."""

from __future__ import annotations

import math
from collections.abc import Sequence
from enum import StrEnum
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:  # the settings import this module, and must not load numpy
    from engines.reader.reading import Reading

ANSWERED, SCORE, LEAD, OFFSET = 0.55, 2.29, 4.64, -3.15
"""Weights of the reader's logit, of the search's score, and of how far that is ahead of every other passage's."""

UNREAD_SCORE, UNREAD_LEAD, UNREAD_OFFSET = 4.3, 4.97, -5.15
"""The same for passages in languages that the reader does not know, fitted on the same questions without reading."""

MIN_NEXT, TYPICAL_NEXT = 0.6, 0.8
"""The next score at least, since of a few chunks on many subjects each stands out, and that of a passage alone."""

MIN_CERTAINTY, OPEN, SURE = 0.17, 0.2, 0.76
"""From MIN_CERTAINTY on a passage may answer. Below it a question is refused; it is THRESHOLD of
`convert_to_relevance`. From SURE on a passage is said to answer. Where an answer is more than a few words in a row OPEN
is enough for that: reading finds those seldom."""

THRESHOLD = 0.5
"""The relevance from which on a passage may be used: the setting LECTERN_RELEVANCE_THRESHOLD."""

SPREAD = 2.5
"""Divisor of the logit, which spreads the values of good passages, as in `corpus.search.relevance`."""


class Level(StrEnum):
    """What people are told of a passage."""

    ANSWERS = "answers"
    MAY_ANSWER = "may answer"
    SAME_SUBJECT = "about the same subject"


def certainty(reading: Reading | None, *, score: float, lead: float) -> float:
    """Return the probability that a passage answers the question, in [0, 1]. `reading` is None if it was not read.

    `score` is that of the search, `lead` how far it is above those of all other passages, 0 for all but the first.

    Fitted by `python -m benchmarks.reader.calibrate` on questions about 18 articles of SQuAD 2.0 that the packaged
    reader was not trained on. A value means the same in 33 and in 1,000 paragraphs: what answers stands out in both.
    """
    if reading is None:
        return _share(UNREAD_SCORE * score + UNREAD_LEAD * lead + UNREAD_OFFSET)
    return _share(ANSWERED * reading.answered + SCORE * score + LEAD * lead + OFFSET)


def compute_lead(score: float, scores: Sequence[float]) -> float:
    """Return how far a score is ahead of the next of all scores, the best first; 0 unless it is the best."""
    return max(score - (max(scores[1], MIN_NEXT) if len(scores) > 1 else TYPICAL_NEXT), 0.0)


def convert_to_relevance(probability: float) -> float:
    """Return the relevance of a passage with this certainty, on the scale of the search: 0.5 is the threshold."""
    return _share((_logit(probability) - _logit(MIN_CERTAINTY)) / SPREAD)


def get_level(probability: float) -> Level:
    """Return what people are told of a passage with this certainty."""
    if probability >= SURE:
        return Level.ANSWERS
    return Level.MAY_ANSWER if probability >= MIN_CERTAINTY else Level.SAME_SUBJECT


class _Passage(Protocol):
    @property
    def relevance(self) -> float: ...
    @property
    def certainty(self) -> float | None: ...


def get_passage_level(passage: _Passage) -> Level:
    """Return what people are told of a passage. One that was not read answers at most perhaps."""
    if passage.certainty is not None:
        return get_level(passage.certainty)
    return Level.MAY_ANSWER if passage.relevance >= THRESHOLD else Level.SAME_SUBJECT


def _logit(share: float) -> float:
    inside = min(max(share, 1e-4), 1 - 1e-4)
    return math.log(inside / (1 - inside))


def _share(logit: float) -> float:
    return 1 / (1 + math.exp(-logit))
