"""How often the grading of short answers without a language model agrees with people.

    python -m benchmarks.learning.grading [--fit] [--words] [--errors] [--json result.json]

`short_answers.toml` has answers of pupils, written and judged by hand before the grader was. The weights are fitted on
the answers to every other question (--fit prints them anew); the answers to the rest are held back. For both halves it
tells the agreement where the grader judges, how often it abstains, which verdicts it takes for which, the agreement by
language, and that on wrong answers made of the right words. --words leaves the embedding model out.
"""

from __future__ import annotations

import tomllib
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchmarks.ground import options, table, write

FILE = Path(__file__).with_name("short_answers.toml")
VERDICTS = ("right", "partly", "wrong")
STRENGTH = 8.0
"""Of the regularisation, chosen by cross-validation within the fitted half."""

FOLDS = 8

WRONG_SIGNS = {
    "conflict": 1, "conflict_any": 1, "disorder": 1, "swapped": 1, "swapped_any": 1, "polarity": 1, "opposite": 1,
    "opposite_any": 1, "number": 1, "substituted": 1, "off_topic": 1, "best_part": -1, "copied": -1,
}  # fmt: skip
WRONG_SIGNS_OF_VECTORS = {"cosine_too_low": 1, "reference_too_far": 1, "parts_too_far": 1, "nearer_than_question": -1}
WHOLE_SIGNS = {
    "worst_part": 1, "length": 1, "new_words": 1, "parts": 1, "asks_two": -1, "few_words": -1, "length_of_two": 1,
}  # fmt: skip
WHOLE_SIGNS_OF_VECTORS = {"cosine": 1, "worst_part_cosine": 1}
"""The sign that the weight of each feature may have: to say more of the reference never makes an answer worse."""


@dataclass(frozen=True)
class Answer:
    """An answer with its question's number and language, and the verdict of a person."""

    question: int
    language: str
    text: str
    verdict: str
    has_right_words: bool
    compared: Any


def main() -> None:
    parser = options(__doc__)
    parser.add_argument("--fit", action="store_true", help="print weights fitted on every other question")
    parser.add_argument("--words", action="store_true", help="without the embedding model")
    parser.add_argument("--errors", action="store_true", help="list the answers of the fitted half that were misjudged")
    chosen = parser.parse_args()
    answers = read_answers(with_vectors=not chosen.words)
    halves = {"fitted": [one for one in answers if one.question % 2 == 0]}
    halves["held back"] = [one for one in answers if one.question % 2 == 1]
    result: dict[str, Any] = {}
    if chosen.fit:
        print(table(cross_validated(halves["fitted"]), "cross-validated within the fitted half"))
        result["weights"] = fitted(halves["fitted"])
        use(result["weights"])
        for name, weights in result["weights"].items():
            print(f"{name} = {weights}")
    for name, half in [*halves.items(), ("both", answers)]:
        given = [verdict_of(one) for one in half]
        result[name] = outcome(half, given)
        print(f"\n{table({'all': result[name]['all'], **result[name]['by_language']}, name)}")
        print("person -> grader:", result[name]["confusion"])
        print("wrong with the right words:", result[name]["right_words"])
        if chosen.errors and name == "fitted":
            for one, verdict in zip(half, given, strict=True):
                if verdict not in ("unsure", one.verdict):
                    print(f"  {one.verdict} -> {verdict}: {one.text}")
    write(result, chosen.json)


def read_answers(*, with_vectors: bool) -> list[Answer]:
    """The answers of the file, prepared for comparison as `learning.grading` does it."""
    import django

    django.setup()
    from chatbots.passages import NumberedPassage
    from engines.embedding import get_embedder
    from learning.grading.short_answers import source_of
    from learning.grading.short_features import AnswerComparison, ShortQuestion

    embedder = get_embedder() if with_vectors else None
    found = []
    for number, question in enumerate(tomllib.loads(FILE.read_text())["question"]):
        passage = NumberedPassage(1, question["id"], (), question["source"], question["source"])
        source = source_of(question["reference"], [passage], question["language"])
        asked = ShortQuestion(question["prompt"], question["reference"], source, question["language"])
        for answer in question["answers"]:
            found.append(
                Answer(
                    number,
                    question["language"],
                    answer["text"],
                    answer["verdict"],
                    answer.get("note", "").startswith("right words"),
                    AnswerComparison(asked, answer["text"], embedder),
                )
            )
    return found


def use(weights: Mapping[str, Mapping[str, float]]) -> None:
    """Grade with other weights than those of the product."""
    from learning.grading import short_answers

    vars(short_answers).update(weights)


def verdict_of(answer: Answer) -> str:
    """The verdict as the product gives it."""
    from learning.grading.short_answers import verdict_by_words

    return verdict_by_words(answer.compared)[0].value


def outcome(answers: Sequence[Answer], given: Sequence[str]) -> dict[str, Any]:
    """Agreement where the grader judges, abstentions and confusions."""
    pairs = list(zip(answers, given, strict=True))
    by_language = groupby(sorted(pairs, key=lambda pair: pair[0].language), key=lambda pair: pair[0].language)
    confusion = Counter((one.verdict, verdict) for one, verdict in pairs)
    return {
        "all": _shares(pairs),
        "by_language": {language: _shares(list(group)) for language, group in by_language},
        "confusion": {f"{person} -> {grader}": count for (person, grader), count in sorted(confusion.items())},
        "right_words": _shares([pair for pair in pairs if pair[0].has_right_words]),
    }


def _shares(pairs: Sequence[tuple[Answer, str]]) -> dict[str, float]:
    judged = [(one.verdict, verdict) for one, verdict in pairs if verdict != "unsure"]
    return {
        "answers": len(pairs),
        "agreement": round(sum(a == b for a, b in judged) / (len(judged) or 1), 3),
        "abstains": round(1 - len(judged) / (len(pairs) or 1), 3),
    }


def fitted(answers: Sequence[Answer]) -> dict[str, dict[str, float]]:
    """The weights of the four regressions. Those with vectors are fitted where the embedder knows the language."""
    from learning.grading.short_features import answer_features

    features = [answer_features(one.compared) for one in answers]
    verdicts = [one.verdict for one in answers]
    return _fitted(features, verdicts)


def _fitted(features: Sequence[Mapping[str, float]], verdicts: Sequence[str]) -> dict[str, dict[str, float]]:
    found = {}
    for name, more, wholes in (
        ("BY_WORDS", {}, {}),
        ("BY_VECTORS", WRONG_SIGNS_OF_VECTORS, WHOLE_SIGNS_OF_VECTORS),
    ):
        rows = [(row, verdict) for row, verdict in zip(features, verdicts, strict=True) if not more or "cosine" in row]
        if rows:
            found[f"WRONG_{name}"] = _regression(rows, WRONG_SIGNS | more, "wrong")
            rest = [(row, verdict) for row, verdict in rows if verdict != "wrong"]
            found[f"WHOLE_{name}"] = _regression(rest, WHOLE_SIGNS | wholes, "right")
    return found


def _regression(
    rows: Sequence[tuple[Mapping[str, float], str]], signs: Mapping[str, int], positive: str
) -> dict[str, float]:
    """A logistic regression whose weights have the given signs, on standardised features."""
    from scipy.optimize import minimize

    values = np.array([[row[name] for name in signs] for row, _ in rows])
    target = np.array([verdict == positive for _, verdict in rows], dtype=float)
    mean, spread = values.mean(axis=0), values.std(axis=0) + 1e-9
    scaled = (values - mean) / spread

    def loss(weights: NDArray[np.float64]) -> tuple[float, NDArray[np.float64]]:
        score = scaled @ weights[1:] + weights[0]
        error = 1 / (1 + np.exp(-score)) - target
        gradient = np.r_[error.sum(), scaled.T @ error + 2 * STRENGTH * weights[1:]]
        penalty = STRENGTH * (weights[1:] ** 2).sum()
        return float(np.logaddexp(0, -score * (2 * target - 1)).sum() + penalty), gradient

    bounds = [(None, None), *((0, None) if sign > 0 else (None, 0) for sign in signs.values())]
    best = minimize(loss, np.zeros(len(signs) + 1), jac=True, bounds=bounds, method="L-BFGS-B").x
    weights = best[1:] / spread
    named = {name: round(float(weight), 2) for name, weight in zip(signs, weights, strict=True) if abs(weight) >= 0.005}
    return {"": round(float(best[0] - (weights * mean).sum()), 2), **named}


def cross_validated(answers: Sequence[Answer]) -> dict[str, dict[str, float]]:
    """Agreement and abstentions by the least probability, on questions that the weights were not fitted on."""
    from learning.grading import short_answers
    from learning.grading.short_features import answer_features

    features = [answer_features(one.compared) for one in answers]
    numbers = sorted({one.question for one in answers})
    fold = {number: index % FOLDS for index, number in enumerate(np.random.default_rng(0).permutation(numbers))}
    sure: list[tuple[float, bool]] = []
    for held in range(FOLDS):
        inside = [n for n, one in enumerate(answers) if fold[one.question] != held]
        weights = _fitted([features[n] for n in inside], [answers[n].verdict for n in inside])
        for n, one in enumerate(answers):
            if fold[one.question] == held:
                use(weights)
                chances = short_answers.probabilities(features[n])
                best = max(VERDICTS, key=lambda name: getattr(chances, name))
                sure.append((getattr(chances, best), best == one.verdict))
    return {
        f"least {least:.2f}": {
            "agreement": round(float(np.mean([right for chance, right in sure if chance >= least])), 3),
            "abstains": round(float(np.mean([chance < least for chance, _ in sure])), 3),
        }
        for least in (0.0, 0.45, 0.5, 0.55, 0.6, 0.65, 0.7, 0.75)
    }


if __name__ == "__main__":
    main()
