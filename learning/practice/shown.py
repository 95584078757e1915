"""A question and an attempt as pages show them: texts with their sources, and answers in words."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from itertools import chain, repeat
from typing import Any

from chatbots.citations.markers import list_cited_numbers
from learning.material import GradedQuestion, QuestionKind, Verdict
from learning.models import Attempt, ConceptSource, Question


@dataclass(frozen=True)
class ShownQuestion:
    question: Question
    sources: list[ConceptSource]
    right: list[str] = field(default_factory=list)
    wrong: list[str] = field(default_factory=list)


@dataclass(frozen=True)
class VerdictWord:
    label: str
    icon: str
    tone: str


VERDICTS = {
    Verdict.RIGHT.value: VerdictWord("Right", "check", "good"),
    Verdict.PARTLY.value: VerdictWord("Partly right", "learning", "plain"),
    Verdict.WRONG.value: VerdictWord("Not right", "close", "warn"),
    Verdict.UNSURE.value: VerdictWord("Compare your answer", "info", "plain"),
}


@dataclass(frozen=True)
class ShownAttempt:
    attempt: Attempt
    shown: ShownQuestion
    verdict: VerdictWord
    given: list[str]

    @property
    def can_be_rated(self) -> bool:
        return self.attempt.outcome == Verdict.UNSURE

    @property
    def cited(self) -> list[ConceptSource]:
        """What feedback and explanation cite: where to read on."""
        numbers = set(self.attempt.cited) or set(self.shown.question.source_numbers)
        return [source for source in self.shown.sources if source.number in numbers]


def load_shown_questions(questions: Iterable[Question], cited: Iterable[Sequence[int]] = ()) -> list[ShownQuestion]:
    """The questions with the sources that they cite, or that are `cited` besides, which are fetched together."""
    rows = list(questions)
    sources = ConceptSource.objects.filter(concept__in={one.concept_id for one in rows})
    known = {(source.concept_id, source.number): source for source in sources}
    found = []
    for question, more in zip(rows, chain(cited, repeat(())), strict=False):
        numbers = list_cited_numbers(f"{question.prompt} {question.explanation}").union(question.source_numbers, more)
        keys = [(question.concept_id, number) for number in sorted(numbers)]
        right = describe_right_answer(question)
        choices = question.options if question.kind in (QuestionKind.SINGLE, QuestionKind.SEVERAL) else []
        wrong = [option for option in choices if option not in right]
        found.append(ShownQuestion(question, [known[key] for key in keys if key in known], right, wrong))
    return found


def load_shown_question(question: Question) -> ShownQuestion:
    return load_shown_questions([question])[0]


def load_shown_attempts(attempts: Sequence[Attempt]) -> list[ShownAttempt]:
    shown = load_shown_questions([attempt.question for attempt in attempts], [attempt.cited for attempt in attempts])
    return [
        ShownAttempt(attempt, one, VERDICTS[attempt.outcome], describe_answer(attempt.question, attempt.given))
        for attempt, one in zip(attempts, shown, strict=True)
    ]


def describe_answer(question: GradedQuestion, given: Any) -> list[str]:
    """An answer as lines for people; what does not fit the question stands as it is."""
    options, targets = question.options, question.targets
    try:
        match question.kind:
            case QuestionKind.SINGLE:
                return [options[given]]
            case QuestionKind.SEVERAL:
                return [options[index] if isinstance(index, int) else index for index in given]
            case QuestionKind.TRUTH:
                return ["True" if given else "False"]
            case QuestionKind.ORDER:
                return [f"{place}. {options[index]}" for place, index in enumerate(given, start=1)]
            case QuestionKind.MATCH:
                return [f"{option}: {targets[index]}" for option, index in zip(options, given, strict=False)]
            case _:
                return [str(given)]
    except (IndexError, TypeError):
        return [str(given)]


def describe_right_answer(question: GradedQuestion) -> list[str]:
    answer = question.answer
    match question.kind:
        case QuestionKind.CLOZE:
            return [" or ".join(answer["accepted"])]
        case QuestionKind.NUMBER:
            return [f"{answer['value']:g} {answer.get('unit', '')}".strip()]
    given = next(answer[name] for name in ("correct", "value", "order", "pairs", "reference") if name in answer)
    return describe_answer(question, given)
