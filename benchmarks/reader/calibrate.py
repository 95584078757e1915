"""Where the numbers of `corpus.certainty` come from, and how well questions are kept and refused by them.

    python -m benchmarks.reader.calibrate SQUAD [--reader FILE] [--questions 150] [--keep FILE.npz] [--json FILE]

SQUAD as for benchmarks.quality. Only the half of its articles that the packaged reader was not trained on is asked
about. Bases of several sizes are put together from these articles and distractors; each question is asked three times:
of a base with its paragraph, of the same without that paragraph ("on topic": the rest of its article stays), and of a
base without its article ("elsewhere"). The ten best passages by search are read. The best sum of the reader's logit,
that of the search's relevance and its distance to the best one decides; a logistic regression makes it a probability.
The curves show which share of each kind is refused where a share of the answerable questions is kept. With --keep what
was read is stored there, and taken from there the next time.
"""

from __future__ import annotations

import math
import random
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchmarks.calibration import halved, logistic
from benchmarks.ground import database, options, progress, read, table, write
from benchmarks.in_process import Asked, Floats, InMemory, asked, coverage, in_memory, rescored
from corpus.certainty import ANSWERED, BEHIND, MIN_CERTAINTY, OFFSET, SEARCH

SIZES = (33, 100, 300, 1000, 5871)
READ = 10
KINDS = ("answerable", "on topic", "elsewhere")
AT = (0.98, 0.96, 0.95, 0.93, 0.90)
"""Shares of the answerable questions that are kept, at which the curves are printed."""


@dataclass(frozen=True)
class Samples:
    """n times a question was asked: size and kind (n,), its article (n,), and of its READ best passages the logit of
    the search's relevance, the reader's logit, and whether it is the question's paragraph, (n, READ) each."""

    size: NDArray[np.int64]
    kind: NDArray[np.int64]
    article: NDArray[np.int64]
    search: Floats
    answered: Floats
    gold: NDArray[np.bool_]

    def features(self) -> Floats:
        """Return what `certainty` weighs, of shape (n, READ, 3)."""
        return np.stack([self.answered, self.search, self.search[:, :1] - self.search], axis=-1)

    def only(self, which: NDArray[np.bool_]) -> Samples:
        """Return some of the questions."""
        return Samples(*(getattr(self, name)[which] for name in self.__dataclass_fields__))


def main() -> None:
    parser = options(__doc__)
    parser.add_argument("squad", type=Path)
    parser.add_argument("--reader", type=Path, default=None)
    parser.add_argument("--questions", type=int, default=150, help="asked of bases of each size")
    parser.add_argument("--keep", type=Path, default=None)
    chosen = parser.parse_args()
    if chosen.keep and chosen.keep.exists():
        samples = Samples(**np.load(chosen.keep))
    else:
        samples = gathered(chosen)
        if chosen.keep:
            np.savez(chosen.keep, **vars(samples))
    rows = {
        f"{size} passages, {name}": curve(samples.only(samples.size == size), np.array(weights))
        for size in SIZES
        for name, weights in WAYS.items()
    }
    print(table(rows, "refused on topic / elsewhere where so many are kept"))
    scale, offset = fit(samples, np.array(WAYS["both"]))
    used = {"answered": ANSWERED, "search": SEARCH, "behind the best": BEHIND, "offset": OFFSET}
    found = dict(zip(used, [*(scale * np.array(WAYS["both"])).round(2).tolist(), round(offset, 2)], strict=True))
    print("\n" + table({"in use": used, "fitted": found}, "weights"))
    absolute = {f"{size} passages": outcome(samples.only(samples.size == size)) for size in SIZES}
    print("\n" + table(absolute, "at the thresholds in use"))
    write({"weights": found, "curves": rows, "threshold": absolute}, chosen.json)


WAYS = {"search": (0.0, 1.0, 0.0), "reading": (1.0, 0.0, 0.0), "both": (0.5, 1.0, -0.6)}
"""Weights of the features. Of `both` a grid was tried: it is flat between 0.4 and 0.6 and between 0.3 and 1.5."""


def gathered(chosen: Any) -> Samples:
    from engines.reader.loading import PACKAGED
    from engines.reader.onnx import OnnxReader

    passages, questions = read(chosen.squad, "passages"), read(chosen.squad, "questions")
    more = read(chosen.squad, "distractors")
    titles = halved({passage["title"] for passage in passages}, 1)
    questions = [one for one in questions if one["answerable"] and one["title"] in titles]
    rng = random.Random(1)  # noqa: S311
    questions = rng.sample(questions, min(len(questions), chosen.questions * len(SIZES)))
    with database(chosen.data):
        memory = in_memory([*passages, *more])
        vectors = asked([question["question"] for question in questions])
        reader = OnnxReader(chosen.reader or PACKAGED, threads=1)
        rows = []
        for number, question in enumerate(progress(questions, "reading")):
            size = SIZES[number % len(SIZES)]
            rows += _asked(memory, passages, len(more), question, vectors[number], titles, size, reader, rng)
    return Samples(*(np.array(column) for column in zip(*rows, strict=True)))


def _asked(
    memory: InMemory,
    passages: Sequence[dict[str, Any]],
    distractors: int,
    question: dict[str, Any],
    vector: Asked,
    titles: Sequence[str],
    size: int,
    reader: Any,
    rng: random.Random,
) -> list[Any]:
    """The rows of one question, one for each kind."""
    article = titles.index(question["title"])
    own = [n for n, passage in enumerate(passages) if passage["title"] == question["title"]]
    gold = next(n for n in own if passages[n]["id"] == question["passage"])
    others = [n for n, passage in enumerate(passages) if passage["title"] != question["title"]]
    if size < SIZES[-1]:
        others = [n for n in others if passages[n]["title"] in titles]
    filler = [*rng.sample(others, min(len(others), size // 3)), *range(len(passages), len(passages) + distractors)]
    beside = rng.sample(filler, min(len(filler), size)) if size < SIZES[-1] else [*others, *filler[-distractors:]]
    inside = [gold, *(n for n in own if n != gold), *beside][:size]
    rows = []
    for kind, part in enumerate((inside, [n for n in inside if n != gold], beside[:size])):
        best, relevances = _best(memory, np.array(sorted(part)), vector)
        readings = reader.read(question["question"], [memory.texts[n] for n in best])
        rows.append(
            (
                size,
                kind,
                article,
                relevances,
                [one.answered for one in readings],
                [n == gold for n in best],
            )
        )
    return rows


def _best(memory: InMemory, part: Any, question: Asked) -> tuple[list[int], list[float]]:
    """The READ best passages of a base by the product's score, and the logits of their relevance."""
    from corpus.search.relevance import relevance
    from corpus.search.search import COVERAGE

    cosines, counts = memory.cosines(question, part), memory.counts(question)[:, part]
    scores = rescored(memory, part, question, counts, cosines + COVERAGE * coverage(counts))
    best = np.argsort(-scores, kind="stable")[:READ]
    mean, spread = float(cosines.mean()), float(cosines.std(ddof=1))
    found = [relevance(float(scores[n]), size=len(part), mean=mean, spread=spread) for n in best]
    return [int(part[n]) for n in best], [math.log(one / (1 - one)) for one in found]


def fit(samples: Samples, weights: Floats) -> tuple[float, float]:
    """Scale and offset that make the best sum a probability, answerable questions and others counting alike."""
    best = (samples.features() @ weights).max(axis=1)
    evidence = (samples.kind == 0).astype(float)
    scale, offset = logistic(np.column_stack([best, np.ones(len(best))]), evidence, np.where(evidence == 1, 1.0, 0.5))
    return float(scale), float(offset)


def curve(samples: Samples, weights: Floats) -> dict[str, str]:
    """The shares refused at each of AT: on topic / elsewhere; and the area under the curve of both."""
    from sklearn.metrics import roc_auc_score

    best = (samples.features() @ weights).max(axis=1)
    kinds = [best[samples.kind == kind] for kind in range(3)]
    row = {}
    for kept in AT:
        threshold = np.quantile(kinds[0], 1 - kept)
        row[f"kept {kept:.0%}"] = " / ".join(f"{100 * (kind < threshold).mean():.1f}" for kind in kinds[1:])
    for kind in (1, 2):
        labels = np.repeat([1, 0], [len(kinds[0]), len(kinds[kind])])
        row[f"AUC {KINDS[kind]}"] = f"{roc_auc_score(labels, np.concatenate([kinds[0], kinds[kind]])):.3f}"
    return row


def outcome(samples: Samples) -> dict[str, str]:
    """What is kept and refused by `corpus.certainty`, and how often the best passage is the right one."""
    sums = samples.features() @ np.array((ANSWERED, SEARCH, BEHIND)) + OFFSET
    kept = 1 / (1 + np.exp(-sums.max(axis=1))) >= MIN_CERTAINTY
    inside = samples.only(samples.kind == 0)
    first = {"by search": inside.search, "by both": sums[samples.kind == 0]}
    rows = np.arange(len(inside.gold))
    right = {way: inside.gold[rows, by.argmax(axis=1)].mean() for way, by in first.items()}
    return {
        "kept": f"{100 * kept[samples.kind == 0].mean():.1f}",
        "on topic refused": f"{100 * (1 - kept[samples.kind == 1].mean()):.1f}",
        "elsewhere refused": f"{100 * (1 - kept[samples.kind == 2].mean()):.1f}",
        **{f"right one first {way}": f"{100 * share:.1f}" for way, share in right.items()},
        "questions": str(len(inside.gold)),
    }


if __name__ == "__main__":
    main()
