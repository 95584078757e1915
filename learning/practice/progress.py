"""What a learner knows of a plan by spaced repetition, one fsrs card a concept; sessions, and what is asked next."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum
from typing import Any
from uuid import UUID

from django.db import transaction
from django.db.models import Count
from django.utils import timezone
from fsrs import Card, Rating, Scheduler, State

from chatbots.models import Participant
from learning.material import Verdict
from learning.models import Attempt, Concept, ConceptProgress, PracticeSession, Prerequisite, Question, StudyPlan

_SCHEDULER = Scheduler(enable_fuzzing=False)
"""With the default parameters of fsrs, fitted on many learners. Without fuzzing, equal answers are due together."""

_RATINGS = {Verdict.RIGHT: Rating.Good, Verdict.PARTLY: Rating.Hard, Verdict.WRONG: Rating.Again}
"""`Verdict.UNSURE` is no review: the learner is to say first whether the answer was right."""

_UNUSED_ID = 1  # one card a row: without an id fsrs would sleep to make a unique one


def new_card(now: datetime) -> dict[str, object]:
    return dict(Card(card_id=_UNUSED_ID, due=now).to_dict())


def review(card: dict[str, object], verdict: Verdict, now: datetime) -> tuple[dict[str, Any], datetime]:
    """Return the card after an answer, and when it is due. Neither changes if the verdict is unsure."""
    before = _load(card)
    rating = _RATINGS.get(verdict)
    if rating is None:
        return card, before.due
    after, _ = _SCHEDULER.review_card(before, rating, now)
    return dict(after.to_dict()), after.due


def retrievability(card: dict[str, object], now: datetime) -> float | None:
    """Return the probability from 0 to 1 that the learner recalls the concept, None before the first review."""
    loaded = _load(card)
    return None if loaded.last_review is None else _SCHEDULER.get_card_retrievability(loaded, now)


def is_learnt(card: dict[str, object]) -> bool:
    """Whether the card has passed the steps of learning, and was not forgotten since."""
    return _load(card).state == State.Review


def is_forgotten(card: dict[str, object]) -> bool:
    """Whether the concept was learnt once, and the last review found it forgotten."""
    return _load(card).state == State.Relearning


def _load(card: dict[str, object]) -> Card:
    return Card.from_dict(card)  # type: ignore[arg-type]


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
    shown = Question.objects.shown().filter(concept__plan__in=plans, concept__removed_at__isnull=True)
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


EASIEST_FIRST = ("single", "cloze", "match", "truth", "several", "order", "number", "short")
"""Kinds of questions."""


def start_session(*, plan: StudyPlan, participant: Participant, concept: Concept | None = None) -> PracticeSession:
    """Return the unfinished session of a learner about a plan, or about one of its concepts; a new one if there is none
    or it was left more than a day ago."""
    with transaction.atomic():
        Participant.objects.select_for_update(no_key=True).get(pk=participant.pk)  # one session, however often clicked
        rows = PracticeSession.objects.filter(participant=participant, plan=plan, concept=concept)
        for session in rows.filter(finished_at__isnull=True):
            last = session.attempts.order_by("-answered_at").values_list("answered_at", flat=True).first()
            if timezone.now() - (last or session.started_at) <= timedelta(days=1):
                return session
            end_practice_session(session)
        return PracticeSession.objects.create(
            school_id=plan.school_id, participant=participant, plan=plan, concept=concept
        )


def next_question(session: PracticeSession) -> Question | None:
    """Return the question that is being asked, or else choose the next one.

    None if the time of the session is over or nothing is left to ask; the session is finished then. A question that
    was withdrawn while it was asked is replaced.
    """
    with transaction.atomic():
        Participant.objects.select_for_update(no_key=True).get(pk=session.participant_id)
        session.refresh_from_db()
        if session.finished_at is not None:
            return None
        shown = Question.objects.shown().filter(concept__plan=session.plan, concept__removed_at__isnull=True)
        shown = shown.filter(concept=session.concept_id) if session.concept_id else shown
        if session.question_id and (asked := shown.filter(pk=session.question_id).first()):
            return asked
        is_over = session.seconds >= 60 * session.plan.session_minutes
        session.question = None if is_over else _choose(session, list(shown.select_related("concept")))
        if session.question is None:
            end_practice_session(session)
        else:
            session.save(update_fields=["question"])
        return session.question


def end_practice_session(session: PracticeSession) -> None:
    if session.finished_at is None:
        session.finished_at, session.question = timezone.now(), None
        session.save(update_fields=["finished_at", "question"])


def _choose(session: PracticeSession, questions: list[Question]) -> Question | None:
    """Return the question to ask next, None if nothing is left.

    First what is due, then what is weak, then new concepts whose prerequisites are known, each by the order of
    teaching; then what is being learnt or known already. Of a concept, what was asked least, by the easiest kind while
    it is new, and by the kind that was least used in this session later. Not the same concept twice in a row. No
    question comes twice, unless it was answered wrong; it waits then until others were asked.
    """
    states = {one.concept.pk: one for one in get_progress(session.plan, session.participant)}
    ranks = _rank(states.values(), only_ready=session.concept_id is None)
    answered = list(session.attempts.select_related("question").order_by("answered_at", "pk"))
    earlier = Attempt.objects.filter(participant=session.participant_id, question__concept__plan=session.plan_id)
    times_asked = Counter(earlier.values_list("question", flat=True))
    kinds = Counter(one.question.kind for one in answered)
    last = answered[-1].question.concept_id if answered else None

    def weigh(question: Question) -> tuple[int, bool, int, int, int, int, UUID]:
        key, kind, state = question.concept_id, question.kind, states[question.concept_id]
        ease, used = EASIEST_FIRST.index(kind), kinds[kind]
        first, second = (ease, used) if state.attempts < 2 else (used, ease)
        times = times_asked[question.pk]
        return ranks[key], key == last, state.concept.position, times, first, second, question.pk

    open_ones = [question for question in questions if question.concept_id in ranks]
    for waits_for in (3, 1):  # other answers, before a wrong one is asked again
        if left := [question for question in open_ones if _may_be_asked(question.pk, answered, waits_for)]:
            return min(left, key=weigh)
    return None


def _rank(states: Collection[ConceptState], *, only_ready: bool) -> dict[UUID, int]:
    """Return the ranks of the concepts that may be asked about; new ones wait while several others are being learnt."""
    now, is_full = timezone.now(), sum(one.state == LearningState.LEARNING for one in states) >= 4
    ranks = {one.concept.pk: one.rank(now, only_ready=only_ready) for one in states}
    new = RANKS[LearningState.NEW]
    return {key: 4 if rank == new and is_full else rank for key, rank in ranks.items() if rank is not None}


def _may_be_asked(question: UUID, answered: Sequence[Attempt], waits_for: int) -> bool:
    places = [place for place, one in enumerate(answered) if one.question_id == question]
    if not places:
        return True
    return answered[places[-1]].outcome == Verdict.WRONG and len(answered) - places[-1] > waits_for
