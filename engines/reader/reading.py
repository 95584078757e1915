"""What a reader makes of a text."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

MAX_ANSWER_TOKENS = 30
"""Tokens of an answer, as in training."""

NOTHING = -20.0
"""The logit of an answer in a text without a token."""


class ReaderUnavailable(Exception):
    """A reader is not there or cannot be used; ``str(error)`` says why and what to do."""


@dataclass(frozen=True)
class Reading:
    """A text that was read for one question. Places are characters of the text.

    `answered` is the logit of whether the text answers the question at all, `span` the logit of the likeliest answer
    against "no answer". `offsets` has the characters of each token, shape (tokens, 2); `begins` and `ends` have the
    share of each token in being the first and the last one of the answer, shape (tokens,) each, both with the sum 1.
    A reader that marks no answers leaves these three empty. One with a single logit gives it as both.
    """

    answered: float
    span: float
    offsets: NDArray[np.int64]
    begins: NDArray[np.float32]
    ends: NDArray[np.float32]

    @property
    def marks(self) -> bool:
        """Whether the reader marked an answer."""
        return len(self.offsets) > 0

    @property
    def answer(self) -> tuple[int, int]:
        """Return the likeliest answer, (0, 0) if the reader marks none."""
        return self.best_within(0, int(self.offsets[-1, 1])) if self.marks else (0, 0)

    def measure_share(self, start: int, end: int) -> float:
        """Return how likely the answer, if there is one, stands between two places, from 0 to 1."""
        first, last = self._tokens(start, end)
        return float(np.sqrt(self.begins[first:last].sum() * self.ends[first:last].sum()))

    def best_within(self, start: int, end: int) -> tuple[int, int]:
        """Return the likeliest answer between two places, (0, 0) if no token stands there."""
        first, last = self._tokens(start, end)
        if first == last:
            return (0, 0)
        both = np.log(self.begins[first:last, None] + 1e-9) + np.log(self.ends[None, first:last] + 1e-9)
        possible = np.tril(np.triu(np.ones_like(both)), MAX_ANSWER_TOKENS - 1)
        begin, end = divmod(int(np.where(possible, both, -np.inf).argmax()), both.shape[1])
        return (int(self.offsets[first + begin, 0]), int(self.offsets[first + end, 1]))

    def after(self, start: int) -> Reading:
        """Return the same reading of the text from `start` on, before which no answer can stand."""
        first = int(np.searchsorted(self.offsets[:, 0], start)) if self.marks else 0
        begins, ends = _normalise(self.begins[first:]), _normalise(self.ends[first:])
        return Reading(self.answered, self.span, self.offsets[first:] - start, begins, ends)

    def moved(self, by: int) -> Reading:
        """Return the same reading of a text in which this one begins at the place `by`."""
        return Reading(self.answered, self.span, self.offsets + by, self.begins, self.ends)

    def _tokens(self, start: int, end: int) -> tuple[int, int]:
        if not self.marks:
            return (0, 0)
        first = int(np.searchsorted(self.offsets[:, 0], start))
        last = int(np.searchsorted(self.offsets[:, 1], end, side="right"))
        return (first, max(first, last))


class Reader(Protocol):
    """A model that reads. Thread-safe."""

    name: str
    languages: frozenset[str]  # language codes; {"*"} for many
    max_tokens: int  # of question and text together; more of the text is cut off

    def read(self, question: str, texts: Sequence[str]) -> list[Reading]:
        """Return what each text says to the question, in the order of `texts`."""

    def count_tokens(self, text: str) -> int:
        """Return the length of `text` in the model's tokens."""


def best_span(begins: NDArray[np.float32], ends: NDArray[np.float32]) -> float:
    """Return the largest sum of a beginning and an end that comes at most MAX_ANSWER_TOKENS tokens later.

    Both are logits of shape (tokens,), with one token at least.
    """
    best = -np.inf
    for distance in range(min(MAX_ANSWER_TOKENS, len(begins))):
        best = max(best, float((begins[: len(begins) - distance] + ends[distance:]).max()))
    return best


def _normalise(shares: NDArray[np.float32]) -> NDArray[np.float32]:
    """Return shares with the sum 1, unless all are 0."""
    total = shares.sum()
    whole: NDArray[np.float32] = shares / total if total > 0 else shares
    return whole


def softmax(logits: NDArray[np.float32]) -> NDArray[np.float32]:
    """Return the shares of logits of shape (tokens,), with the sum 1; no shares of no logits."""
    if not len(logits):
        return logits
    powers = np.exp(logits - logits.max())
    shares: NDArray[np.float32] = powers / powers.sum()
    return shares
