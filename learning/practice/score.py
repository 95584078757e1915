"""How much of a plan a learner has shown to know, as one number."""

from __future__ import annotations

from dataclasses import dataclass

from chatbots.models import Participant
from learning.material import QuestionKind, Verdict
from learning.models import Attempt, Question, StudyPlan
from learning.practice.answering import find_grader


@dataclass(frozen=True)
class Score:
    """`share` is between 0 and 1; `answered` of `concepts` have an answer."""

    share: float
    answered: int
    concepts: int

    @property
    def is_complete(self) -> bool:
        return self.answered == self.concepts


def compute_score(plan: StudyPlan, participant: Participant) -> Score:
    """The mean over the concepts that have questions: each counts by the right part of its last answer, 0 without one.

    Nobody can grade themselves: without a language model short answers are compared by the learner, and do not count.
    """
    shown = Question.objects.shown().filter(concept__plan=plan, concept__removed_at=None)
    attempts = Attempt.objects.filter(participant=participant).exclude(verdict=Verdict.UNSURE.value)
    if not find_grader():
        shown = shown.exclude(kind=QuestionKind.SHORT)
        attempts = attempts.exclude(question__kind=QuestionKind.SHORT)
    concepts = set(shown.order_by().values_list("concept", flat=True).distinct())
    last = (
        attempts.filter(question__concept__in=concepts)
        .order_by("question__concept_id", "-answered_at", "-pk")
        .distinct("question__concept_id")
    )
    shares = list(last.values_list("share", flat=True))
    return Score(sum(shares) / len(concepts) if concepts else 0.0, len(shares), len(concepts))
