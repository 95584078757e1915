"""Which concepts are weak and which questions mislead, over all learners. Never by person."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from statistics import StatisticsError, correlation
from uuid import UUID

from learning.material import Verdict
from learning.models import Attempt, Concept, Question, StudyPlan

LEARNERS_TO_COMPARE = 5
"""Learners that a discrimination needs: with fewer it says nothing."""

ATTEMPTS_TO_JUDGE = 8
"""Answers before a question is called misleading."""

MIN_DISCRIMINATION, MIN_SHARE_RIGHT = 0.1, 0.3


@dataclass(frozen=True)
class ConceptStatistics:
    """Answers to the questions of a concept. `share_right` is None if there is no judged answer."""

    concept: Concept
    learners: int
    attempts: int
    share_right: float | None


@dataclass(frozen=True)
class QuestionStatistics:
    """Answers to a question. `discrimination` lies between -1 and 1: do those who know the rest get it right?

    It is None with fewer than LEARNERS_TO_COMPARE learners, and where all were right or all wrong.
    """

    question: Question
    attempts: int
    share_right: float | None
    discrimination: float | None

    @property
    def is_misleading(self) -> bool:
        """Whether few get it right, or those who know the rest do not. Not before ATTEMPTS_TO_JUDGE answers."""
        if self.attempts < ATTEMPTS_TO_JUDGE or self.share_right is None:
            return False
        tells_nothing = self.discrimination is not None and self.discrimination < MIN_DISCRIMINATION
        return tells_nothing or self.share_right < MIN_SHARE_RIGHT


@dataclass(frozen=True)
class _Answer:
    question: UUID
    concept: UUID
    learner: UUID
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
    """Return the answers of all learners to each question of a plan, likewise.

    The discrimination is the point-biserial correlation, over learners, of the first answer to the question (1 right,
    0 not) with the share of right first answers to the other questions. Later answers have seen the feedback.
    """
    answers = _answers(plan)
    by_question, first = defaultdict(list), defaultdict[UUID, dict[UUID, bool]](dict)
    for answer in answers:
        by_question[answer.question].append(answer)
        first[answer.learner].setdefault(answer.question, answer.is_right)
    rows = Question.objects.filter(concept__plan=plan, concept__removed_at__isnull=True).select_related("concept")
    return [
        QuestionStatistics(
            question=question,
            attempts=len(by_question[question.pk]),
            share_right=_share_right(by_question[question.pk]),
            discrimination=discrimination(question.pk, first),
        )
        for question in rows.order_by("concept__position", "created_at", "pk")
    ]


def discrimination(question: UUID, first: Mapping[UUID, Mapping[UUID, bool]]) -> float | None:
    """Return the point-biserial correlation for a question; `first` has the first answers by learner and question."""
    own, rest = [], []
    for answers in first.values():
        others = [is_right for key, is_right in answers.items() if key != question]
        if question in answers and others:
            own.append(float(answers[question]))
            rest.append(sum(others) / len(others))
    if len(own) < LEARNERS_TO_COMPARE:
        return None
    try:
        return correlation(own, rest)
    except StatisticsError:  # all alike
        return None


def _answers(plan: StudyPlan) -> list[_Answer]:
    """All judged answers, the oldest first."""
    rows = Attempt.objects.filter(question__concept__plan=plan, question__concept__removed_at__isnull=True)
    rows = rows.exclude(verdict=Verdict.UNSURE.value)
    values = rows.order_by("answered_at", "pk").values_list(
        "question_id", "question__concept_id", "participant_id", "verdict"
    )
    return [_Answer(question, concept, who, verdict == Verdict.RIGHT) for question, concept, who, verdict in values]


def _share_right(answers: Collection[_Answer]) -> float | None:
    return sum(answer.is_right for answer in answers) / len(answers) if answers else None
