"""Practice sessions: some minutes, which can be left and taken up anywhere, and the question that comes next."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from uuid import UUID

from django.db import transaction
from django.utils import timezone

from chatbots.models import Participant
from learning.material import QuestionKind, Verdict
from learning.models import Attempt, Concept, PracticeSession, Question, StudyPlan
from learning.practice.progress import RANKS, ConceptState, LearningState, get_progress

EASIEST_FIRST = (
    QuestionKind.SINGLE,
    QuestionKind.CLOZE,
    QuestionKind.MATCH,
    QuestionKind.TRUTH,
    QuestionKind.SEVERAL,
    QuestionKind.ORDER,
    QuestionKind.NUMBER,
    QuestionKind.SHORT,
)


def choose(
    questions: Sequence[Question],
    states: Sequence[ConceptState],
    answered: Sequence[Attempt],
    times_asked: Mapping[UUID, int],
    now: datetime,
    *,
    only_ready: bool = True,
) -> Question | None:
    """Return the question to ask next, None if nothing is left.

    First what is due, then what is weak, then new concepts whose prerequisites are known, each by the order of
    teaching; then what is being learnt or known already. `times_asked` counts earlier answers of the learner in all
    sessions, `answered` are those of this one, the oldest first. No question comes twice, unless it was answered wrong;
    it waits then until others were asked.
    """
    by_concept = {state.concept.pk: state for state in states}
    is_full = sum(one.state == LearningState.LEARNING for one in states) >= 4
    ranks = {
        key: 4 if rank == RANKS[LearningState.NEW] and is_full else rank
        for key, state in by_concept.items()
        if (rank := state.rank(now, only_ready=only_ready)) is not None
    }
    open_ones = [question for question in questions if question.concept_id in ranks]
    for waits_for in (3, 1):  # other answers, before a wrong one is asked again
        if left := [question for question in open_ones if _may_be_asked(question.pk, answered, waits_for)]:
            return min(left, key=lambda question: _key(question, by_concept, ranks, answered, times_asked))
    return None


def _may_be_asked(question: UUID, answered: Sequence[Attempt], waits_for: int) -> bool:
    places = [place for place, one in enumerate(answered) if one.question_id == question]
    if not places:
        return True
    return answered[places[-1]].outcome == Verdict.WRONG and len(answered) - places[-1] > waits_for


def _key(
    question: Question,
    states: Mapping[UUID, ConceptState],
    ranks: Mapping[UUID, int],
    answered: Sequence[Attempt],
    times_asked: Mapping[UUID, int],
) -> tuple[int, bool, int, int, int, int, UUID]:
    """By the rank of the concept, not the same concept twice in a row, then its place in the order of teaching; what
    was asked least; the easiest kind for a new concept, the kind that was least used in this session for others."""
    state = states[question.concept_id]
    kinds = Counter(one.question.kind for one in answered)
    ease = EASIEST_FIRST.index(QuestionKind(question.kind))
    is_new = state.attempts < 2
    return (
        ranks[question.concept_id],
        bool(answered) and answered[-1].question.concept_id == question.concept_id,
        state.concept.position,
        times_asked.get(question.pk, 0),
        ease if is_new else kinds[question.kind],
        kinds[question.kind] if is_new else ease,
        question.pk,
    )


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
