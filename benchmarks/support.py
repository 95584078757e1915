"""How many wrong citations chatbots.citations.claim_verification catches, and how many right ones it doubts.

    python -m benchmarks.support CORPUS [--fit] [--json result.json]

CORPUS as for benchmarks.quality, with an `answer` for some of the questions. Statements are made of questions and their
answers ("When did the war end?", "in 1945": "The war end in 1945."), which word them otherwise than the passage does,
and of the sentences in which the answers stand. Each is given its passage and the four nearest others that do not hold
the answer, and cites the right passage or, planted, a wrong one; or it is altered. --fit makes the weights anew, from
every other article; the others, on which the results are told in any case, are not looked at.
"""

from __future__ import annotations

import random
import re
from collections.abc import Iterator, Sequence
from dataclasses import astuple, dataclass, fields
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.calibration import halved
from benchmarks.ground import database, options, progress, read, table, write

GIVEN = 5
"""Passages that an answer is given."""

_ASKED = re.compile(
    r"\b((?:(?:in|on|at|by|to|for|from|with) )?(?:what|which|who|whom|whose|when|where|how many|how much|how long|"
    r"how old|how|why)\b(?: (?:year|date|city|country|type of|kind of|day|month|century|percentage))?)",
    re.IGNORECASE,
)
_DO = re.compile(r"^\s*(?:did|do|does)\b\s*", re.IGNORECASE)
_AT_THE_END = {"when", "where", "why", "how", "in", "on", "at", "by", "to"}


@dataclass(frozen=True)
class Case:
    """A statement, the passages it was given, and those that it cites, counted from 0."""

    kind: str
    right: bool
    text: str
    given: tuple[str, ...]
    cited: tuple[int, ...]


def main() -> None:
    parser = options(__doc__)
    parser.add_argument("corpus", type=Path)
    parser.add_argument("--most", type=int, default=10_000, help="questions of each half, at most")
    parser.add_argument("--fit", action="store_true", help="print weights fitted on the other half")
    chosen = parser.parse_args()
    passages, questions = read(chosen.corpus, "passages"), read(chosen.corpus, "questions")
    questions = [question for question in questions if question["answerable"] and question.get("answer")]
    result: dict[str, Any] = {}
    with database(chosen.data):
        embedder = _Remembered()
        drawn = [list(cases(passages, questions, half, chosen.most)) for half in (0, 1)]
        if chosen.fit:
            for name, with_vectors in (("WEIGHTS", True), ("WEIGHTS_OF_WORDS", False)):
                result[name] = fitted(drawn[0], embedder if with_vectors else None)
        outcomes = {
            name: judged(drawn[1], embedder if name == "with vectors" else None)
            for name in ("with vectors", "words alone")
        }
    for name, outcome in outcomes.items():
        print(f"\n{table(outcome, name)}")
    for name in ("WEIGHTS", "WEIGHTS_OF_WORDS"):
        if name in result:
            print(name, result[name])
    write(result | outcomes, chosen.json)


def statement(question: str, answer: str) -> str | None:
    """A question and its answer as one sentence, more or less; None where it does not ask with a question word."""
    asked = question.strip().rstrip("?").strip()
    found = _ASKED.search(asked)
    if found is None:
        return None
    before, after = asked[: found.start()], asked[found.end() :]
    if not before.strip() and (_DO.match(after) or found[1].split()[0].lower() in _AT_THE_END):
        made = f"{_DO.sub('', after).strip()} {answer}"
    else:
        made = f"{before}{answer}{_DO.sub(' ', after)}"
    made = " ".join(made.split())
    return f"{made[:1].upper()}{made[1:]}."


def cases(
    passages: Sequence[dict[str, Any]], questions: Sequence[dict[str, Any]], half: int, most: int
) -> Iterator[Case]:
    """All right and planted citations from the articles of one half."""
    from engines.embedding import get_embedder
    from text.sentences import split_sentences

    rng = random.Random(half)  # noqa: S311
    titles = set(halved({passage["title"] for passage in passages}, half))
    texts = {passage["id"]: passage["text"] for passage in passages if passage["title"] in titles}
    keys = list(texts)
    vectors = get_embedder().embed_passages([texts[key] for key in keys])
    asked = [question for question in questions if question["passage"] in texts][:most]
    by_passage: dict[Any, str] = {}
    answers = [question["answer"] for question in asked]
    for question in progress(asked, "statements"):
        made, answer, key = (
            statement(question["question"], question["answer"]),
            question["answer"],
            question["passage"],
        )
        if made is None:
            continue
        nearest = np.argsort(-(vectors @ get_embedder().embed_query(question["question"])), kind="stable")
        others = [keys[place] for place in nearest[: 4 * GIVEN]]
        others = [other for other in others if other != key and answer.lower() not in texts[other].lower()]
        if len(others) < GIVEN:
            continue
        given = tuple(texts[one] for one in (key, *others[: GIVEN - 1]))
        elsewhere = tuple(texts[one] for one in others[:GIVEN])
        yield Case("reworded", True, made, given, (0,))
        yield Case("reworded, a neighbour cited", False, made, given, (1,))
        yield Case("reworded, the right passage not given", False, made, elsewhere, (0,))
        for sentence in split_sentences(texts[key]):
            words = texts[key][sentence.start : sentence.end]
            if answer in words:
                yield Case("word for word", True, words, given, (0,))
                yield Case("word for word, a neighbour cited", False, words, given, (1,))
                break
        if key in by_passage:
            yield Case("two reworded in one sentence", True, f"{made[:-1]}, and {by_passage[key]}", given, (0,))
        by_passage[key] = made
        if altered := _altered(made, answer, [one for one in answers if one.lower() not in texts[key].lower()], rng):
            yield Case(altered[0], False, altered[1], given, (0,))


def _altered(made: str, answer: str, answers: Sequence[str], rng: random.Random) -> tuple[str, str] | None:
    """The statement with another number, or with the name of another question's answer."""
    if numbers := re.findall(r"\d+", answer):
        other = re.sub(r"\d", lambda digit: str((int(digit[0]) + rng.randint(1, 9)) % 10), numbers[-1])
        return "number altered", made.replace(numbers[-1], other)
    names = [one for one in answers if one[:1].isupper() and len(one.split()) <= 3]
    if answer[:1].isupper() and names and not made.startswith(answer):
        return "name altered", made.replace(answer, rng.choice(names))
    return None


def judged(drawn: Sequence[Case], embedder: Any) -> dict[str, dict[str, Any]]:
    """By kind, how many there are, and the percentages of the three states."""
    from chatbots.citations.claim_verification import Support, verify_claims

    states: dict[tuple[bool, str], list[Support]] = {}
    for case in progress(drawn, "judged"):
        marks = "".join(f"[{number + 1}]" for number in case.cited)
        text = f"{case.text.rstrip('.')} {marks}."
        found = verify_claims(text, numbered(case.given), language="en", embedder=embedder)
        states.setdefault((case.right, case.kind), []).extend(verdict.state for verdict in found.values())
    rows = {
        kind: _shares(found) | {"cited": "right" if right else "wrong"}
        for (right, kind), found in sorted(states.items(), reverse=True)
    }
    for right in (True, False):
        every = [state for (is_right, _), found in states.items() if is_right == right for state in found]
        rows[f"all {'right' if right else 'wrong'} ones"] = _shares(every)
    return rows


def _shares(states: Sequence[Any]) -> dict[str, Any]:
    counts = {name: sum(state == name for state in states) for name in ("supported", "weak", "not found")}
    return {"n": len(states)} | {f"{name} %": round(100 * count / len(states), 1) for name, count in counts.items()}


class _Remembered:
    """The embedder, with each text embedded once: the same passages are held against many statements."""

    def __init__(self) -> None:
        from engines.embedding import get_embedder

        self._embedder = get_embedder()
        self._known: dict[str, Any] = {}

    def __getattr__(self, name: str) -> Any:
        return getattr(self._embedder, name)

    def embed_passages(self, texts: Sequence[str]) -> Any:
        for text in texts:
            if text not in self._known:
                self._known[text] = self._embedder.embed_passages([text])[0]
        return np.array([self._known[text] for text in texts])


def numbered(texts: Sequence[str]) -> list[Any]:
    """Passages as an answer is given them."""
    from chatbots.passages import NumberedPassage

    return [NumberedPassage(number, "", (), text, text) for number, text in enumerate(texts, start=1)]


def fitted(drawn: Sequence[Case], embedder: Any) -> dict[str, float]:
    """Constant and weights of a logistic regression over the features of the verification, all kinds counting alike."""
    from sklearn.linear_model import LogisticRegression

    from chatbots.citations.claim_verification import ClaimFeatures, claim_features

    learnt = [case for case in drawn if not case.kind.startswith("word for word")]
    rows = [
        astuple(
            claim_features(
                case.text,
                numbered(case.given),
                [number + 1 for number in case.cited],
                language="en",
                embedder=embedder,
            )
        )
        for case in progress(learnt, "features")
    ]
    right = np.array([case.right for case in learnt])
    weights = [1 / sum(other.right == case.right for other in learnt) * len(learnt) for case in learnt]
    found = LogisticRegression(max_iter=5000).fit(np.array(rows), right, sample_weight=weights)
    names = [field.name for field in fields(ClaimFeatures)]
    return {"constant": round(float(found.intercept_[0]), 2)} | {
        name: round(float(weight), 2) for name, weight in zip(names, found.coef_[0], strict=True)
    }


if __name__ == "__main__":
    main()
