"""Sessions of practice, and which question is asked next."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Sequence
from datetime import timedelta
from uuid import UUID

from django.db import transaction
from django.utils import timezone

from chatbots.models import Participant
from learning.material import Verdict
from learning.models import Attempt, Concept, PracticeSession, Question, StudyPlan
from learning.practice.progress import RANKS, ConceptState, LearningState, get_progress

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
        shown = Question.objects.open_to(session.participant)
        shown = shown.filter(concept__plan=session.plan, concept__removed_at__isnull=True)
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
