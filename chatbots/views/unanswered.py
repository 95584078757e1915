"""A teacher’s unanswered questions and, for admins, the topics that the library lacks."""

from __future__ import annotations

from datetime import timedelta
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
from chatbots.models import Chatbot, Message
from engines.errors import EngineError
from schools.access import MemberRequest, admin_required, member_required
from schools.http import find, parse_uuid

MAX_SHOWN = 50
"""Questions on the page."""
MAX_SEARCHES = 25
"""Questions that are searched for again at once, within seconds."""


@never_cache
@require_GET
@member_required
def show_unanswered(request: MemberRequest) -> HttpResponseBase:
    chatbot = _chosen(request, request.GET.get("chatbot", ""))
    key = chatbot.pk if chatbot else None
    questions = unanswered.list_unanswered(request.member, chatbot=key)
    context: dict[str, Any] = {
        "chatbot": chatbot,
        "questions": questions[:MAX_SHOWN],
        "searched": MAX_SEARCHES,
        "more": max(len(questions) - MAX_SHOWN, 0),
        "dismissed": unanswered.list_unanswered(request.member, chatbot=key, dismissed=True)[:MAX_SHOWN],
    }
    return render(request, "chatbots/unanswered.html", context)


@require_POST
@member_required
def search_unanswered(request: MemberRequest, pk: UUID) -> HttpResponseBase:
    """Search for one of them again."""
    return _search_again(request, [unanswered.find_group(request.member, _refusal(request, pk))])


@require_POST
@member_required
def search_all_again(request: MemberRequest) -> HttpResponseBase:
    chatbot = _chosen(request, request.POST.get("chatbot", ""))
    found = unanswered.list_unanswered(request.member, chatbot=chatbot.pk if chatbot else None)
    return _search_again(request, found[:MAX_SEARCHES])


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
    return find(unanswered.list_refused_messages(request.member).select_related("chat__chatbot__school"), pk)


def _chosen(request: MemberRequest, text: str) -> Chatbot | None:
    """The chatbot that a form or URL names; 404 if there is none."""
    return find(Chatbot.objects.for_member(request.member), parse_uuid(text)) if text else None


def _search_again(request: MemberRequest, found: list[unanswered.UnansweredQuestion]) -> HttpResponse:
    try:
        tried = [question for question in found if unanswered.search_again(question)]
    except EngineError as problem:
        messages.error(request, str(problem))
        return _back(request)
    now = sum(bool(one.tried.get("found")) and not one.tried.get("same") for one in tried)
    if tried:
        messages.success(request, f"Searched again: {now} of {len(tried)} would be answered now.")
    if left := len(found) - len(tried):
        what = "One question" if left == 1 else f"{left} questions"
        messages.warning(request, f"{what} could not be searched for just now. Please try again in a moment.")
    return _back(request)


def _back(request: MemberRequest) -> HttpResponse:
    """Redirect to the list that was on the screen."""
    chatbot = _chosen(request, request.POST.get("chatbot", ""))
    return redirect(reverse("chatbots:gaps") + (f"?chatbot={chatbot.pk}" if chatbot else ""))
