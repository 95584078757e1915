"""Pairs of a question and a passage to train a reader on, answerable and not.

Answerable ones come from a folder of questions for reading and one half of SQuAD's articles (see
`benchmarks.calibration.halved`).
Unanswerable ones are SQuAD's own of that half, and three kinds made here:

- near: a passage of the same set that shares most rare words with the question and does not hold the answer;
- without: the question's own passage, its answer's sentence taken out;
- changed: the question with another number, another name or an opposite, as SQuAD's authors made theirs (Rajpurkar et
  al. 2018, "Know What You Don't Know", table 2). Not with a negation: pupils ask "Why doesn't …" and mean it.
"""

from __future__ import annotations

import gzip
import json
import random
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from benchmarks.calibration import halved
from text.sentences import split_sentences

SHARES = {"squadsub": 1.0, "nqswap": 0.6, "reddit": 0.45, "amazon": 0.4, "squad": 2.0}
"""How often each answerable question is used in a round. SQuAD is nearest to a school's texts, reviews are farthest."""

MADE = {"near": 0.2, "without": 0.25, "changed": 0.35}
"""Unanswerable pairs of each kind for each answerable one, where one can be made."""

ADVERSARIAL = 3.0
"""How often each of SQuAD's own unanswerable questions is used in a round."""


@dataclass(frozen=True)
class Example:
    """A question on a passage. `start` and `end` are characters of its answer; -1 if the answer is not marked."""

    question: str
    passage: str
    answerable: bool
    start: int = -1
    end: int = -1
    origin: str = ""

    @property
    def answer(self) -> str:
        """Return the text of the answer, "" if it is not marked."""
        return self.passage[self.start : self.end] if self.start >= 0 else ""


def read_examples(reading: Path) -> list[Example]:
    """Return the questions of a folder for reading, all of them answerable."""
    return [
        Example(row["question"], row["passage"], True, row["start"], row["end"], row["set"])
        for row in read_rows(reading / "train.jsonl.gz")
        if "<Table>" not in row["passage"]
    ]


def squad_examples(squad: Path, half: int) -> list[Example]:
    """Return the questions on one half of the articles, answerable and not, each with its own paragraph."""
    passages = {row["id"]: row for row in read_rows(squad / "passages.jsonl.gz")}
    titles = set(halved({row["title"] for row in passages.values()}, half))
    found = []
    for row in read_rows(squad / "questions.jsonl.gz"):
        if row["title"] in titles:
            text, answer = passages[row["passage"]]["text"], row["answer"]
            start = text.find(answer) if row["answerable"] and answer else -1
            end = start + len(answer) if start >= 0 else -1
            found.append(Example(row["question"], text, row["answerable"], start, end, "squad"))
    return found


def rounds(reading: Path, squad: Path | None, half: int, seed: int) -> Iterator[list[Example]]:
    """Yield endless rounds of shuffled examples; what is drawn and made differs from round to round. Without a folder
    of SQuAD none of it."""
    rng = random.Random(seed)  # noqa: S311
    of_squad = squad_examples(squad, half) if squad else []
    answerable = [*read_examples(reading), *(one for one in of_squad if one.answerable)]
    adversarial = [one for one in of_squad if not one.answerable]
    near = _Near(answerable)
    while True:
        drawn = [one for one in answerable for _ in range(_times(SHARES[one.origin], rng))]
        made = [one for one in drawn if one.answer]
        examples = [
            *drawn,
            *(one for one in adversarial for _ in range(_times(ADVERSARIAL, rng))),
            *near.examples([one for one in made if rng.random() < MADE["near"]], rng),
            *_made(without_answer, made, MADE["without"], rng),
            *_made(changed_question, made, MADE["changed"], rng),
        ]
        rng.shuffle(examples)
        yield examples


def without_answer(example: Example, rng: random.Random) -> Example | None:
    """Return the pair without the sentence of its answer; None if the answer stands elsewhere or too much would go."""
    gone = [
        one for one in split_sentences(example.passage, "en") if one.start < example.end and one.end > example.start
    ]
    if not gone:
        return None
    rest = example.passage[: gone[0].start] + example.passage[gone[-1].end :].lstrip()
    if len(rest) < len(example.passage) / 3 or example.answer.casefold() in rest.casefold():
        return None
    return Example(example.question, rest, answerable=False, origin="without")


def changed_question(example: Example, rng: random.Random) -> Example | None:
    """Return the pair with a question that the passage does not answer, None if nothing in it can be changed."""
    ways = [_other_number, _other_name, _opposite]
    rng.shuffle(ways)
    changed = next(filter(None, (way(example, rng) for way in ways)), None)
    if not changed:
        return None
    return replace(example, question=changed, answerable=False, start=-1, end=-1, origin="changed")


def _made(way: Any, drawn: Sequence[Example], share: float, rng: random.Random) -> Iterable[Example]:
    return filter(None, (way(one, rng) for one in drawn if rng.random() < share))


def _times(share: float, rng: random.Random) -> int:
    return int(share) + (rng.random() < share % 1)


_NUMBER = re.compile(r"\b\d[\d,.]*\b")
_NAME = re.compile(r"(?<=[a-z,] )(?:[A-Z][\w’'-]+)(?: [A-Z][\w’'-]+)*")
_PAIRS = """
    first:last before:after largest:smallest most:least increase:decrease increased:decreased north:south east:west
    northern:southern eastern:western highest:lowest oldest:youngest best:worst more:less earlier:later
    earliest:latest win:lose won:lost begin:end began:ended start:stop started:stopped above:below
    maximum:minimum new:old rich:poor positive:negative major:minor allowed:forbidden accepted:rejected
    inside:outside left:right public:private high:low large:small long:short many:few always:never good:bad
    like:dislike likes:dislikes open:close opened:closed male:female men:women father:mother son:daughter
    husband:wife king:queen support:oppose supported:opposed gain:lose gained:lost biggest:smallest early:late
    fast:slow faster:slower heavy:light hot:cold strong:weak buy:sell bought:sold love:hate loves:hates
    easy:difficult common:rare legal:illegal success:failure cause:prevent causes:prevents caused:prevented
    include:exclude includes:excludes included:excluded agree:disagree agreed:disagreed create:destroy
    created:destroyed known:unknown possible:impossible attack:defend upper:lower longest:shortest
    modern:ancient summer:winter longer:shorter larger:smaller higher:lower
    """
_OPPOSITES = {
    one: other
    for first, second in (words.split(":") for words in _PAIRS.split())
    for one, other in ((first, second), (second, first))
}


def _other_number(example: Example, rng: random.Random) -> str | None:
    found = _NUMBER.search(example.question)
    if not found:
        return None
    other = [n for n in _NUMBER.findall(example.passage) if n != found[0] and len(n) == len(found[0])]
    digit = str((int(found[0].rstrip(".,")[-1]) + rng.randint(1, 9)) % 10)
    new = rng.choice(other) if other and rng.random() < 0.6 else found[0].rstrip(".,")[:-1] + digit
    return example.question[: found.start()] + new + example.question[found.end() :]


def _other_name(example: Example, rng: random.Random) -> str | None:
    asked = [found for found in _NAME.finditer(example.question) if found[0] in example.passage]
    others = sorted(set(_NAME.findall(example.passage)) - {found[0] for found in asked} - {example.answer})
    others = [name for name in others if name not in example.question and name not in example.answer]
    if not asked or not others:
        return None
    found = rng.choice(asked)
    other: str = rng.choice(others)
    return example.question[: found.start()] + other + example.question[found.end() :]


def _opposite(example: Example, rng: random.Random) -> str | None:
    words = example.question.split(" ")
    places = [n for n, word in enumerate(words) if word.rstrip("?,") in _OPPOSITES]
    if not places:
        return None
    place = rng.choice(places)
    bare = words[place].rstrip("?,")
    words[place] = str(_OPPOSITES[bare]) + words[place][len(bare) :]
    return " ".join(words)


class _Near:
    """Finds, within each set, passages whose words are like a question's."""

    MAX_NEAREST = 8

    def __init__(self, examples: Sequence[Example]) -> None:
        from sklearn.feature_extraction.text import TfidfVectorizer

        self._sets = {}
        for origin in sorted({one.origin for one in examples}):
            passages = sorted({one.passage for one in examples if one.origin == origin})
            words = TfidfVectorizer(sublinear_tf=True, stop_words="english")
            self._sets[origin] = (passages, words, words.fit_transform(passages))

    def examples(self, drawn: Sequence[Example], rng: random.Random) -> Iterator[Example]:
        """Yield each question with one of the nearest passages that do not hold its answer."""
        import numpy as np

        for origin, (passages, words, matrix) in self._sets.items():
            asked = [one for one in drawn if one.origin == origin]
            for begin in range(0, len(asked), 500):
                part = asked[begin : begin + 500]
                scores = (words.transform([one.question for one in part]) @ matrix.T).toarray()
                nearest = np.argpartition(-scores, self.MAX_NEAREST, axis=1)[:, : self.MAX_NEAREST]
                for one, places in zip(part, nearest, strict=True):
                    other = [passages[n] for n in places if one.answer.casefold() not in passages[n].casefold()]
                    if other:
                        yield Example(one.question, rng.choice(other), answerable=False, origin="near")


def read_rows(path: Path) -> Iterator[dict[str, Any]]:
    """Yield the rows of a gzipped file of JSON lines."""
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        yield from map(json.loads, lines)
