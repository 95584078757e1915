"""Where the numbers of `corpus.certainty` come from, and how well questions are kept and refused by them.

    python -m benchmarks.reader.calibrate SQUAD [--reader FILE] [--questions 400] [--keep FILE.npz] [--json FILE]

SQUAD as for benchmarks.quality. Only the half of its articles that the packaged reader was not trained on is asked
about. Bases of several sizes are put together from these articles and distractors; each question is asked three times:
of a base with its paragraph, of the same without that paragraph ("on topic": the rest of its article stays), and of a
base without its article ("elsewhere"). The best passages by search are read below their titles, as in the product. A
logistic regression on the best passage makes the reader's logit, the search's score and how far it is ahead a
probability. The table is of articles that the weights in it were not fitted on: in turn of every third. With --keep
what was read is stored there, and taken from there the next time.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from benchmarks.calibration import halved, logistic
from benchmarks.ground import database, options, progress, read, table, write
from benchmarks.in_process import Asked, Floats, InMemory, asked, coverage, in_memory, rescored
from corpus.certainty import ANSWERED, LEAD, MIN_CERTAINTY, OFFSET, SCORE, SURE, compute_lead

if TYPE_CHECKING:
    from engines.reader.reading import Reader

SIZES = (33, 100, 300, 1000)
READ, FOLDS = 4, 3

BLOCK = 6
"""Paragraphs that are read together: in the product the next best passage is one of another block."""


@dataclass(frozen=True)
class Samples:
    """n times a question was asked: size, kind (0 answerable, 1 on topic, 2 elsewhere) and article (n,), and of its
    READ best passages the search's score, how far it is ahead, the reader's logit, and whether it is the question's
    paragraph, (n, READ)."""

    size: NDArray[np.int64]
    kind: NDArray[np.int64]
    article: NDArray[np.int64]
    score: Floats
    lead: Floats
    answered: Floats
    gold: NDArray[np.bool_]

    def features(self) -> Floats:
        """Return what `certainty` weighs, of shape (n, READ, 4)."""
        return np.stack([self.answered, self.score, self.lead, np.ones_like(self.score)], axis=-1)

    def only(self, which: NDArray[np.bool_]) -> Samples:
        """Return some of the questions."""
        return Samples(*(getattr(self, name)[which] for name in self.__dataclass_fields__))


class Logits(dict[int, float]):
    """The reader's logit of each text for one question, which reads what is asked for."""

    def __init__(self, reader: Reader, question: str, texts: Sequence[str]) -> None:
        self._reader, self._question, self._texts = reader, question, texts

    def __missing__(self, number: int) -> float:
        self[number] = self._reader.read(self._question, [self._texts[number]])[0].answered
        return self[number]


def main() -> None:
    parser = options(__doc__)
    parser.add_argument("squad", type=Path)
    parser.add_argument("--reader", type=Path, default=None)
    parser.add_argument("--questions", type=int, default=400, help="asked of bases of each size")
    parser.add_argument("--keep", type=Path, default=None)
    chosen = parser.parse_args()
    if chosen.keep and chosen.keep.exists():
        samples = Samples(**np.load(chosen.keep))
    else:
        samples = gathered(chosen)
        if chosen.keep:
            np.savez(chosen.keep, **vars(samples))
    used, found = [ANSWERED, SCORE, LEAD, OFFSET], fit(samples).round(2).tolist()
    names = ("answered", "score", "lead", "offset")
    weights = {way: dict(zip(names, values, strict=True)) for way, values in (("in use", used), ("fitted", found))}
    print(table(weights, "weights"))
    sums = np.zeros_like(samples.score)
    for fold in range(FOLDS):
        tried = samples.article % FOLDS == fold
        sums[tried] = samples.only(tried).features() @ fit(samples.only(~tried))
    rows = {
        f"{size} passages": outcome(samples.only(samples.size == size), sums[samples.size == size]) for size in SIZES
    }
    print("\n" + table({**rows, "all": outcome(samples, sums)}, "other articles"))
    write({"weights": weights, "outcome": rows}, chosen.json)


def gathered(chosen: Any) -> Samples:
    from engines.reader.loading import PACKAGED
    from engines.reader.onnx import OnnxReader

    passages, questions = read(chosen.squad, "passages"), read(chosen.squad, "questions")
    titles = halved({passage["title"] for passage in passages}, 1)
    passages = [one for one in passages if one["title"] in titles]
    every = [*passages, *read(chosen.squad, "distractors")[: SIZES[-1]]]
    questions = [one for one in questions if one["answerable"] and one["title"] in titles]
    rng = random.Random(1)  # noqa: S311
    questions = rng.sample(questions, min(len(questions), chosen.questions))
    with database(chosen.data):
        memory = in_memory(every)
        vectors = asked([question["question"] for question in questions])
        reader = OnnxReader(chosen.reader or PACKAGED, threads=1)
        rows = []
        for question, vector in progress([*zip(questions, vectors, strict=True)], "reading"):
            logits = Logits(reader, question["question"], [f"{one['title']}\n{one['text']}" for one in every])
            for size in SIZES:
                rows += _asked(memory, every, question, vector, titles, size, logits, rng)
    return Samples(*(np.array(column) for column in zip(*rows, strict=True)))


def _asked(
    memory: InMemory,
    passages: Sequence[dict[str, Any]],
    question: dict[str, Any],
    vector: Asked,
    titles: Sequence[str],
    size: int,
    logits: dict[int, float],
    rng: random.Random,
) -> list[Any]:
    """The rows of one question, one for each kind."""
    article = titles.index(question["title"])
    own = [n for n, passage in enumerate(passages) if passage["title"] == question["title"]]
    gold = next(n for n in own if passages[n]["id"] == question["passage"])
    others = [n for n, passage in enumerate(passages) if passage["title"] in {*titles} - {question["title"]}]
    filler = [*rng.sample(others, min(len(others), size // 3)), *range(len(own) + len(others), len(passages))]
    beside = rng.sample(filler, min(len(filler), size))
    inside = [*[gold, *(n for n in own if n != gold)][: size * 2 // 3], *beside][:size]
    rows = []
    for kind, part in enumerate((inside, [n for n in inside if n != gold], beside[:size])):
        best, scores, leads = _best(memory, np.array(sorted(part)), vector)
        rows.append((size, kind, article, scores, leads, [logits[n] for n in best], [n == gold for n in best]))
    return rows


def _best(memory: InMemory, part: Any, question: Asked) -> tuple[list[int], list[float], list[float]]:
    """The READ best passages of a base by the product's score, their scores, and how far these are ahead."""
    from corpus.search.search import COVERAGE

    cosines, counts = memory.cosines(question, part), memory.counts(question)[:, part]
    scores = rescored(memory, part, question, counts, cosines + COVERAGE * coverage(counts))
    best, blocks = np.argsort(-scores, kind="stable")[:READ], part // BLOCK
    leads = [compute_lead(scores[n], [scores[n], scores[blocks != blocks[n]].max()]) for n in best]
    return [int(part[n]) for n in best], scores[best].tolist(), leads


def fit(samples: Samples) -> Floats:
    """Weights of the features with which the largest certainty is a probability, half of the questions answerable."""
    features, evidence = samples.features(), (samples.kind == 0).astype(float)
    weights: Floats = np.array((ANSWERED, SCORE, LEAD, OFFSET))
    for _ in range(10):
        best = features[np.arange(len(features)), (features @ weights).argmax(axis=1)]
        weights = logistic(best, evidence, np.where(evidence == 1, 1.0, 0.5))
    return weights


def outcome(samples: Samples, sums: Floats) -> dict[str, str]:
    """What is said surely, kept and refused by the logits of certainty (n, READ), and how well these are calibrated:
    the mean distance of certainty and share that is answered, in tenths of certainty."""
    from sklearn.metrics import roc_auc_score

    certainties = 1 / (1 + np.exp(-sums.max(axis=1)))
    sure, kept = certainties >= SURE, certainties >= MIN_CERTAINTY
    inside, on_topic, elsewhere = (samples.kind == kind for kind in range(3))
    share, near = np.where(inside, 1.0, 0.5), inside | on_topic
    tenth = np.minimum(certainties * 10, 9).astype(int)
    apart = [abs((share * (certainties - inside))[tenth == one].sum()) for one in range(10)]
    first = samples.gold[np.arange(len(sums)), sums.argmax(axis=1)]
    percent = {
        "said surely": sure[inside],
        "on topic, as if sure": sure[on_topic],
        "kept": kept[inside],
        "on topic, refused": ~kept[on_topic],
        "elsewhere, refused": ~kept[elsewhere],
        "right one first": first[inside],
    }
    return {
        **{name: f"{100 * values.mean():.0f}" for name, values in percent.items()},
        "AUC on topic": f"{roc_auc_score(inside[near], certainties[near]):.3f}",
        "calibration error": f"{sum(apart) / share.sum():.3f}",
        "questions": str(inside.sum()),
    }


if __name__ == "__main__":
    main()
