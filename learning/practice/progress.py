"""What a learner knows of a plan, by concept, and what is practised next."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from uuid import UUID

from django.db.models import Count
from django.utils import timezone

from chatbots.models import Participant
from learning.models import Concept, ConceptProgress, Prerequisite, Question, StudyPlan
from learning.practice.spaced_repetition import is_forgotten, is_learnt, retrievability

WEAK_FROM, WEAK_BELOW = 2, 0.5
"""A concept is weak from so many answers on, if a smaller share of them is right."""


class LearningState(StrEnum):
    """How a learner stands with a concept. The first that holds: new, weak, due, known, learning."""

    NEW = "new"
    LEARNING = "learning"
    KNOWN = "known"
    WEAK = "weak"
    DUE = "due"


RANKS = {
    LearningState.WEAK: 1,
    LearningState.NEW: 2,
    LearningState.LEARNING: 3,
    LearningState.DUE: 3,
    LearningState.KNOWN: 5,
}
"""What is practised earlier, after what was practised and is due."""


@dataclass(frozen=True)
class ConceptState:
    """A concept with the progress of a learner.

    `requires` are its prerequisites, `needs` those that are not known: one without questions holds nobody up.
    `retrievability` is the probability of recalling it now, None before the first answer.
    """

    concept: Concept
    attempts: int
    right: int
    retrievability: float | None
    due_at: datetime | None
    state: LearningState
    requires: list[Concept]
    needs: list[Concept]
    questions: int

    @property
    def ready(self) -> bool:
        return not self.needs

    def is_due(self, now: datetime) -> bool:
        """Whether it was practised, and is to be repeated by now."""
        return bool(self.attempts and self.due_at and self.due_at <= now)

    def rank(self, now: datetime, *, only_ready: bool = True) -> int | None:
        """The lower, the earlier; None for a concept that has to wait for its prerequisites."""
        if self.state == LearningState.NEW and only_ready and not self.ready:
            return None
        return 0 if self.is_due(now) else RANKS[self.state]


def get_progress(plan: StudyPlan, participant: Participant) -> list[ConceptState]:
    return get_progress_by_plan([plan], participant)[plan.pk]


def get_progress_by_plan(plans: Sequence[StudyPlan], participant: Participant) -> dict[UUID, list[ConceptState]]:
    """Return the progress of a learner with all concepts of each plan, in the order of teaching, by the key of it."""
    now = timezone.now()
    active = Concept.objects.active().filter(plan__in=plans).order_by("position", "pk")
    concepts = {concept.pk: concept for concept in active}
    progress = ConceptProgress.objects.filter(participant=participant, concept__plan__in=plans)
    rows = {row.concept_id: row for row in progress}
    shown = Question.objects.open_to(participant).filter(concept__plan__in=plans, concept__removed_at__isnull=True)
    questions = dict(shown.order_by().values_list("concept").annotate(Count("pk")))
    requires = defaultdict(list)
    links = Prerequisite.objects.filter(concept__plan__in=plans).order_by("requires__position", "requires")
    for link in links:
        if link.requires_id in concepts:
            requires[link.concept_id].append(concepts[link.requires_id])
    found: dict[UUID, list[ConceptState]] = {plan.pk: [] for plan in plans}
    for key, concept in concepts.items():
        needs = [one for one in requires[key] if not _is_known(rows.get(one.pk), questions.get(one.pk, 0))]
        row = rows.get(key)
        attempts, right = (row.attempts, row.right) if row else (0, 0)
        state = ConceptState(
            concept=concept,
            attempts=attempts,
            right=right,
            retrievability=retrievability(row.card, now) if row else None,
            due_at=row.due_at if row and attempts else None,
            state=get_state(row, now) if row else LearningState.NEW,
            requires=requires[key],
            needs=needs,
            questions=questions.get(key, 0),
        )
        found[concept.plan_id].append(state)
    return found


def choose_next_concepts(plan: StudyPlan, participant: Participant) -> list[Concept]:
    """Return what a learner should practise: what is due, then what is weak, then new concepts that are ready.

    Each group is in the order of teaching. Concepts without questions are left out.
    """
    now = timezone.now()
    ranked = [(one.rank(now), one.concept) for one in get_progress(plan, participant) if one.questions]
    return [concept for wanted in range(3) for rank, concept in ranked if rank == wanted]


def _is_known(row: ConceptProgress | None, questions: int) -> bool:
    """Whether a prerequisite holds nobody up: it was learnt, or there is nothing left to learn it by."""
    if row is None:
        return questions == 0
    return is_learnt(row.card) or row.right >= questions


def get_state(row: ConceptProgress, now: datetime) -> LearningState:
    if not row.attempts:
        return LearningState.NEW
    fails = row.attempts >= WEAK_FROM and row.right < WEAK_BELOW * row.attempts
    if is_forgotten(row.card) or (fails and not is_learnt(row.card)):
        return LearningState.WEAK
    if row.due_at <= now:
        return LearningState.DUE
    return LearningState.KNOWN if is_learnt(row.card) else LearningState.LEARNING
