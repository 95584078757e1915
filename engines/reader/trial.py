"""The trial of a reader: how well and how fast it reads the pairs of samples.toml."""

from __future__ import annotations

import statistics
import time
import tomllib
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from engines.reader.reading import Reader

MIN_AUC = 0.75
"""Below it reading spoils the order of the search more often than it mends it."""

MAX_MS = 100.0
"""Milliseconds a passage: up to ten are read before an answer begins."""

_FILE = Path(__file__).resolve().parent / "samples.toml"
_JOINED = 3  # passages that together have some 250 tokens, as a full chunk has


@dataclass(frozen=True)
class Sample:
    """A passage, a question that it answers, and one on the same subject that it does not answer."""

    passage: str
    answered: str
    unanswered: str


@dataclass(frozen=True)
class Trial:
    """The logits that a reader gave to the questions, in the order of the samples, and its time for a full passage."""

    answered: tuple[float, ...]
    unanswered: tuple[float, ...]
    milliseconds: float

    @property
    def auc(self) -> float:
        """Return the share of pairs of an answered and an unanswered question in which the answered one is higher."""
        above = np.subtract.outer(np.array(self.answered), np.array(self.unanswered))
        return float((above > 0).mean() + (above == 0).mean() / 2)

    @property
    def tells_apart(self) -> bool:
        """Whether the AUC is high enough."""
        return self.auc >= MIN_AUC

    @property
    def is_quick(self) -> bool:
        """Whether the time is short enough."""
        return self.milliseconds <= MAX_MS


def samples() -> list[Sample]:
    """Return the samples that come with Lectern."""
    with _FILE.open("rb") as file:
        return [Sample(**one) for one in tomllib.load(file)["sample"]]


def try_reader(reader: Reader, known: Sequence[Sample]) -> Trial:
    """Let `reader` read both questions of each sample, and time it on passages of some 250 tokens."""
    answered = [reader.read(one.answered, [one.passage])[0].answered for one in known]
    unanswered = [reader.read(one.unanswered, [one.passage])[0].answered for one in known]
    times = []
    for first in range(0, len(known), _JOINED):
        text = "\n".join(one.passage for one in known[first : first + _JOINED])
        began = time.perf_counter()
        reader.read(known[first].answered, [text])
        times.append(1000 * (time.perf_counter() - began))
    return Trial(tuple(answered), tuple(unanswered), statistics.median(times))
