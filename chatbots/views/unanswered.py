"""A teacher’s unanswered questions and, for admins, the topics that the library lacks."""

from __future__ import annotations

import time
from datetime import datetime, timedelta
from typing import Any
from uuid import UUID

from django.contrib import messages
from django.http import HttpResponse, HttpResponseBase
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_GET, require_POST

from chatbots.insights import topics, unanswered
from chatbots.insights.plots import plot_unanswered, plot_unanswered_by_chatbot
from chatbots.models import Chatbot, Message
from corpus.progress import time_left
from engines.errors import EngineError
from schools.access import MemberRequest, admin_required, member_required
from schools.http import find, parse_uuid

MAX_SHOWN = 50
"""Questions on the page."""
MAX_SEARCHES = 100
"""Questions that are searched for again at once."""
STEP_SECONDS = 2.0


@never_cache
@require_GET
@member_required
def index(request: MemberRequest) -> HttpResponseBase:
    """The unanswered questions of all own chatbots or of one."""
    chatbot = _chosen(request, request.GET.get("chatbot", ""))
    key = chatbot.pk if chatbot else None
    questions = unanswered.list_unanswered(request.member, chatbot=key)
    context: dict[str, Any] = {
        "chatbot": chatbot,
        "questions": questions[:MAX_SHOWN],
        "over_time": plot_unanswered(questions),
        "by_chatbot": None if chatbot else plot_unanswered_by_chatbot(questions),
        "more": max(len(questions) - MAX_SHOWN, 0),
        "dismissed": unanswered.list_unanswered(request.member, chatbot=key, dismissed=True)[:MAX_SHOWN],
    }
    return render(request, "chatbots/unanswered.html", context)


@require_POST
@member_required
def search_again(request: MemberRequest, pk: UUID) -> HttpResponseBase:
    """Search for one of them again."""
    return _search_again(request, [unanswered.find_group(request.member, _refusal(request, pk))])


@require_POST
@member_required
def search_all_again(request: MemberRequest) -> HttpResponseBase:
    """Search for all of them again; for the script in steps, each answered with how far it is."""
    chatbot = _chosen(request, request.POST.get("chatbot", ""))
    found = unanswered.list_unanswered(request.member, chatbot=chatbot.pk if chatbot else None)
    if not request.headers.get("HX-Request"):
        return _search_again(request, found[:MAX_SEARCHES])
    return _step(request, found[:MAX_SEARCHES])


def _step(request: MemberRequest, found: list[unanswered.UnansweredQuestion]) -> HttpResponse:
    """Search for some of those that were not searched for since the first step, which only says how many there are."""
    began, until = _moment(request.POST.get("began", "")), time.monotonic() + STEP_SECONDS
    if began is None:
        return _how_far(request, len(found), found, timezone.now())
    waiting = [question for question in found if not question.was_tried_since(began)]
    try:
        while waiting:
            if not unanswered.search_again(waiting[0]):
                return _searched(request, [one for one in found if one not in waiting], found)
            waiting.pop(0)
            if time.monotonic() >= until:
                break
    except EngineError as problem:
        messages.error(request, str(problem))
        return _back(request)
    return _how_far(request, len(waiting), found, began) if waiting else _searched(request, found, found)


def _how_far(
    request: MemberRequest, waiting: int, found: list[unanswered.UnansweredQuestion], began: datetime
) -> HttpResponse:
    done = len(found) - waiting
    context = {
        "chatbot": request.POST.get("chatbot", ""),
        "began": began.isoformat(),
        "done": done,
        "total": len(found),
        "left": time_left(done, len(found), since=began),
    }
    return render(request, "chatbots/_searching_again.html", context)


def _moment(text: str) -> datetime | None:
    try:
        moment = datetime.fromisoformat(text)
    except ValueError:
        return None
    return moment if moment.tzinfo else None


@require_POST
@member_required
def dismiss(request: MemberRequest, pk: UUID) -> HttpResponseBase:
    message = _refusal(request, pk)
    if message.dismissed_at is None:
        unanswered.set_dismissed(unanswered.find_group(request.member, message), is_dismissed=True)
    messages.success(request, "Dismissed. You can find it below if you want it back.")
    return _back(request)


@require_POST
@member_required
def reopen(request: MemberRequest, pk: UUID) -> HttpResponseBase:
    message = _refusal(request, pk)
    if message.dismissed_at is not None:
        unanswered.set_dismissed(unanswered.find_group(request.member, message), is_dismissed=False)
    return _back(request)


@never_cache
@require_GET
@admin_required
def library_gaps(request: MemberRequest) -> HttpResponseBase:
    """The topics that the library lacks: never a question, never a person."""
    gaps = topics.find_library_gaps(request.member.school, timezone.localdate())
    context = {
        "gaps": gaps,
        "last": gaps.until - timedelta(days=1),
        "people": topics.MIN_PEOPLE_PER_TOPIC,
        "school": topics.MIN_PEOPLE,
        "months": topics.MONTHS,
    }
    return render(request, "chatbots/library_gaps.html", context)


def _refusal(request: MemberRequest, pk: UUID) -> Message:
    return find(unanswered.refused_messages(request.member).select_related("chat__chatbot__school"), pk)


def _chosen(request: MemberRequest, text: str) -> Chatbot | None:
    """The chatbot that a form or URL names; 404 if there is none."""
    return find(Chatbot.objects.for_member(request.member), parse_uuid(text)) if text else None


def _search_again(request: MemberRequest, found: list[unanswered.UnansweredQuestion]) -> HttpResponse:
    try:
        tried = [question for question in found if unanswered.search_again(question)]
    except EngineError as problem:
        messages.error(request, str(problem))
        return _back(request)
    return _searched(request, tried, found)


def _searched(
    request: MemberRequest, tried: list[unanswered.UnansweredQuestion], found: list[unanswered.UnansweredQuestion]
) -> HttpResponse:
    now = sum(bool(one.tried.get("found")) and not one.tried.get("same") for one in tried)
    if tried:
        messages.success(request, f"Searched again: {now} of {len(tried)} would be answered now.")
    if len(tried) < len(found):
        left = len(found) - len(tried)
        what = "One question" if left == 1 else f"{left} questions"
        messages.warning(request, f"{what} could not be searched for just now. Please try again in a moment.")
    return _back(request)


def _back(request: MemberRequest) -> HttpResponse:
    """Redirect to the list that was on the screen."""
    chatbot = _chosen(request, request.POST.get("chatbot", ""))
    query = f"?chatbot={chatbot.pk}" if chatbot else ""
    page = reverse("chatbots:gaps") + query
    return HttpResponse(headers={"HX-Redirect": page}) if request.headers.get("HX-Request") else redirect(page)
