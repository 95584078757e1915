"""Practice for pupils: the questions of a study plan that is open to the class, one on a page."""

from __future__ import annotations

import contextlib
from typing import Any
from uuid import UUID

from django.http import HttpRequest
from django.http.response import HttpResponseBase
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.views.decorators.http import require_http_methods

from classrooms.disclosure import disclose_practice
from classrooms.flagging import check_practised, find_care_in_practice, get_settings
from classrooms.joining.pupils import MAX_ANSWERS, list_askable_chatbots
from classrooms.joining.visiting import pupil_required
from classrooms.models import Pupil, SourcesShown
from learning.material import QuestionKind, Verdict
from learning.models import Attempt, PracticeSession, Question, StudyPlan
from learning.practice.answering import (
    AnswerRefused,
    answer_question,
    build_fields,
    clean_given,
    rate_attempt,
    read_given,
)
from learning.practice.sessions import next_question, start_session
from learning.practice.shown import load_shown_attempts, load_shown_question
from schools.http import find, parse_uuid


@require_http_methods(["GET", "POST"])
@pupil_required
def practise(request: HttpRequest, pupil: Pupil, pk: UUID) -> HttpResponseBase:
    """The next question of the tutor's plan, the feedback on the attempt in `?attempt=`, or the end of a session."""
    tutor = find(list_askable_chatbots(pupil.class_link).filter(is_tutor=True), pk)
    if not get_settings(pupil.school).allows_practice:
        return render(
            request, "classrooms/no_practice.html", {"pupil": pupil, "link": pupil.class_link, "tutor": tutor}
        )
    plan = get_object_or_404(StudyPlan, tutor=tutor)
    if request.method == "POST":
        return _rate(request, pupil, plan) if "rating" in request.POST else _answer(request, pupil, plan)
    sessions = PracticeSession.objects.filter(participant=pupil.participant_id, plan=plan)
    key = parse_uuid(request.GET.get("attempt"))
    if key:
        attempt = find(_attempts(pupil, plan), key)
        care = find_care_in_practice(pupil, [attempt.given, attempt.feedback], plan.language)
        return _page(request, pupil, plan, "feedback", one=load_shown_attempts([attempt])[0], care=care)
    over = find(sessions, parse_uuid(request.GET["over"])) if request.GET.get("over") else None
    if over and over.finished_at:
        attempts = list(over.attempts.all())
        right = sum(one.outcome == Verdict.RIGHT for one in attempts)
        return _page(request, pupil, plan, "end", right=right, asked=len(attempts))
    session = start_session(plan=plan, participant=pupil.participant)
    question = next_question(session)
    if question is None:
        return redirect(f"{_address(pupil, plan)}?over={session.pk}")
    return _question(request, pupil, plan, question)


def _answer(request: HttpRequest, pupil: Pupil, plan: StudyPlan) -> HttpResponseBase:
    session = start_session(plan=plan, participant=pupil.participant)
    questions = Question.objects.shown().filter(concept__plan=plan, concept__removed_at=None)
    question = find(questions.select_related("concept__plan"), parse_uuid(request.POST.get("question")))
    given: Any = ""
    try:
        given = clean_given(question, read_given(question, request.POST))
        if held := check_practised(pupil, given if isinstance(given, str) else "", plan.language):
            return _question(request, pupil, plan, question, care=held)
        attempt = answer_question(
            question=question, participant=pupil.participant, given=given, session=session, max_a_day=MAX_ANSWERS
        )
    except AnswerRefused as reason:
        return _question(request, pupil, plan, question, problem=str(reason))
    if question.kind == QuestionKind.SHORT:
        held = check_practised(pupil, attempt.feedback, plan.language, is_of_answer=True)
        if held:
            Attempt.objects.filter(pk=attempt.pk).update(feedback=held, cited=[])
    return redirect(f"{_address(pupil, plan)}?attempt={attempt.pk}")


def _rate(request: HttpRequest, pupil: Pupil, plan: StudyPlan) -> HttpResponseBase:
    attempt = find(_attempts(pupil, plan), parse_uuid(request.POST.get("attempt")))
    with contextlib.suppress(AnswerRefused):  # the page shows what it was rated before
        rate_attempt(attempt=attempt, rating=request.POST["rating"])
    return redirect(f"{_address(pupil, plan)}?attempt={attempt.pk}")


def _question(
    request: HttpRequest, pupil: Pupil, plan: StudyPlan, question: Question, *, problem: str = "", care: str = ""
) -> HttpResponseBase:
    more: dict[str, object] = {"problem": problem, "care": care, "shown": load_shown_question(question)}
    more |= build_fields(question, request.POST)
    return _page(request, pupil, plan, "question", status=422 if problem or care else 200, **more)


def _page(
    request: HttpRequest, pupil: Pupil, plan: StudyPlan, what: str, *, status: int = 200, **more: object
) -> HttpResponseBase:
    context = {
        "pupil": pupil,
        "link": pupil.class_link,
        "plan": plan,
        "address": _address(pupil, plan),
        "disclosure": disclose_practice(pupil.school, plan.language),
        "shows_sources": pupil.class_link.sources_shown == SourcesShown.ALL,
        "shows_titles": pupil.class_link.sources_shown != SourcesShown.NONE,
        **more,
    }
    return render(request, f"classrooms/practice_{what}.html", context, status=status)


def _attempts(pupil: Pupil, plan: StudyPlan) -> Any:
    rows = Attempt.objects.filter(participant=pupil.participant_id, question__concept__plan=plan)
    return rows.select_related("question__concept")


def _address(pupil: Pupil, plan: StudyPlan) -> str:
    return reverse("classrooms:practise", args=[pupil.class_link.code, plan.tutor_id])
