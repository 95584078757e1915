"""Where the numbers of corpus.search.relevance come from: fitted on one half of a corpus' articles, tried on the other.

    python -m benchmarks.calibration CORPUS [--json result.json]

CORPUS as for benchmarks.quality, with distractors. Bases of several sizes are put together from articles (and
distractors) of one half; questions on articles inside should be kept, those on articles outside refused. A logistic
regression weighs the best score, mean and deviation of the cosines; the offset that grows with ln(size) is a quantile
regression through the logits of the questions to be refused, so that each size refuses the same share of them. MEANING
and LIFT of corpus.search.search are fitted to the largest cosine alone, beside these weights: as if no question had a
word in common with its passage.
"""

from __future__ import annotations

import math
import random
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.ground import database, options, progress, read, table, write
from benchmarks.in_process import Asked, Floats, InMemory, asked, coverage, in_memory, rescored

SIZES = {33: 40, 100: 24, 300: 14, 1000: 8}
"""Chunks in a base, and how many bases of that size are drawn from each half."""

PER_BASE = 120
"""Questions of each kind asked of a base, at most."""

ALONE, MEANINGS = 0.92, (1.0, 1.5, 2.0, 2.5, 3.0, 3.5, 4.0)
"""Share to refuse by the largest cosine alone, and what was tried for its weight."""

Sample = tuple[Floats, Floats, Floats]
"""Features (n, 4): score of the best passage, mean and deviation of the cosines, and the largest of them; ln of the
size (n,); whether it is evidence (n,)."""


def main() -> None:
    parser = options(__doc__)
    parser.add_argument("corpus", type=Path)
    parser.add_argument("--refuse", type=float, default=0.955, help="share to refuse; some margin over the goal")
    chosen = parser.parse_args()
    passages, questions = read(chosen.corpus, "passages"), read(chosen.corpus, "questions")
    more = read(chosen.corpus, "distractors")
    questions = [question for question in questions if question["answerable"]]
    with database(chosen.data):
        memory = in_memory([*passages, *more])
        vectors = asked([question["question"] for question in questions])
    halves = [samples(memory, passages, len(more), questions, vectors, half=half) for half in progress((0, 1), "bases")]
    every = [[*half.values()] for half in halves]
    fits = {f"fitted on half {half}": fit(every[half], chosen.refuse) for half in (0, 1)}
    fits = {name: [*own, *by_meaning(every[half], own)] for half, (name, own) in enumerate(fits.items())}
    rows = {
        f"{name}, tried on the other, base of {size}{', by cosine alone' * alone}": outcome(
            fits[name], halves[1 - half][size], alone=alone
        )
        for half, name in enumerate(fits)
        for alone in (False, True)
        for size in SIZES
    }
    print(table({name: dict(zip(NAMES, numbers, strict=True)) for name, numbers in fits.items()}, "weights"))
    print("\n" + table(rows, "unseen articles"))
    write({"weights": fits, "outcome": rows}, chosen.json)


NAMES = ("score", "mean", "spread", "ln size", "offset", "MEANING", "LIFT")


def halved(titles: Iterable[str], half: int) -> list[str]:
    """Every other title in alphabetical order: half 0 is what relevance was fitted on, half 1 what it is tried on."""
    return sorted(titles)[half::2]


def samples(
    memory: InMemory,
    passages: Sequence[dict[str, Any]],
    distractors: int,
    questions: Sequence[dict[str, Any]],
    vectors: Sequence[Asked],
    *,
    half: int,
) -> dict[int, Sample]:
    """For each size what the best passage of a base looks like to questions with and without evidence in it."""
    rng = random.Random(half)  # noqa: S311
    titles = halved({p["title"] for p in passages}, half)
    articles = {t: [n for n, p in enumerate(passages) if p["title"] == t] for t in titles}
    by_title = {t: [n for n, q in enumerate(questions) if q["title"] == t] for t in titles}
    filler = list(range(len(passages), len(passages) + distractors))[half::2]
    found: dict[int, Sample] = {}
    for size, bases in SIZES.items():
        features, evidence, sizes = [], [], []
        for _ in range(bases):
            rng.shuffle(titles)
            # Two thirds of a base are whole articles, as far as enough of them are left to ask about from outside.
            inside = titles[: max(1, min(len(titles) * 5 // 9, round(size / 50)))]
            base = [n for title in inside for n in articles[title]]
            base += rng.sample(filler, max(0, min(size - len(base), len(filler))))
            part = np.array(sorted(base))
            for chosen, known in ((inside, 1.0), (titles[len(inside) :], 0.0)):
                pool = [n for title in chosen for n in by_title[title]]
                for n in rng.sample(pool, min(PER_BASE, len(pool))):
                    features.append(best(memory, part, vectors[n]))
                    evidence.append(known)
                    sizes.append(math.log(max(len(part), 33)))
        found[size] = (np.array(features), np.array(sizes), np.array(evidence))
    return found


def best(memory: InMemory, part: Any, question: Asked) -> tuple[float, float, float, float]:
    """Score of the best passage in a part of the corpus; mean and deviation of the cosines there, and the largest."""
    from corpus.search.search import COVERAGE

    cosines, counts = memory.cosines(question, part), memory.counts(question)[:, part]
    scores = rescored(memory, part, question, counts, cosines + COVERAGE * coverage(counts))
    return float(scores.max()), float(cosines.mean()), float(cosines.std(ddof=1)), float(cosines.max())


def fit(sizes: Sequence[Sample], refuse: float) -> list[float]:
    """The weights by NAMES; every size counts alike, and in it questions with and without evidence."""
    features = np.concatenate([sample[0][:, :3] for sample in sizes])
    logs = np.concatenate([sample[1] for sample in sizes])
    evidence = np.concatenate([sample[2] for sample in sizes])
    share = np.concatenate([1 / np.where(s[2] == 1, s[2].sum(), (1 - s[2]).sum()) for s in sizes])
    weights = logistic(np.column_stack([features, logs, np.ones(len(logs))]), evidence, share)[:3]
    without = evidence == 0
    design = np.column_stack([logs[without], np.ones(int(without.sum()))])
    line = quantile(design, features[without] @ weights, share[without], refuse)
    return [round(float(x), 2) for x in (*weights, -line[0], -line[1])]


def by_meaning(sizes: Sequence[Sample], weights: Sequence[float]) -> list[float]:
    """MEANING and LIFT: the weight of the largest cosine in the score, with which each size refuses most nearly the
    same share, and what is added to it, all else as it is."""
    found = []
    for meaning in MEANINGS:
        lacking = [-decision(weights, one, meaning * one[0][:, 3])[one[2] == 0] / weights[0] for one in sizes]
        lift = float(np.mean([np.quantile(one, 1 - ALONE) for one in lacking]))
        shares = [float((one > lift).mean()) for one in lacking]
        found.append((max(shares) - min(shares), meaning, round(lift, 2)))
    return [*min(found)[1:]]


def decision(weights: Sequence[float], sample: Sample, scores: Floats) -> Floats:
    """The logits by the first five of NAMES: above 0 a question is kept."""
    features, logs, _ = sample
    found: Floats = np.column_stack([scores, features[:, 1:3], logs, np.ones(len(logs))]) @ np.array(weights[:5])
    return found


def logistic(design: Floats, evidence: Floats, share: Floats) -> Floats:
    """Weighted logistic regression by Newton's method."""
    weights: Any = np.zeros(design.shape[1])
    for _ in range(50):
        p = 1 / (1 + np.exp(-design @ weights))
        curvature = (design * (share * p * (1 - p))[:, None]).T @ design
        weights = weights - np.linalg.solve(
            curvature + 1e-9 * np.eye(len(weights)), design.T @ (share * (p - evidence))
        )
    fitted: Floats = weights
    return fitted


def quantile(design: Floats, values: Floats, share: Floats, tau: float) -> Floats:
    """Weighted quantile regression by reweighted least squares."""
    line: Any = np.linalg.lstsq(design, values, rcond=None)[0]
    for _ in range(300):
        residual = values - design @ line
        weight = share * np.where(residual >= 0, tau, 1 - tau) / np.maximum(np.abs(residual), 1e-4)
        line = np.linalg.solve((design * weight[:, None]).T @ design, (design * weight[:, None]).T @ values)
    fitted: Floats = line
    return fitted


def outcome(weights: Sequence[float], sample: Sample, *, alone: bool = False) -> dict[str, str]:
    features, _, evidence = sample
    kept = decision(weights, sample, weights[5] * features[:, 3] + weights[6] if alone else features[:, 0]) >= 0
    return {
        "answerable kept": f"{kept[evidence == 1].mean():.1%}",
        "without evidence refused": f"{1 - kept[evidence == 0].mean():.1%}",
        "questions": str(len(evidence)),
    }


if __name__ == "__main__":
    main()
