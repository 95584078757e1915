"""Where the numbers of `corpus.certainty` come from, and how well questions are kept and refused by them.

    python -m benchmarks.reader.calibrate SQUAD [--reader FILE] [--questions 150] [--keep FILE.npz] [--json FILE]

SQUAD as for benchmarks.quality. Only the half of its articles that the packaged reader was not trained on is asked
about. Bases of several sizes are put together from these articles and distractors; each question is asked three times:
of a base with its paragraph, of the same without that paragraph ("on topic": the rest of its article stays), and of a
base without its article ("elsewhere"). The ten best passages by search are read. A logistic regression of "this passage
answers" on the reader's two logits, that of the search's relevance and its distance to the best one is fitted on every
other of these articles and tried on the rest; the curves show which share of each kind is refused where a share of the
answerable questions is kept. With --keep what was read is stored there, and taken from there the next time.
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

SIZES = (33, 100, 300, 1000, 5871)
READ = 10
KINDS = ("answerable", "on topic", "elsewhere")
KEPT = (0.98, 0.96, 0.95, 0.93, 0.90)
"""Shares of the answerable questions that are kept, at which the curves are printed."""


@dataclass(frozen=True)
class Samples:
    """n times a question was asked: size and kind (n,), its article (n,), and of its READ best passages the logit of
    the search's relevance, the reader's two logits, and whether it is the question's paragraph, (n, READ) each."""

    size: NDArray[np.int64]
    kind: NDArray[np.int64]
    article: NDArray[np.int64]
    search: Floats
    answered: Floats
    span: Floats
    gold: NDArray[np.bool_]

    def features(self) -> Floats:
        """Return what `certainty` weighs, of shape (n, READ, 5)."""
        behind = self.search[:, :1] - self.search
        return np.stack([self.answered, self.span, self.search, behind, np.ones_like(self.search)], axis=-1)

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
    fitting, trying = (samples.only(samples.article % 2 == half) for half in (0, 1))
    weights, by_search = fit(fitting), np.array([0, 0, 1, 0, 0.0])
    reader_only = fit(fitting, (0, 1, 4))
    rows = {}
    for size in SIZES:
        part = trying.only(trying.size == size)
        for name, used in {"search": by_search, "reader": reader_only, "both": weights}.items():
            rows[f"{size} passages, {name}"] = curve(part, used)
    print(table({"weights": dict(zip(NAMES, map(str, weights.round(2)), strict=True))}, "weights"))
    print("\n" + table(rows, "refused where so many are kept, articles not fitted on"))
    absolute = {f"{size} passages": outcome(trying.only(trying.size == size), weights) for size in SIZES}
    print("\n" + table(absolute, "at the threshold of 0"))
    write({"weights": weights.tolist(), "curves": rows, "threshold": absolute}, chosen.json)


NAMES = ("answered", "span", "search", "behind the best", "offset")


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
                [one.span for one in readings],
                [n == gold for n in best],
            )
        )
    return rows


def _best(memory: InMemory, part: Any, question: Asked) -> tuple[list[int], list[float]]:
    """The READ best passages of a base by the product's score, and the logits of their relevance."""
    from corpus.search.relevance import relevance
    from corpus.search.search import COVERAGE

    cosines, counts = memory.vectors[part] @ question.vector, memory.counts(question)[:, part]
    scores = rescored(memory, part, question, counts, cosines + COVERAGE * coverage(counts))
    best = np.argsort(-scores, kind="stable")[:READ]
    mean, spread = float(cosines.mean()), float(cosines.std(ddof=1))
    found = [relevance(float(scores[n]), size=len(part), mean=mean, spread=spread) for n in best]
    return [int(part[n]) for n in best], [math.log(one / (1 - one)) for one in found]


def fit(samples: Samples, used: Sequence[int] = (0, 1, 2, 3, 4)) -> Floats:
    """The weights of "this passage answers" by NAMES, 0 where not `used`; each question has the weight 1."""
    features = samples.features()
    known = np.flatnonzero((samples.kind != 0) | samples.gold.any(axis=1))
    design = features[known][:, :, list(used)].reshape(-1, len(used))
    evidence = samples.gold[known].reshape(-1).astype(float)
    # Other paragraphs of an answerable question's article may answer it, too: only its own and the refused ones count.
    sure = (evidence == 1) | np.repeat(samples.kind[known] != 0, READ)
    share = np.where(evidence == 1, 1.0, 1 / READ)
    weights = np.zeros(len(NAMES))
    weights[list(used)] = logistic(design[sure], evidence[sure], share[sure])
    return weights


def curve(samples: Samples, weights: Floats) -> dict[str, str]:
    """The shares refused at each of KEPT: on topic / elsewhere; and the area under the curve of both."""
    from sklearn.metrics import roc_auc_score

    best = (samples.features() @ weights).max(axis=1)
    kinds = [best[samples.kind == kind] for kind in range(3)]
    row = {}
    for kept in KEPT:
        threshold = np.quantile(kinds[0], 1 - kept)
        row[f"kept {kept:.0%}"] = " / ".join(f"{100 * (kind < threshold).mean():.1f}" for kind in kinds[1:])
    for kind in (1, 2):
        labels = np.repeat([1, 0], [len(kinds[0]), len(kinds[kind])])
        row[f"AUC {KINDS[kind]}"] = f"{roc_auc_score(labels, np.concatenate([kinds[0], kinds[kind]])):.3f}"
    return row


def outcome(samples: Samples, weights: Floats) -> dict[str, str]:
    """What is kept and refused where the sum must be positive, and how often the best passage is the right one."""
    sums = samples.features() @ weights
    shares = {KINDS[kind]: (sums.max(axis=1) >= 0)[samples.kind == kind].mean() for kind in range(3)}
    inside = samples.only(samples.kind == 0)
    right = [
        inside.gold[np.arange(len(inside.gold)), by.argmax(axis=1)].mean()
        for by in (inside.search, inside.features() @ weights)
    ]
    return {
        "kept": f"{100 * shares['answerable']:.1f}",
        "on topic refused": f"{100 * (1 - shares['on topic']):.1f}",
        "elsewhere refused": f"{100 * (1 - shares['elsewhere']):.1f}",
        "right passage first, by search": f"{100 * right[0]:.1f}",
        "by both": f"{100 * right[1]:.1f}",
        "questions": str(len(inside.gold)),
    }


if __name__ == "__main__":
    main()
