"""Plain values that the making of a plan passes on, concepts with their passages and draft questions; and grades.

They know nothing of the ORM, so that finding concepts, making questions and grading are pure functions.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Protocol

from django.db.models import TextChoices

from chatbots.citations.markers import MARKER, list_cited_numbers, strip_markers
from chatbots.passages import NumberedPassage
from corpus.passages import Passage

MAX_CONCEPTS = 60
"""A plan has at most so many concepts (G1); a trigger in the first migration enforces this."""

MAX_NAME_LENGTH, MAX_DEFINITION_LENGTH = 120, 1000
"""Characters of a concept."""

WORDS = Path(__file__).parent / "words"
"""The folder of the words that finding concepts and making questions need, a file for each language."""


CONTROL = re.compile("[\x00-\x08\x0b-\x1f\x7f\ud800-\udfff]")
"""Characters of which PostgreSQL stores neither NUL nor halves, and which no file should have."""


class ValuesRefused(Exception):
    """What somebody sent is invalid. `reasons` says why, in words, by field; "" is the whole of it."""

    def __init__(self, reasons: Mapping[str, str]) -> None:
        super().__init__(" ".join(reasons.values()))
        self.reasons = dict(reasons)


class QuestionKind(TextChoices):
    SINGLE = "single", "Single choice"
    SEVERAL = "several", "Several choices"
    CLOZE = "cloze", "Fill in the gap"
    TRUTH = "truth", "True or false"
    NUMBER = "number", "Number"
    ORDER = "order", "Put in order"
    MATCH = "match", "Match pairs"
    SHORT = "short", "Short answer"


@dataclass(frozen=True)
class FoundConcept:
    """A concept of a text: its name as written, one sentence that defines it, and the passage with that sentence.

    `prerequisites` are names of other concepts that are learnt before it. `synonyms` are other words for it, such as an
    abbreviation. `passages` are those that speak of it, the best first, `defined_in` among them. `is_marked` says that
    the author made it stand out as a term. `questions` are those that a language model or the author wrote.
    """

    name: str
    definition: str
    defined_in: Passage
    passages: tuple[Passage, ...]
    synonyms: tuple[str, ...] = ()
    prerequisites: tuple[str, ...] = ()
    is_marked: bool = False
    questions: tuple[DraftQuestion, ...] = ()

    def as_text(self) -> ConceptText:
        numbered = [
            NumberedPassage(number, one.document_title, one.heading_path, one.text, one.excerpt)
            for number, one in enumerate(self.passages, 1)
        ]
        return ConceptText(self.name, self.definition, tuple(numbered), self.synonyms)


@dataclass(frozen=True)
class ConceptText:
    """A concept with its sources as questions and answers cite them: passages numbered from 1."""

    name: str
    definition: str
    passages: tuple[NumberedPassage, ...]
    synonyms: tuple[str, ...] = ()


class GradedQuestion(Protocol):
    """What grading reads of a question; a row and a `DraftQuestion` both have it."""

    @property
    def kind(self) -> str: ...
    @property
    def prompt(self) -> str: ...
    @property
    def options(self) -> Sequence[str]: ...
    @property
    def targets(self) -> Sequence[str]: ...
    @property
    def answer(self) -> Mapping[str, Any]: ...
    @property
    def explanation(self) -> str: ...


@dataclass(frozen=True)
class DraftQuestion:
    """A practice question. `explanation` cites with [n]; `sources` are the numbers of the passages that it needs.

    `prompt` may contain [n] as well. By kind:

    - single: `options`, answer {"correct": index}
    - several: `options`, answer {"correct": [indexes]}
    - cloze: the gap in the prompt is "____"; answer {"accepted": [words]}
    - truth: no options; answer {"value": bool, "reason": the true sentence}
    - number: answer {"value": float, "unit": str, "tolerance": relative, such as 0.02}
    - order: `options` as shown, answer {"order": [indexes of the options, in the right order]}
    - match: `options` and `targets`, answer {"pairs": [index of the target of each option]}
    - short: answer {"reference": a model answer in a sentence}
    """

    kind: QuestionKind
    prompt: str
    answer: Mapping[str, Any]
    explanation: str
    sources: tuple[int, ...]
    options: tuple[str, ...] = ()
    targets: tuple[str, ...] = ()
    made_by: str = ""
    """The language model, or "" for rules."""

    def as_fields(self) -> dict[str, Any]:
        """Return what of it a row of the database has."""
        return {
            "prompt": self.prompt,
            "options": list(self.options),
            "targets": list(self.targets),
            "answer": dict(self.answer),
            "explanation": self.explanation,
            "source_numbers": sorted(set(self.sources)),
        }

    def renumber(self, numbers: Mapping[int, int]) -> DraftQuestion:
        """Return it with other numbers of its sources; a number that has no other becomes 0, which is none."""

        def cite(text: str) -> str:
            return MARKER.sub(lambda found: f"[{numbers.get(int(found[1]), 0)}]", text)

        sources = tuple(sorted({numbers.get(number, 0) for number in self.sources}))
        return replace(self, prompt=cite(self.prompt), explanation=cite(self.explanation), sources=sources)


class Verdict(TextChoices):
    """The result of an answer. Unsure means that the learner compares it and rates it."""

    RIGHT = "right", "Right"
    PARTLY = "partly", "Partly right"
    WRONG = "wrong", "Wrong"
    UNSURE = "unsure", "Not sure"


@dataclass(frozen=True)
class Grade:
    """The verdict on an answer. `feedback` says what was right, what is missing and where to read on, with [n].

    `share` is the right part of the answer, between 0 and 1.
    """

    verdict: Verdict
    feedback: str
    share: float
    cited: tuple[int, ...] = ()


_OPENINGS = {
    Verdict.RIGHT: "Right.",
    Verdict.PARTLY: "Partly right.",
    Verdict.WRONG: "Not right.",
    Verdict.UNSURE: "",  # the page says it, and it may be rated later
}


def grade_by_share(share: float, said: Sequence[str], explanation: str, *, chance: float = 0.0) -> Grade:
    """Return the verdict by a share of right parts: right if it is whole, partly if it is better than `chance`."""
    verdict = Verdict.RIGHT if share >= 1 else Verdict.PARTLY if share > chance else Verdict.WRONG
    return make_grade(verdict, share, said, explanation)


def make_grade(
    verdict: Verdict, share: float, said: Sequence[str], explanation: str, cited: Sequence[int] = ()
) -> Grade:
    """Return a grade with its feedback: the verdict, the sentences `said`, and the sources `cited`, or else those of
    the explanation."""
    numbers = tuple(cited) or tuple(sorted(list_cited_numbers(explanation)))
    markers = "".join(f"[{number}]" for number in numbers)
    read_on = [] if not markers else [markers if verdict == Verdict.RIGHT else f"Read on in {markers}."]
    feedback = " ".join(filter(None, [_OPENINGS[verdict], *said, *read_on]))
    return Grade(verdict, feedback, min(max(share, 0.0), 1.0), numbers)


def quote_text(text: str) -> str:
    """Return a text of the question between quotation marks, without markers of its own."""
    return f"“{strip_markers(text).strip()}”"


def join_texts(texts: Sequence[str]) -> str:
    return ", ".join(map(quote_text, texts))
