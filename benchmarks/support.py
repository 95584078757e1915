"""How many wrong claims chatbots.citations.claim_verification catches, and how many right ones it doubts.

    python -m benchmarks.support CORPUS [--fit] [--json result.json]

CORPUS as for benchmarks.quality, with an `answer` for some of the questions. Claims are made of questions and their
answers ("When did the war end?", "in 1945": "The war end in 1945."), which word them otherwise than the passage does,
of the sentences in which the answers stand, and of the cells of the demo's tables. Each is given its passage and the
four nearest others that do not hold the answer, and cites the right passage or, planted, a wrong one; or it is altered:
negated, or its answer is replaced by another number, date, name or phrase of the same passage, or by a cell of another
row or column. --fit makes the weights anew, from every other article and table; the results are of the others.
"""

from __future__ import annotations

import random
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import astuple, dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.calibration import halved
from benchmarks.ground import ROOT, database, options, progress, read, table, write

GIVEN = 5
"""Passages that an answer is given."""

_ASKED = re.compile(
    r"\b((?:(?:in|on|at|by|to|for|from|with) )?(?:what|which|who|whom|whose|when|where|how many|how much|how long|"
    r"how old|how|why)\b(?: (?:year|date|city|country|type of|kind of|day|month|century|percentage))?)",
    re.IGNORECASE,
)
_DO = re.compile(r"^\s*(?:did|do|does)\b\s*", re.IGNORECASE)
_AUXILIARY = re.compile(r"\b(?:is|are|was|were|has|have|had|can|could|will|would|may|must|should)\b(?! not)")
_NUMBER = re.compile(r"(?<![\w.,])\d+(?:[.,]\d+)*(?!\w)")
_DATE = re.compile(
    r"\b(?:(?:\d{1,2} )?(?:January|February|March|April|May|June|July|August|September|October|November|December)"
    r"(?: \d{1,2})?(?:,? \d{4})?|1\d{3}|20[0-2]\d)\b"
)
_NAME = re.compile(r"(?<=[a-z,] )[A-Z][\w'’-]+(?: (?:of |the )?[A-Z][\w'’-]+)*|^[A-Z][\w'’-]+(?: [A-Z][\w'’-]+)*$")
_CELLS = (
    "The {name} of {key} is {cell}.",
    "For {key}, the {name} is {cell}.",
    "As for {key}, one can read that its {name} is {cell}.",
)
_MIN_SECTION = 80
_AT_THE_END = {"when", "where", "why", "how", "in", "on", "at", "by", "to"}


@dataclass(frozen=True)
class Case:
    """A statement, the passages it was given, and those that it cites, counted from 0."""

    kind: str
    right: bool
    text: str
    given: tuple[str, ...]
    cited: tuple[int, ...]
    question: str = ""


def main() -> None:
    parser = options(__doc__)
    parser.add_argument("corpus", type=Path)
    parser.add_argument("--most", type=int, default=10_000, help="questions of each half, at most")
    parser.add_argument("--fit", action="store_true", help="print weights fitted on the other half")
    chosen = parser.parse_args()
    passages, questions = read(chosen.corpus, "passages"), read(chosen.corpus, "questions")
    questions = [question for question in questions if question["answerable"] and question.get("answer")]
    with database(chosen.data):
        if chosen.fit:
            print("constant and WEIGHTS", fitted([*cases(passages, questions, 0, chosen.most), *table_cases(0)]))
        result = judged([*cases(passages, questions, 1, chosen.most), *table_cases(1)])
    print(f"\n{table(result, 'claims')}")
    write(result, chosen.json)


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
    answers: dict[Any, list[str]] = {}
    for question in asked:
        answers.setdefault(question["passage"], []).append(question["answer"])
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
        yield Case("reworded", True, made, given, (0,), question["question"])
        yield Case("reworded, a neighbour cited", False, made, given, (1,), question["question"])
        yield Case("reworded, the right passage not given", False, made, elsewhere, (0,), question["question"])
        for sentence in split_sentences(texts[key]):
            words = texts[key][sentence.start : sentence.end]
            if answer in words:
                yield Case("word for word", True, words, given, (0,), question["question"])
                yield Case("word for word, a neighbour cited", False, words, given, (1,), question["question"])
                break
        if key in by_passage:
            yield Case(
                "two reworded in one sentence",
                True,
                f"{made[:-1]}, and {by_passage[key]}",
                given,
                (0,),
                question["question"],
            )
        by_passage[key] = made
        for kind, altered in _altered(made, answer, texts[key], answers[key], rng):
            yield Case(kind, False, altered, given, (0,), question["question"])


def table_cases(half: int) -> Iterator[Case]:
    """Cells of every other table of the demo as statements, and the same with a cell of another row or column."""
    from text.tables import body_rows

    rng = random.Random(half)  # noqa: S311
    sections = [
        section
        for file in sorted((ROOT / "demo" / "content").rglob("*.md"))
        for section in re.split(r"(?m)^#+ .*$", file.read_text(encoding="utf-8"))
        if len(section) > _MIN_SECTION
    ]
    for section in [one for one in sections if len(body_rows(one)) >= GIVEN // 2][half::2]:
        rows = [row.fields for row in body_rows(section) if len(row.fields) > 1 and all(name for name, _ in row.fields)]
        given = (section, *rng.sample([one for one in sections if one != section], GIVEN - 1))
        for row in rows:
            (_, key), *cells = row
            for name, cell in cells:
                form = rng.choice(_CELLS)
                made = form.format(key=key, name=name.lower(), cell=cell)
                yield Case("cell of a table", True, made, given, (0,))
                yield Case("cell negated", False, made.replace(" is ", " is not ", 1), given, (0,))
                column = {value for other in rows for header, value in other if header == name} - {cell}
                numbers = {value for other in rows for header, value in other if header != name} - {cell, key}
                numbers = {value for value in numbers if _NUMBER.fullmatch(value) and _NUMBER.fullmatch(cell)}
                for kind, others in (("wrong row", column), ("number of the same table", numbers)):
                    if others := {other for other in others if other not in made}:
                        other = rng.choice(sorted(others))
                        yield Case(kind, False, form.format(key=key, name=name.lower(), cell=other), given, (0,))


def _altered(
    made: str, answer: str, passage: str, answers: Sequence[str], rng: random.Random
) -> Iterator[tuple[str, str]]:
    """The statement negated, and with another number, date, name or phrase of its passage for its answer."""
    if aux := _AUXILIARY.search(made):
        yield "negated", f"{made[: aux.end()]} not{made[aux.end() :]}"
    kinds = {"date": _DATE, "number": _NUMBER, "name": _NAME}
    kind = next((name for name, pattern in kinds.items() if pattern.search(answer)), "")
    words = set(re.findall(r"\w+", made.lower()))
    if kind:
        pattern, same = kinds[kind], [match[0] for match in kinds[kind].finditer(passage)]
        same = [one for one in same if words.isdisjoint(re.findall(r"\w+", one.lower()))]
        if same:
            yield f"{kind} of the same passage", made.replace(pattern.search(answer)[0], rng.choice(same), 1)  # type: ignore[index]
    elif same := [one for one in answers if words.isdisjoint(re.findall(r"\w+", one.lower()))]:
        yield "phrase of a neighbour sentence", made.replace(answer, rng.choice(same), 1)
    if kind in ("date", "number"):
        digits = re.findall(r"\d+", answer)[-1]
        other = re.sub(r"\d", lambda digit: str((int(digit[0]) + rng.randint(1, 9)) % 10), digits)
        if other not in passage:
            yield "number of no passage", made.replace(digits, other)


def judged(drawn: Sequence[Case]) -> dict[str, dict[str, Any]]:
    """By kind, how many there are, and the percentages of the three states."""
    from chatbots.citations.claim_verification import Support, verify_claims

    states: dict[tuple[bool, str], list[Support]] = {}
    for case in progress(drawn, "judged"):
        marks = "".join(f"[{number + 1}]" for number in case.cited)
        text = f"{case.text.rstrip('.')} {marks}."
        found = verify_claims(text, _read(case), language="en")
        states.setdefault((case.right, case.kind), []).extend(verdict.state for verdict in found.values())
    rows = {
        kind: _shares(found) | {"cited": "right" if right else "wrong"}
        for (right, kind), found in sorted(states.items(), reverse=True)
    }
    for right in (True, False):
        every = [state for (is_right, _), found in states.items() if is_right == right for state in found]
        rows[f"all {'right' if right else 'wrong'} ones"] = _shares(every)
    return rows


def _read(case: Case) -> list[Any]:
    """The passages, of which a reader has read those that are cited."""
    from engines.reader.loading import get_reader

    reader = get_reader() if case.question else None
    return [
        replace(one, reading=reader.read(case.question, [one.text])[0])
        if reader and one.number - 1 in case.cited
        else one
        for one in numbered(case.given)
    ]


def _shares(states: Sequence[Any]) -> dict[str, Any]:
    counts = {name: sum(state == name for state in states) for name in ("supported", "weak", "not found")}
    return {"n": len(states)} | {f"{name} %": round(100 * count / len(states), 1) for name, count in counts.items()}


def numbered(texts: Sequence[str]) -> list[Any]:
    """Passages as an answer is given them."""
    from chatbots.passages import NumberedPassage

    return [NumberedPassage(number, "", (), text, text) for number, text in enumerate(texts, start=1)]


def fitted(drawn: Sequence[Case]) -> list[float]:
    """Constant and weights of a logistic regression over the features of the verification. Right and wrong claims count
    alike in all; so do the kinds of each."""
    from sklearn.linear_model import LogisticRegression

    from chatbots.citations.claim_verification import claim_features

    learnt = [case for case in drawn if not case.kind.startswith("word for word")]
    rows = [
        astuple(claim_features(case.text, numbered(case.given), [number + 1 for number in case.cited], language="en"))
        for case in progress(learnt, "features")
    ]
    counts = Counter(case.kind for case in learnt)
    kinds = Counter(case.right for case in {case.kind: case for case in learnt}.values())
    weights = [len(learnt) / counts[case.kind] / kinds[case.right] for case in learnt]
    right = np.array([case.right for case in learnt])
    found = LogisticRegression(max_iter=5000).fit(np.array(rows), right, sample_weight=weights)
    return [round(float(weight), 2) for weight in (*found.intercept_, *found.coef_[0])]


if __name__ == "__main__":
    main()
