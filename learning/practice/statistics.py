"""What answers say: how much one learner knows; and over all of them, what is weak and which questions mislead."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from statistics import mean
from typing import Any

from django.db.models import Count, Q, QuerySet

from chatbots.models import Participant
from learning.material import QuestionKind, Verdict
from learning.models import Attempt, Concept, Question, StudyPlan
from learning.practice.answering import find_grader


@dataclass(frozen=True)
class Score:
    """`share` is between 0 and 1; `answered` of `concepts` have an answer, to so many `questions`."""

    share: float
    answered: int
    concepts: int
    questions: int

    @property
    def is_complete(self) -> bool:
        return self.answered == self.concepts


def compute_score(plan: StudyPlan, participant: Participant) -> Score:
    """The mean over the concepts that have questions: each counts by the right parts of the last answers to its
    questions, 0 without one.

    Nobody can grade themselves: without a language model short answers are compared by the learner, and do not count.
    """
    shown = Question.objects.shown().filter(concept__plan=plan, concept__removed_at=None)
    attempts = Attempt.objects.filter(participant=participant).exclude(verdict=Verdict.UNSURE.value)
    if not find_grader():
        shown = shown.exclude(kind=QuestionKind.SHORT)
        attempts = attempts.exclude(question__kind=QuestionKind.SHORT)
    concepts = set(shown.order_by().values_list("concept", flat=True).distinct())
    last = attempts.filter(question__in=shown).order_by("question_id", "-answered_at", "-pk").distinct("question_id")
    by_concept: dict[object, list[float]] = defaultdict(list)
    for concept, share in last.values_list("question__concept", "share"):
        by_concept[concept].append(share)
    share = sum(map(mean, by_concept.values())) / (len(concepts) or 1)
    return Score(share, len(by_concept), len(concepts), sum(map(len, by_concept.values())))


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
class Mistake:
    """A wrong option of a single choice, and how often it was chosen."""

    question: Question
    option: str
    times: int


def concept_statistics(plan: StudyPlan) -> list[ConceptStatistics]:
    """Return the answers of all learners to each concept of a plan, in the order of teaching.

    Answers that nobody could judge do not count.
    """
    rows: Any = Concept.objects.active().filter(plan=plan).annotate(**_count("questions__attempts"))
    return [
        ConceptStatistics(one, one.learners, one.judged, _share(one.right, one.judged))
        for one in rows.order_by("position", "pk")
    ]


def question_statistics(plan: StudyPlan) -> list[QuestionStatistics]:
    """Return the answers of all learners to each question of a plan, likewise."""
    made = find_mistakes(Attempt.objects.filter(question__concept__plan=plan))
    mistakes = {one.question.pk: (one.option, one.times) for one in reversed(made)}
    rows = Question.objects.filter(concept__plan=plan, concept__removed_at__isnull=True).select_related("concept")
    counted: Any = rows.annotate(**_count("attempts")).order_by("concept__position", "created_at", "pk")
    return [
        QuestionStatistics(one, one.judged, _share(one.right, one.judged), *mistakes.get(one.pk, ("", 0)))
        for one in counted
    ]


def find_mistakes(attempts: QuerySet[Attempt], counted: str = "pk") -> list[Mistake]:
    """Return which of the present options are often chosen wrongly, the worst first."""
    rows = attempts.filter(verdict=Verdict.WRONG, question__kind=QuestionKind.SINGLE).values_list("question", "given")
    often = rows.annotate(times=Count(counted, distinct=True)).filter(times__gte=MIN_MISTAKES)
    found = list(often.order_by("-times", "question", "given"))
    questions = Question.objects.select_related("concept").in_bulk({key for key, *_ in found})
    return [
        Mistake(one, one.options[given], times)
        for key, given, times in found
        for one in [questions[key]]
        if isinstance(given, int) and given < len(one.options) and given != one.answer["correct"]
    ]


def _count(attempts: str) -> dict[str, Count]:
    judged = Q(**{f"{attempts}__verdict__in": [one for one in Verdict.values if one != Verdict.UNSURE]})
    return {
        "learners": Count(f"{attempts}__participant", filter=judged, distinct=True),
        "judged": Count(attempts, filter=judged),
        "right": Count(attempts, filter=Q(**{f"{attempts}__verdict": Verdict.RIGHT})),
    }


def _share(right: int, judged: int) -> float | None:
    return right / judged if judged else None
