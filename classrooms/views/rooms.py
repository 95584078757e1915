"""A pupil's pages: the chatbots of the class, raised hands, and sources as far as allowed. The pages of conversations
are those of `chatbots.views.chats`."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from http import HTTPStatus
from typing import cast
from uuid import UUID

from django.http import Http404, HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import redirect, render
from django.views.decorators.http import require_GET, require_POST

from chatbots.citations.source_view import render_stored_text
from chatbots.conversations.audience import AudiencePolicy
from chatbots.conversations.page import load_page
from chatbots.conversations.thread import load_exchange
from chatbots.models import Chatbot, Message, MessageSource
from classrooms import hands
from classrooms.audience import PupilPolicy
from classrooms.flagging import get_settings, is_held, may_be_held
from classrooms.joining import pupils
from classrooms.joining.visiting import pupil_required
from classrooms.models import Pupil, SourcesShown
from schools import rate_limits
from schools.http import find, parse_uuid


def for_pupils(
    view: Callable[[HttpRequest, AudiencePolicy, UUID], HttpResponseBase],
) -> Callable[[HttpRequest, str, UUID], HttpResponseBase]:
    """Make a view of conversations one of pupils."""

    @pupil_required
    @wraps(view)
    def for_pupil(request: HttpRequest, pupil: Pupil, pk: UUID) -> HttpResponseBase:
        return view(request, PupilPolicy(pupil), pk)

    return for_pupil


@require_GET
@pupil_required
def room(request: HttpRequest, pupil: Pupil) -> HttpResponseBase:
    """The chatbots of the class; the only one opens by itself."""
    chatbots = pupils.list_askable_chatbots(pupil.class_link)
    if len(chatbots) == 1:
        return redirect("classrooms:new-chat", pupil.class_link.code, chatbots[0].pk)
    policy = PupilPolicy(pupil)
    context = policy.get_context() | {"chatbots": chatbots, "chats": policy.list_chats()}
    context["may_practise"] = get_settings(pupil.school).allows_practice
    return render(request, "classrooms/room.html", context)


@require_GET
@pupil_required
def answered(request: HttpRequest, pupil: Pupil, pk: UUID) -> HttpResponseBase:
    """For an open page, which asks again and again: those of its exchanges in `?waiting=` to which the teacher has
    come meanwhile."""
    waiting = [key for one in request.GET.getlist("waiting")[:20] if (key := parse_uuid(one))]
    policy = PupilPolicy(pupil)
    news = list(hands.filter_no_longer_waiting(waiting, find(policy.get_chats(), pk)))
    if not news:
        return HttpResponse(status=HTTPStatus.NO_CONTENT)
    context = policy.get_context() | {"exchanges": [load_exchange(one) for one in news]}
    return render(request, "classrooms/_answered.html", context)


@require_POST
@pupil_required
def ask_teacher(request: HttpRequest, pupil: Pupil, pk: UUID) -> HttpResponseBase:
    """Ask the teacher about an answer, or take that back."""
    policy = PupilPolicy(pupil)
    message, is_raised = find(policy.get_messages(), pk), request.POST.get("raised") == "on"
    if is_raised and not rate_limits.take(rate_limits.HANDS, pupil.school_id, pupil.pk).allowed:
        words = "You have asked your teacher many times. Wait a minute, then try again."
        return _refuse(request, policy, message, words)
    hands.raise_hand(message, is_raised=is_raised)
    if not request.headers.get("HX-Request"):
        return redirect(policy.get_url("chat", message.chat_id))
    shown = policy.show(load_exchange(find(policy.get_messages(), pk)))
    return render(request, policy.exchange_template, shown)


@require_GET
@pupil_required
def source(request: HttpRequest, pupil: Pupil, pk: UUID) -> HttpResponseBase:
    """The stored text of a source with the passage marked, if pupils may open sources."""
    if pupil.class_link.sources_shown != SourcesShown.ALL:
        raise Http404("There is nothing here.")
    policy = PupilPolicy(pupil)
    rows = MessageSource.objects.filter(school=pupil.school_id, message__in=policy.get_messages())
    found = find(rows.select_related("message"), pk)
    if is_held(found.message) or may_be_held(found.message):
        raise Http404("There is nothing here.")
    context = policy.get_context() | {
        "source": found,
        "text": render_stored_text(found, found.message.answer, anchor=True),
    }
    return render(request, "classrooms/source.html", context)


def _refuse(request: HttpRequest, policy: PupilPolicy, message: Message, words: str) -> HttpResponseBase:
    if not request.headers.get("HX-Request"):
        chat = message.chat
        context = load_page(request, policy, cast(Chatbot, chat.chatbot), chat) | {"words": words}
        return render(request, policy.get_template("chat"), context, status=HTTPStatus.TOO_MANY_REQUESTS)
    response = render(request, "classrooms/_told.html", {"words": words}, status=HTTPStatus.UNPROCESSABLE_ENTITY)
    response["HX-Retarget"], response["HX-Reswap"] = "#not-now", "innerHTML"
    return response
