"""A worksheet to print: numbered questions, one numbered list of their sources, and a separate key."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from string import ascii_lowercase

from learning.exports.questions import ExportedQuestion, exported_questions, right_answer
from learning.material import QuestionKind
from learning.models import Concept, StudyPlan

WRITTEN_LINES = {QuestionKind.SHORT: 4, QuestionKind.NUMBER: 1}
"""Empty lines below a question that is answered in writing. A cloze has its gap."""


@dataclass(frozen=True)
class SheetQuestion:
    """A question on the sheet. `cited` has the numbers of its sources in the list of the sheet, such as “[1] [3]”."""

    question: ExportedQuestion
    cited: str

    @property
    def options(self) -> list[tuple[str, str]]:
        truths = (self.question.words.true, self.question.words.false)
        options = truths if self.question.kind == QuestionKind.TRUTH else self.question.options
        return list(zip(ascii_lowercase, options, strict=False))

    @property
    def lines(self) -> range:
        return range(WRITTEN_LINES.get(self.question.kind, 0))

    @property
    def answer(self) -> list[str]:
        return right_answer(self.question)


@dataclass(frozen=True)
class Worksheet:
    """What the page shows. `sources` are the lines of the list of sources, in order."""

    title: str
    questions: list[SheetQuestion]
    sources: list[str]


def make_worksheet(plan: StudyPlan, concepts: Collection[Concept] | None = None) -> Worksheet:
    """Return the questions that learners may get as a worksheet; only those of `concepts`, if given."""
    numbers: dict[str, int] = {}
    questions = []
    for question in exported_questions(plan, concepts):
        cited = [numbers.setdefault(line, len(numbers) + 1) for line in question.sources]
        questions.append(SheetQuestion(question, " ".join(f"[{number}]" for number in cited)))
    return Worksheet(plan.title, questions, list(numbers))
