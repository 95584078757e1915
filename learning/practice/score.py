"""How much of a plan a learner has shown to know, as one number."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from statistics import mean

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
