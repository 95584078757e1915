"""Practice sessions: some minutes, which can be left and taken up anywhere."""

from __future__ import annotations

from collections import Counter
from datetime import timedelta

from django.db import transaction
from django.utils import timezone

from chatbots.models import Participant
from learning.models import Attempt, Concept, PracticeSession, Question, StudyPlan
from learning.practice.choosing import choose
from learning.practice.progress import get_progress


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
    attempts = Attempt.objects.filter(participant=session.participant_id, question__concept__plan=session.plan_id)
    return choose(
        questions,
        get_progress(session.plan, session.participant),
        list(session.attempts.select_related("question").order_by("answered_at", "pk")),
        Counter(attempts.values_list("question", flat=True)),
        timezone.now(),
        only_ready=session.concept_id is None,
    )
