"""What the default rules of concern catch, and how often they are wrong.

    python -m benchmarks.concern [--show] [--json FILE]

The sentences of `benchmarks/data/concern/first` were written before the rules. Every second one of each language and
category, by its hash, is kept back: --show lists mistakes in the other half only. The `second` set was written when the
rules were done, and then used to widen them. The `third` was written after that: nothing was fitted to it.

One person wrote the rules and all sentences, which is why the third set counts most. All four languages are checked at
once, as for pupils who mix them; one table has the rules of the sentence's language alone.
"""

from __future__ import annotations

import json
import time
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import Any

from benchmarks.ground import options, percentiles, table, write
from classrooms.concern import rules
from classrooms.concern.checking import Finding, check

SENTENCES = Path(__file__).parent / "data" / "concern"
HARMLESS = "harmless"


@dataclass(frozen=True)
class Sentence:
    language: str
    category: str
    text: str
    kept_back: bool


def main() -> None:
    parser = options(__doc__)
    parser.add_argument("--show", action="store_true", help="list mistakes in the half that rules were fitted on")
    chosen = parser.parse_args()
    known = {language: rules.parse(rules.default(language)) for language in rules.LANGUAGES}
    sentences = [each for language in rules.LANGUAGES for each in read("first", language)]
    found = {each: check(each.text, known.values()) for each in sentences}
    later = {
        name: {each: check(each.text, known.values()) for language in rules.LANGUAGES for each in read(name, language)}
        for name in ("second", "third", "fourth")
    }
    alone = {each: check(each.text, [known[each.language]]) for each in sentences}
    result: dict[str, Any] = {
        "all languages at once": {
            "fitted half": totals(found, kept_back=False),
            "kept-back half": totals(found, kept_back=True),
            "second set (fitted)": totals(later["second"]),
            "third set (fitted)": totals(later["third"]),
            "fourth set (never fitted)": totals(later["fourth"]),
        },
        "fourth set": by_category(later["fourth"]),
        "kept-back half": by_category(found, kept_back=True),
        "fitted half": by_category(found, kept_back=False),
        "the sentence's language alone": {
            "fitted half": totals(alone, kept_back=False),
            "kept-back half": totals(alone, kept_back=True),
        },
        "time": milliseconds(sentences, list(known.values())),
        "other questions": others(list(known.values())),
    }
    for name, rows in result.items():
        print(f"\n{table(rows, name)}")
    if chosen.show:
        show(found)
    write(result, chosen.json)


def read(name: str, language: str) -> list[Sentence]:
    """The sentences of a set, each in one of two halves: within a category they take turns in order of their hash."""
    lines = (SENTENCES / name / f"{language}.tsv").read_text(encoding="utf-8").splitlines()
    pairs = [tuple(line.split("\t")) for line in lines]
    turns: dict[str, int] = {}
    sentences = []
    for category, text in sorted(pairs, key=lambda pair: sha256(pair[1].encode()).hexdigest()):
        turns[category] = turns.get(category, 0) + 1
        sentences.append(Sentence(language, category, text, kept_back=turns[category] % 2 == 0))
    return sentences


def totals(found: dict[Sentence, list[Finding]], *, kept_back: bool | None = None) -> dict[str, Any]:
    """Caught: concerning sentences with any finding. False alarms: harmless ones with any."""
    half = [each for each in found if kept_back in (None, each.kept_back)]
    concerning = [each for each in half if each.category != HARMLESS]
    harmless = [each for each in half if each.category == HARMLESS]
    return {
        "caught": _share(found[each] for each in concerning),
        "with the right category": _share(
            [finding for finding in found[each] if finding.category == each.category] for each in concerning
        ),
        "false alarms": _share(found[each] for each in harmless),
    }


def by_category(found: dict[Sentence, list[Finding]], *, kept_back: bool | None = None) -> dict[str, Any]:
    rows: dict[str, Any] = {}
    for language in rules.LANGUAGES:
        rows[language] = {
            category: _share(
                findings
                for each, findings in found.items()
                if (each.language, each.category) == (language, category) and kept_back in (None, each.kept_back)
            )
            for category in (*rules.CATEGORIES, HARMLESS)
        }
    return rows


def milliseconds(sentences: Sequence[Sentence], known: Sequence[rules.Rules]) -> dict[str, Any]:
    spent: dict[str, list[float]] = {"all languages": [], "one language": []}
    for each in sentences:
        for name, chosen in (("all languages", known), ("one language", known[:1])):
            started = time.perf_counter()
            check(each.text, chosen)
            spent[name].append((time.perf_counter() - started) * 1000)
    return {name: {f"ms {key}": value for key, value in percentiles(times).items()} for name, times in spent.items()}


def others(known: Sequence[rules.Rules]) -> dict[str, Any]:
    """Alarms on the questions of other benchmarks, which nobody wrote with rules of concern in mind."""
    from benchmarks.foreign_questions import FOREIGN

    corpus = Path(__file__).parent / "corpus"
    asked = {
        "questions of the demo": [
            json.loads(line)["question"] for line in (corpus / "questions.jsonl").read_text().splitlines()
        ],
        "in other languages": [text for texts in FOREIGN.values() for text in texts.values()],
    }
    return {name: {"alarms": _share(check(text, known) for text in texts)} for name, texts in asked.items()}


def show(found: dict[Sentence, list[Finding]]) -> None:
    for each, findings in found.items():
        if not each.kept_back and (each.category == HARMLESS) == bool(findings):
            print(f"{each.language} {each.category}: {each.text}")
            for finding in findings:
                print(f"    {finding.category}, line {finding.line}: {finding.rule} ({finding.words})")


def _share(answers: Iterable[Sequence[Any]]) -> str:
    counted = [bool(answer) for answer in answers]
    return f"{sum(counted)} of {len(counted)}"


if __name__ == "__main__":
    main()
