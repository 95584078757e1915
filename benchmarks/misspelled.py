"""How well misspelled questions are found, what correcting costs, and how often it changes a question without errors.

    python -m benchmarks.misspelled [CORPUS] [--questions 500] [--json result.json]

CORPUS is a directory as for `benchmarks.quality`. Each content word of a question from four letters on gets one error:
a letter dropped, doubled, exchanged with its neighbour or replaced, each a quarter of the time, at a random place.
Questions about articles that are not in the base show what correcting does to words that no document has.
"""

from __future__ import annotations

import random
import re
import string
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any
from unittest.mock import patch

from benchmarks.ground import database, options, percentiles, progress, read, table, write
from benchmarks.quality import Corpus, Question, loaded, measures, share, to_query

ABSENT = 12
"""Articles that are left out of the base for questions that it does not answer."""

EXAMPLES = 12
"""Changes that are shown."""


def main() -> None:
    parser = options(__doc__)
    parser.add_argument("corpus", nargs="?", type=Path, default=Path(__file__).parent / "corpus")
    parser.add_argument("--questions", type=int, default=500, help="ask at most so many")
    parser.add_argument("--seed", type=int, default=1)
    chosen = parser.parse_args()
    if not chosen.corpus.is_dir():
        sys.exit(f"There is no corpus in {chosen.corpus}.")
    passages = read(chosen.corpus, "passages")
    answerable = [question for question in read(chosen.corpus, "questions") if question["answerable"]]
    rng = random.Random(chosen.seed)  # noqa: S311
    sample = rng.sample(answerable, min(chosen.questions, len(answerable)))
    with database(chosen.data), loaded(passages, []) as corpus:
        result = {"finding": finding(corpus, sample, rng), "correcting": correcting(corpus, answerable, sample, rng)}
    for name, rows in result.items():
        print(f"\n{table(rows, name)}")
    write(result, chosen.json)


def finding(corpus: Corpus, sample: Sequence[Question], rng: random.Random) -> dict[str, dict[str, Any]]:
    """Where the right passage stands, and milliseconds of correcting, for spelled and misspelled questions."""
    source = corpus.source(list(corpus.articles.values()))
    correct = _corrector(source)
    correct("Wat is the fotosyntesis of dictionarys?")  # the dictionary is loaded once in a process
    asked = {
        "spelled": [question["question"] for question in sample],
        "misspelled": [misspelled(question["question"], rng) for question in sample],
    }
    rows: dict[str, dict[str, Any]] = {}
    for name, texts in asked.items():
        for way, change in (("as typed", None), ("corrected", correct)):
            found, spent = [], []
            for question, text in zip(progress(sample, f"{name}, {way}"), texts, strict=True):
                started = time.perf_counter()
                searched_for = change(text) if change else text
                spent.append((time.perf_counter() - started) * 1000)
                gold = corpus.places[question["passage"]]
                best = [(p.document_id, p.position) for p in source.search(to_query(searched_for), 10)]
                found.append(best.index(gold) if gold in best else len(corpus.titles))
            cost = {f"ms {key}": value for key, value in percentiles(spent).items()} if change else {}
            rows[f"{name}, {way}"] = {**measures(found), **cost}
    return rows


def correcting(
    corpus: Corpus, answerable: Sequence[Question], sample: Sequence[Question], rng: random.Random
) -> dict[str, dict[str, Any]]:
    """How many questions without errors are changed, by whether the base has their articles, with examples; also if
    there were no dictionary."""
    titles = sorted(corpus.articles)
    absent = set(rng.sample(titles, min(ABSENT, len(titles) // 2)))
    there = corpus.source([corpus.articles[title] for title in titles if title not in absent])
    everything = corpus.source(list(corpus.articles.values()))
    missing = [question for question in answerable if question["title"] in absent]
    absent_sample = rng.sample(missing, min(len(sample), len(missing)))
    rows = {}
    for name, source, questions in (
        ("articles in the base", everything, sample),
        ("articles not in the base", there, absent_sample),
    ):
        rows[name] = _changed(questions, _corrector(source))
        with patch("text.spelling._dictionary", return_value={}):
            rows[f"{name}, without a dictionary"] = _changed(questions, _corrector(source))
    return rows


def _changed(questions: Sequence[Question], correct: Callable[[str], str]) -> dict[str, Any]:
    pairs = [(question["question"], correct(question["question"])) for question in questions]
    differences = {_difference(before, after) for before, after in pairs if before != after}
    return {
        "questions": len(pairs),
        "changed": share([before != after for before, after in pairs]),
        "for example": ", ".join(sorted(differences)[:EXAMPLES]),
    }


def misspelled(question: str, rng: random.Random) -> str:
    """The question with one error in each content word from four letters on; a capital stays at the beginning."""
    from text.function_words import function_words

    def err(match: re.Match[str]) -> str:
        word = match[0]
        if len(word) < 4 or word.lower() in function_words("en"):
            return word
        wrong = _with_error(word.lower() if word[1:].islower() else word, rng)
        return wrong[0].upper() + wrong[1:] if word[0].isupper() else wrong

    return re.sub(r"[^\W\d_]+", err, question)


def _with_error(word: str, rng: random.Random) -> str:
    while True:  # equal letters exchanged, or a letter replaced by itself, are no error
        at = rng.randrange(len(word))
        letter, rest = word[at], word[at + 1 :]
        wrong = rng.choice(
            (
                rest,
                letter + letter + rest,
                rest[:1] + letter + rest[1:],
                rng.choice(string.ascii_lowercase) + rest,
            )
        )
        if (changed := word[:at] + wrong) != word:
            return changed


def _corrector(source: Any) -> Callable[[str], str]:
    from chatbots.answering.retrieval import WeightedSource
    from chatbots.answering.spelling import correct_spelling

    return lambda text: correct_spelling(text, [WeightedSource(source, 100)], "en")


def _difference(before: str, after: str) -> str:
    pairs = zip(before.split(), after.split(), strict=False)
    return " ".join(f"{a}→{b}" for a, b in pairs if a != b)


if __name__ == "__main__":
    main()
