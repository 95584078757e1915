"""Certainty: how surely a passage answers a question, from reading and search together. Pure."""

from __future__ import annotations

import math
from enum import StrEnum
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:  # the settings import this module, and must not load numpy
    from engines.reader.reading import Reading

ANSWERED, SEARCH, BEHIND, OFFSET = 0.37, 0.74, -0.44, -0.65
"""Weights of the reader's logit, of the logit of the search's relevance, and of how far that is behind the best one."""

MIN_CERTAINTY = 0.28
"""From this certainty on a passage may answer. Below it a question is refused; it is THRESHOLD of
`convert_to_relevance`."""

THRESHOLD = 0.5
"""The relevance from which on a passage may be used: the setting LECTERN_RELEVANCE_THRESHOLD."""

SURE, DOUBTED = 0.7, 0.69
"""From SURE on a passage is said to answer. DOUBTED is the most that search gives one by itself, where reading rather
says that no words in it answer a question which a few words in a row settle. Of questions about SQuAD that were asked
without their paragraph, 26 instead of 48 % are then said to be answered among 33 passages, and 18 instead of 16 % among
1,000; of those with it 82 instead of 92 and 76 instead of 74 %."""

OPEN = 0.4
"""Below this certainty no passage surely answers a question whose answer is more than a few words in a row: reading
finds those seldom, so SURE would be too much to ask."""

SPREAD = 2.5
"""Divisor of the logit, which spreads the values of good passages, as in `corpus.search.relevance`."""


class Level(StrEnum):
    """What people are told of a passage."""

    ANSWERS = "answers"
    MAY_ANSWER = "may answer"
    SAME_SUBJECT = "about the same subject"


def certainty(reading: Reading, *, relevance: float, best: float) -> float:
    """Return the probability that a passage answers the question, in [0, 1].

    `relevance` is that of the search, `best` the largest one among the passages that were found.

    Fitted by `python -m benchmarks.reader.calibrate` on 500 questions about 18 articles of SQuAD 2.0 that the packaged
    reader was not trained on, in collections of 33 to 5,871 paragraphs, so a value means the same in small and in large
    ones: of those with a value around 0.3, 0.5 and 0.8 their collection answers 32, 70 and 89 %.
    """
    search = _logit(relevance)
    behind = _logit(best) - search
    return _share(ANSWERED * reading.answered + SEARCH * search + BEHIND * behind + OFFSET)


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
