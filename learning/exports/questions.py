"""The questions of a plan as plain values for files, without markers and with sources in words; and as a worksheet."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from string import ascii_lowercase
from typing import Any
from uuid import UUID

from chatbots.citations.markers import strip_markers
from chatbots.models import SourceSnapshot
from learning.material import QuestionKind
from learning.models import Concept, Question, StudyPlan
from learning.practice.shown import ShownQuestion, describe_right_answer, load_shown_questions
from learning.questions.wording import get_wording

EMPTY_LINES = {QuestionKind.SHORT: 4, QuestionKind.NUMBER: 1}
"""On paper, below a question that is answered in writing. A cloze has its gap."""


@dataclass(frozen=True)
class ExportedQuestion:
    """A question that can leave Lectern. `answer` is as in `learning.material.DraftQuestion`.

    `prompt` and `explanation` have no [n]; `sources` are lines such as “Rivers, Erosion · page 3”.
    """

    id: UUID
    concept: str
    kind: QuestionKind
    prompt: str
    options: tuple[str, ...]
    targets: tuple[str, ...]
    answer: Mapping[str, Any]
    explanation: str
    sources: tuple[str, ...]
    words: Mapping[str, str]

    @property
    def feedback(self) -> str:
        """The explanation, and on lines of its own what it is from."""
        return "\n\n".join(part for part in (self.explanation, self.source_lines) if part)

    @property
    def source_lines(self) -> str:
        if not self.sources:
            return ""
        name = self.words["source"] if len(self.sources) == 1 else self.words["sources"]
        return f"{name}: {'; '.join(self.sources)}"

    @property
    def right_answer(self) -> list[str]:
        if self.kind == QuestionKind.TRUTH:
            said = self.words["true"] if self.answer["value"] else self.words["false"]
            reason = strip_markers(str(self.answer.get("reason", "")))
            return [said] if self.answer["value"] or not reason else [f"{said}. {reason}"]
        return [strip_markers(line) for line in describe_right_answer(self)]

    @property
    def pairs(self) -> list[tuple[str, str]]:
        """What is matched with what: of a matching question, and the steps of an ordering one with their places."""
        if self.kind == QuestionKind.MATCH:
            return [(text, self.targets[n]) for text, n in zip(self.options, self.answer["pairs"], strict=True)]
        places = {index: place for place, index in enumerate(self.answer["order"], start=1)}
        return [(text, f"{self.words['place']} {places[index]}") for index, text in enumerate(self.options)]

    @property
    def lettered(self) -> list[tuple[str, str]]:
        """The options on paper."""
        truths = (self.words["true"], self.words["false"])
        return list(zip(ascii_lowercase, truths if self.kind == QuestionKind.TRUTH else self.options, strict=False))

    @property
    def empty_lines(self) -> range:
        return range(EMPTY_LINES.get(self.kind, 0))


def exported_questions(plan: StudyPlan, concepts: Collection[Concept] | None = None) -> list[ExportedQuestion]:
    """Return the questions that learners may get, by concept; only those of `concepts`, if given."""
    rows = Question.objects.shown().filter(concept__plan=plan, concept__removed_at__isnull=True)
    rows = rows if concepts is None else rows.filter(concept__in=concepts)
    questions = rows.select_related("concept").order_by("concept__position", "concept", "created_at", "pk")
    return [_exported(one, get_wording(plan.language)) for one in load_shown_questions(questions)]


def source_line(source: SourceSnapshot) -> str:
    """A source in words: title, place, revision and the address of a web page."""
    web = source.address if source.address.startswith(("http://", "https://")) else ""
    parts = [source.document_title, source.where, source.revision if web else "", web]
    return ", ".join(" ".join(part.split()) for part in parts if part.strip())


def make_worksheet(
    plan: StudyPlan, concepts: Collection[Concept] | None = None
) -> tuple[list[tuple[ExportedQuestion, str]], list[str]]:
    """Return the questions that learners may get, only those of `concepts` if given, and one list of their sources.

    With each question come the numbers of its sources in that list, such as “[1] [3]”.
    """
    numbers: dict[str, int] = {}
    rows = []
    for question in exported_questions(plan, concepts):
        cited = [numbers.setdefault(line, len(numbers) + 1) for line in question.sources]
        rows.append((question, " ".join(f"[{number}]" for number in cited)))
    return rows, list(numbers)


def _exported(shown: ShownQuestion, words: Mapping[str, str]) -> ExportedQuestion:
    question = shown.question
    return ExportedQuestion(
        id=question.pk,
        concept=question.concept.name,
        kind=QuestionKind(question.kind),
        prompt=strip_markers(question.prompt),
        options=tuple(map(strip_markers, question.options)),
        targets=tuple(map(strip_markers, question.targets)),
        answer=question.answer,
        explanation=strip_markers(question.explanation),
        sources=tuple(dict.fromkeys(map(source_line, shown.sources))),
        words=words,
    )
