"""Which concepts are weak and which questions mislead, over all learners. Never by person."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Collection
from dataclasses import dataclass
from uuid import UUID

from learning.material import QuestionKind, Verdict
from learning.models import Attempt, Concept, Question, StudyPlan

ATTEMPTS_TO_JUDGE = 8
"""Answers before a question is called misleading."""

MIN_SHARE_RIGHT, MIN_MISTAKES = 0.3, 3
"""Share of right answers below which a question misleads, and how often a mistake is made that is named."""


@dataclass(frozen=True)
class ConceptStatistics:
    """Answers to the questions of a concept. `share_right` is None if there is no judged answer."""

    concept: Concept
    learners: int
    attempts: int
    share_right: float | None


@dataclass(frozen=True)
class QuestionStatistics:
    """Answers to a question. `mistake` is the wrong option that is chosen most, `times` how often; "" if few do."""

    question: Question
    attempts: int
    share_right: float | None
    mistake: str = ""
    times: int = 0

    @property
    def is_misleading(self) -> bool:
        """Whether few get it right. Not before ATTEMPTS_TO_JUDGE answers."""
        few = self.share_right is not None and self.share_right < MIN_SHARE_RIGHT
        return few and self.attempts >= ATTEMPTS_TO_JUDGE


@dataclass(frozen=True)
class _Answer:
    question: UUID
    concept: UUID
    learner: UUID
    given: object
    is_right: bool


def concept_statistics(plan: StudyPlan) -> list[ConceptStatistics]:
    """Return the answers of all learners to each concept of a plan, in the order of teaching.

    Answers that nobody could judge do not count.
    """
    by_concept = defaultdict(list)
    for answer in _answers(plan):
        by_concept[answer.concept].append(answer)
    return [
        ConceptStatistics(
            concept=concept,
            learners=len({answer.learner for answer in by_concept[concept.pk]}),
            attempts=len(by_concept[concept.pk]),
            share_right=_share_right(by_concept[concept.pk]),
        )
        for concept in Concept.objects.active().filter(plan=plan).order_by("position", "pk")
    ]


def question_statistics(plan: StudyPlan) -> list[QuestionStatistics]:
    """Return the answers of all learners to each question of a plan, likewise."""
    by_question = defaultdict(list)
    for answer in _answers(plan):
        by_question[answer.question].append(answer)
    rows = Question.objects.filter(concept__plan=plan, concept__removed_at__isnull=True).select_related("concept")
    return [
        QuestionStatistics(one, len(found), _share_right(found), *_find_mistake(one, found))
        for one in rows.order_by("concept__position", "created_at", "pk")
        for found in [by_question[one.pk]]
    ]


def _find_mistake(question: Question, answers: Collection[_Answer]) -> tuple[str, int]:
    if question.kind != QuestionKind.SINGLE:
        return "", 0
    right = question.answer["correct"]  # as it is now: it may have been edited since
    given = [one.given for one in answers if not one.is_right and isinstance(one.given, int)]
    wrong = Counter(option for option in given if option != right)
    [(option, times)] = wrong.most_common(1) or [(0, 0)]
    is_named = times >= MIN_MISTAKES and option < len(question.options)
    return (question.options[option], times) if is_named else ("", 0)


def _answers(plan: StudyPlan) -> list[_Answer]:
    rows = Attempt.objects.filter(question__concept__plan=plan, question__concept__removed_at__isnull=True)
    rows = rows.exclude(verdict=Verdict.UNSURE.value)
    values = rows.order_by("answered_at", "pk").values_list(
        "question_id", "question__concept_id", "participant_id", "given", "verdict"
    )
    return [_Answer(a, b, who, given, verdict == Verdict.RIGHT) for a, b, who, given, verdict in values]


def _share_right(answers: Collection[_Answer]) -> float | None:
    return sum(answer.is_right for answer in answers) / len(answers) if answers else None
