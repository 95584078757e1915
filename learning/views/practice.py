"""Practice: a session of some minutes, one question on a page, and a summary at the end."""

from __future__ import annotations

from uuid import UUID

from django.contrib import messages
from django.db.models import QuerySet
from django.http import HttpResponseBase
from django.shortcuts import redirect, render
from django.urls import reverse
from django.views.decorators.cache import never_cache

from chatbots.models import Participant
from learning.material import Verdict
from learning.models import Attempt, Concept, PracticeSession, Question, ReviewState
from learning.practice.answering import (
    AnswerRefused,
    answer_question,
    build_fields,
    clean_given,
    rate_attempt,
    read_given,
)
from learning.practice.progress import choose_next_concepts, get_progress
from learning.practice.sessions import end_practice_session, next_question, start_session
from learning.practice.shown import load_shown_attempts, load_shown_question
from learning.views import action, form_page, page
from learning.views.plans import STATES, find_plan
from schools.access import MemberRequest
from schools.http import find, parse_uuid


@never_cache
@form_page
def learn(request: MemberRequest, pk: UUID) -> HttpResponseBase:
    """Start a session of the plan with this id, or take up the one that was left; of one concept with `concept`."""
    plan = find_plan(request, pk)
    participant = Participant.objects.of(request.member)
    key = parse_uuid((request.POST or request.GET).get("concept"))
    concept = find(Concept.objects.for_member(request.member).filter(plan=plan), key) if key else None
    questions = Question.objects.for_member(request.member).filter(concept__plan=plan).open_to(participant)
    questions = questions.filter(concept=concept) if concept else questions
    if request.method == "POST" and questions.exists():
        session = start_session(plan=plan, participant=participant, concept=concept)
        return redirect("learning:session", session.pk)
    context = {
        "plan": plan,
        "concept": concept,
        "next": choose_next_concepts(plan, participant)[:5],
        "unfinished": _sessions(request).filter(plan=plan, concept=concept, finished_at=None).first(),
        "can_practise": questions.exists(),
    }
    return render(request, "learning/learn.html", context)


@page
def show(request: MemberRequest, pk: UUID) -> HttpResponseBase:
    """The next question of the session, the feedback on the attempt in `?attempt=`, or the summary at the end."""
    session = find_session(request, pk)
    key = parse_uuid(request.GET.get("attempt"))
    if key and (answered := _attempts(session).filter(pk=key).first()):
        return render(request, "learning/feedback.html", _context(session, one=load_shown_attempts([answered])[0]))
    question = None if session.finished_at else next_question(session)
    if question is None:
        return _summary(request, session)
    return _ask(request, session, question)


@action
def take_answer(request: MemberRequest, pk: UUID) -> HttpResponseBase:
    session = find_session(request, pk)
    if session.finished_at:
        messages.info(request, "This session is over. Your answer was not counted.")
        return redirect("learning:session", pk)
    of_plan = Question.objects.for_member(request.member).filter(concept__plan=session.plan_id)
    question = find(of_plan.select_related("concept__plan"), parse_uuid(request.POST.get("question")))
    participant = Participant.objects.of(request.member)
    try:
        given = clean_given(question, read_given(question, request.POST))
        attempt = answer_question(question=question, participant=participant, given=given, session=session)
    except AnswerRefused as reason:
        return _ask(request, session, question, problem=str(reason))
    return redirect(f"{reverse('learning:session', args=[pk])}?attempt={attempt.pk}")


@action
def rate_own_answer(request: MemberRequest, pk: UUID) -> HttpResponseBase:
    attempt = find(_attempts(find_session(request, pk)), parse_uuid(request.POST.get("attempt")))
    try:
        rate_attempt(attempt=attempt, rating=request.POST.get("rating", ""))
    except AnswerRefused as reason:
        messages.info(request, str(reason))
    return redirect(f"{reverse('learning:session', args=[pk])}?attempt={attempt.pk}")


@action
def end_practice(request: MemberRequest, pk: UUID) -> HttpResponseBase:
    session = find_session(request, pk)
    if not session.finished_at:
        end_practice_session(session)
    return redirect("learning:session", pk)


def find_session(request: MemberRequest, pk: UUID) -> PracticeSession:
    return find(_sessions(request).select_related("plan__school", "concept", "question"), pk)


def _sessions(request: MemberRequest) -> QuerySet[PracticeSession]:
    return PracticeSession.objects.for_member(request.member)


def _attempts(session: PracticeSession) -> QuerySet[Attempt]:
    return session.attempts.select_related("question__concept").order_by("answered_at", "pk")


def _context(session: PracticeSession, **more: object) -> dict[str, object]:
    left = max(0, session.plan.session_minutes * 60 - session.seconds)
    return {"session": session, "plan": session.plan, "minutes": -(-left // 60)} | more


def _ask(request: MemberRequest, session: PracticeSession, question: Question, problem: str = "") -> HttpResponseBase:
    shown = load_shown_question(question)
    context = _context(
        session,
        shown=shown,
        prompt_sources=[source for source in shown.sources if f"[{source.number}]" in question.prompt],
        **build_fields(question, request.POST),
        concept=question.concept,
        problem=problem,
        is_unreviewed=question.review == ReviewState.UNREVIEWED,
        number=session.attempts.count() + 1,
    )
    return render(request, "learning/practice.html", context, status=422 if problem else 200)


def _summary(request: MemberRequest, session: PracticeSession) -> HttpResponseBase:
    attempts = load_shown_attempts(list(_attempts(session)))
    practised = {one.attempt.question.concept_id for one in attempts}
    states = [state for state in get_progress(session.plan, session.participant) if state.concept.pk in practised]
    wrong = {one.attempt.question.concept_id for one in attempts if one.attempt.outcome != Verdict.RIGHT}
    context = _context(
        session,
        attempts=attempts,
        right=sum(one.attempt.outcome == Verdict.RIGHT for one in attempts),
        well=[(state, STATES[state.state]) for state in states if state.concept.pk not in wrong],
        again=[(state, STATES[state.state]) for state in states if state.concept.pk in wrong],
        next_due=min((state.due_at for state in states if state.due_at), default=None),
    )
    return render(request, "learning/summary.html", context)
