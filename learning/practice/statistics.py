"""What answers say: how much one learner knows, and which wrong options many choose."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from statistics import mean

from django.db.models import Count, QuerySet

from chatbots.models import Participant
from learning.material import QuestionKind, Verdict
from learning.models import Attempt, Question, StudyPlan
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


MIN_MISTAKES = 3
"""How often a wrong option is chosen that is named."""


@dataclass(frozen=True)
class Mistake:
    """A wrong option of a single choice, and how often it was chosen."""

    question: Question
    option: str
    times: int


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
