"""Where the weights of chatbots.quoting.ranking come from: which sentence of the passages found holds the answer.

    python -m benchmarks.sentences CORPUS [--cosine 6] [--data DIRECTORY] [--json result.json]

CORPUS as for benchmarks.answers, whose chatbot searches. Of every question that was not refused each sentence of its
passages has features; the weights are those under which a softmax over the sentences gives the most to those with the
gold answer in the gold passage. Of the articles that the packaged reader was not trained on, they are fitted on every
other one, with the cosine's weight held at --cosine if that is given, and tried on the rest beside the weights in use.
The last table says how well the best score tells questions whose answer does not stand in the passages: how many of
those stand below what a tenth of the others does.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import astuple, dataclass, fields, replace
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.answers import Question, flat, loaded, plain
from benchmarks.calibration import halved
from benchmarks.ground import database, options, progress, read, table, write
from benchmarks.in_process import Floats

RIDGE, STEPS = 1e-3, 400


@dataclass(frozen=True)
class Case:
    """The candidates for one question: features (n, 5), which hold the answer, and which are of the gold passage."""

    question: Question
    features: Floats
    holds: Any
    gold: Any


def main() -> None:
    parser = options(__doc__)
    parser.add_argument("corpus", type=Path)
    parser.add_argument("--cosine", type=float, help="hold the cosine's weight")
    parser.add_argument("--sample", type=int, default=10_000, help="questions of each kind, at most")
    chosen = parser.parse_args()
    passages, questions = read(chosen.corpus, "passages"), read(chosen.corpus, "questions")
    rng = random.Random(1)  # noqa: S311
    known = [question for question in questions if question["answerable"] and question.get("answer")]
    without = [question for question in questions if not question["answerable"]]
    known, without = (rng.sample(group, min(chosen.sample, len(group))) for group in (known, without))
    with database(chosen.data):
        from chatbots.quoting.ranking import WEIGHTS

        base = loaded(passages, read(chosen.corpus, "distractors"), sections=False)
        drawn = [case for one in progress(known, "sentences") if (case := candidates(base, one))]
        unsaid = [case for one in progress(without, "not answerable") if (case := candidates(base, one))]
    unread = halved({passage["title"] for passage in passages}, 1)
    halves = tuple([case for case in drawn if case.question["title"] in halved(unread, half)] for half in (0, 1))
    tried = {"in use": np.array(astuple(WEIGHTS)), "fitted": fitted(halves[0], chosen.cosine)}
    names = [field.name for field in fields(WEIGHTS)]
    result: dict[str, dict[str, dict[str, Any]]] = {
        "weights": {name: dict(zip(names, weights.round(2).tolist(), strict=True)) for name, weights in tried.items()},
        "unseen articles": {name: outcome(weights, halves[1]) for name, weights in tried.items()},
        "all articles": {name: outcome(weights, drawn) for name, weights in tried.items()},
        "below a tenth of the answerable": told_apart(tried["in use"], drawn, unsaid),
    }
    for name, rows in result.items():
        print(f"\n{table(rows, name)}")
    write(result, chosen.json)


def candidates(base: Any, question: Question) -> Case | None:
    """The sentences of what the chatbot finds; None where it refuses."""
    from chatbots.answering.retrieval import retrieve
    from chatbots.answering.source_selection import select_sources
    from chatbots.passages import AnswerPrompt, NumberedPassage
    from chatbots.quoting.candidates import find_candidates
    from chatbots.quoting.ranking import WEIGHTS, SentenceRanker
    from engines.embedding import get_embedder

    placed = retrieve(question["question"], select_sources(base.chatbot), places=base.chatbot.places).placed
    found = [
        NumberedPassage(n, p.document_title, p.heading_path, p.text, p.excerpt, p.relevance, p.reading)
        for n, p in enumerate((one.passage for one in placed), start=1)
    ]
    prompt = AnswerPrompt((), question["question"], tuple(found))
    sentences = find_candidates(prompt.passages, prompt.language_of_quotes)
    if not sentences:
        return None
    ranker = SentenceRanker(prompt, sentences)
    cosines = [more / WEIGHTS.cosine for more in ranker.by_vectors(sentences, get_embedder())]
    rows = [
        astuple(replace(ranker.features(one), cosine=cosine)) for one, cosine in zip(sentences, cosines, strict=True)
    ]
    answer, gold = plain(question.get("answer") or ""), flat(base.texts[question["passage"]])
    return Case(
        question,
        np.array(rows),
        np.array([bool(answer) and answer in plain(one.text) for one in sentences]),
        np.array([gold in flat(one.passage.text) for one in sentences]),
    )


def fitted(cases: Sequence[Case], cosine: float | None) -> Floats:
    """The weights that give the sentences with the answer the largest share of a softmax, by gradient descent."""
    right = [(case.features, case.holds & case.gold) for case in cases if (case.holds & case.gold).any()]
    weights: Floats = np.zeros(cases[0].features.shape[1])
    weights[0] = cosine or 0.0
    pace = np.zeros(len(weights))
    for _ in progress(range(STEPS), "fitting"):
        slope = 2 * RIDGE * weights
        for features, wanted in right:
            scores = features @ weights
            shares = np.exp(scores - scores.max())
            shares /= shares.sum()
            got = max(float(shares[wanted].sum()), 1e-12)
            slope = slope - features.T @ (np.where(wanted, shares, 0) / got - shares) / len(right)
        if cosine is not None:
            slope[0] = 0.0
        pace = 0.9 * pace - slope
        weights = weights + pace
    return weights


def outcome(weights: Floats, cases: Sequence[Case]) -> dict[str, str]:
    """Of the questions that were not refused: the share with the answer in the best sentences by these weights."""
    orders = [np.argsort(-(case.features @ weights), kind="stable") for case in cases]
    ranked = [(case.holds[order], case.gold[order]) for case, order in zip(cases, orders, strict=True)]

    def percent(hits: Sequence[Any]) -> str:
        return f"{100 * np.mean(hits):.1f}"

    return {
        "questions": str(len(cases)),
        **{f"in the best {count}": percent([holds[:count].any() for holds, _ in ranked]) for count in (1, 2, 3, 4)},
        "best one from the gold passage": percent([gold[0] for _, gold in ranked]),
    }


def told_apart(weights: Floats, said: Sequence[Case], unsaid: Sequence[Case]) -> dict[str, dict[str, str]]:
    """Of the questions that are on topic but not answerable those that score below a tenth of the answerable."""
    best = [np.array([_best(case, weights) for case in cases]) for cases in (said, unsaid)]
    rows = {"score": [one[:, 0] for one in best], "cosine": [one[:, 1] for one in best]}
    return {
        name: {"not answerable %": f"{100 * np.mean(other < np.quantile(own, 0.1)):.1f}"}
        for name, (own, other) in rows.items()
    }


def _best(case: Case, weights: Floats) -> tuple[float, float]:
    scores = case.features @ weights
    best = int(scores.argmax())
    return float(scores[best]), float(case.features[best, 0])


if __name__ == "__main__":
    main()
