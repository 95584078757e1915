"""A worksheet to print: numbered questions, one numbered list of their sources, and a separate key."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from string import ascii_lowercase
from uuid import UUID

from chatbots.citations.markers import MARKER, strip_markers
from chatbots.models import SourceSnapshot
from learning.exports.questions import (
    ExportedQuestion,
    numbers_of,
    right_answer,
    shown_questions,
    source_line,
    sources_of,
)
from learning.exports.words import words_of
from learning.material import QuestionKind
from learning.models import Concept, Question, StudyPlan

WRITTEN_LINES = {QuestionKind.SHORT: 4, QuestionKind.NUMBER: 1, QuestionKind.CLOZE: 0}
"""Empty lines below a question that is answered in writing. A cloze has its gap."""


@dataclass(frozen=True)
class SheetQuestion:
    """A question on the sheet. [n] in its texts are numbers of the sheet's list of sources.

    `options` and `targets` have a letter or number each; `lines` is how many empty lines there are to write on.
    """

    number: int
    concept: str
    kind: str
    prompt: str
    options: list[tuple[str, str]]
    targets: list[tuple[str, str]]
    lines: range


@dataclass(frozen=True)
class SheetKey:
    """The right answer of the question with this number."""

    number: int
    answer: list[str]
    explanation: str
    sources: list[int]


@dataclass(frozen=True)
class Worksheet:
    """What the page shows: the questions, the lines of the sources in the order of their numbers, and the key."""

    title: str
    questions: list[SheetQuestion] = field(default_factory=list)
    sources: list[tuple[int, str]] = field(default_factory=list)
    key: list[SheetKey] = field(default_factory=list)


def make_worksheet(plan: StudyPlan, concepts: Sequence[Concept] | None = None) -> Worksheet:
    """The questions that learners may get as a worksheet; only those of some concepts, where they are named."""
    chosen = None if concepts is None else {concept.pk for concept in concepts}
    rows = [row for row in shown_questions(plan) if chosen is None or row.concept_id in chosen]
    sources, listed = sources_of(rows), _SourceList()
    sheet = Worksheet(plan.title)
    for number, row in enumerate(rows, start=1):
        found = {n: sources[row.concept_id, n] for n in numbers_of(row) if (row.concept_id, n) in sources}
        numbers = {n: listed.number_of(source) for n, source in found.items()}
        sheet.questions.append(_question(row, number, numbers, plan.language))
        sheet.key.append(_key(row, number, numbers, plan.language))
    sheet.sources.extend(enumerate(listed.lines, start=1))
    return sheet


class _SourceList:
    """The sources of a sheet: each line once, numbered from 1 in the order of first use."""

    def __init__(self) -> None:
        self.lines: list[str] = []

    def number_of(self, source: SourceSnapshot) -> int:
        line = source_line(source)
        if line not in self.lines:
            self.lines.append(line)
        return self.lines.index(line) + 1


def _question(row: Question, number: int, numbers: dict[int, int], language: str) -> SheetQuestion:
    kind, words = QuestionKind(row.kind), words_of(language)
    options = [words.true, words.false] if kind == QuestionKind.TRUTH else row.options
    return SheetQuestion(
        number=number,
        concept=row.concept.name,
        kind=row.get_kind_display(),
        prompt=_renumbered(row.prompt, numbers),
        options=list(zip(ascii_lowercase, map(strip_markers, options), strict=False)),
        targets=[(str(place), strip_markers(target)) for place, target in enumerate(row.targets, start=1)],
        lines=range(WRITTEN_LINES.get(kind, 0)),
    )


def _key(row: Question, number: int, numbers: dict[int, int], language: str) -> SheetKey:
    plain = ExportedQuestion(
        id=UUID(str(row.pk)),
        concept=row.concept.name,
        kind=QuestionKind(row.kind),
        prompt=row.prompt,
        options=tuple(strip_markers(option) for option in row.options),
        targets=tuple(strip_markers(target) for target in row.targets),
        answer=row.answer,
        explanation="",
        sources=(),
        words=words_of(language),
    )
    return SheetKey(
        number=number,
        answer=right_answer(plain),
        explanation=_renumbered(row.explanation, numbers),
        sources=sorted(set(numbers.values())),
    )


def _renumbered(text: str, numbers: dict[int, int]) -> str:
    """The text with [n] as the sheet numbers its sources; a marker without a source is dropped."""
    return MARKER.sub(lambda found: f"[{numbers[int(found[1])]}]" if int(found[1]) in numbers else "", text)
