"""A pupil's pages: the chatbots of the class, conversations, the stream of an answer, and sources as far as allowed."""

from __future__ import annotations

from http import HTTPStatus
from typing import Any
from uuid import UUID

import uuid_utils.compat
from django.http import Http404, HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import redirect, render
from django.template.loader import render_to_string
from django.urls import reverse
from django.utils.html import format_html
from django.views.decorators.http import require_GET, require_http_methods, require_POST

from chatbots.citations.source_view import stored_text
from chatbots.conversations import asking
from chatbots.conversations.thread import load_exchange, load_newer, load_thread
from chatbots.models import Channel, Chat, Chatbot, Message, MessageSource
from chatbots.streaming import jobs
from chatbots.streaming.access import Reader
from chatbots.streaming.page_events import events
from chatbots.streaming.responses import event_stream
from classrooms import hands
from classrooms.audience import PupilPolicy
from classrooms.flagging import is_held, may_be_held, settings_of
from classrooms.joining import pupils, visiting
from classrooms.joining.visiting import pupil_required
from classrooms.models import OnConcern, Pupil, SourcesShown
from schools import rate_limits
from schools.http import find, parse_uuid

CHATS_LISTED = 20
MOST_WAITING = 20
"""Exchanges about which an open page asks whether the teacher has come to them."""
LOST = "Your class was paused or closed, or your teacher has paused you. Your question is kept."


@require_GET
@pupil_required
def room(request: HttpRequest, pupil: Pupil) -> HttpResponseBase:
    """The chatbots of the class; the only one opens by itself."""
    chatbots = pupils.askable(pupil.class_link)
    if len(chatbots) == 1:
        return redirect("classrooms:new-chat", pupil.class_link.code, chatbots[0].pk)
    context = {"pupil": pupil, "link": pupil.class_link, "chatbots": chatbots, "chats": _chats(pupil)}
    return render(request, "classrooms/room.html", context)


@require_http_methods(["GET", "POST"])
@pupil_required
def new_chat(request: HttpRequest, pupil: Pupil, pk: UUID) -> HttpResponseBase:
    """A new conversation. Its first question creates it."""
    chatbot = _chatbot(pupil, pk)
    return _ask(request, pupil, chatbot, None) if request.method == "POST" else _page(request, pupil, chatbot, None)


@require_http_methods(["GET", "POST"])
@pupil_required
def chat(request: HttpRequest, pupil: Pupil, pk: UUID) -> HttpResponseBase:
    """A conversation of the pupil, and its further questions."""
    found = find(_all_chats(pupil), pk)
    assert found.chatbot
    if request.method == "POST":
        return _ask(request, pupil, found.chatbot, found)
    return _page(request, pupil, found.chatbot, found)


@require_GET
@pupil_required
def answered(request: HttpRequest, pupil: Pupil, pk: UUID) -> HttpResponseBase:
    """For an open page, which asks again and again: those of its exchanges in `?waiting=` to which the teacher has
    come meanwhile."""
    waiting = [key for one in request.GET.getlist("waiting")[:MOST_WAITING] if (key := parse_uuid(one))]
    news = list(hands.no_longer_waiting(waiting, find(_all_chats(pupil), pk)))
    if not news:
        return HttpResponse(status=HTTPStatus.NO_CONTENT)
    context = _told(pupil) | {"exchanges": [load_exchange(one) for one in news]}
    return render(request, "classrooms/_answered.html", context)


@require_GET
@pupil_required
def stream(request: HttpRequest, pupil: Pupil, pk: UUID) -> HttpResponseBase:
    """The growing answer as server-sent events."""
    find(_messages(pupil), pk)

    def render_turn(pk: UUID) -> str:
        message = _messages(pupil).filter(pk=pk).first()
        if message is None:
            return format_html('<p class="notice" role="status"><span>{}</span></p>', LOST)
        return render_to_string("classrooms/_exchange.html", _exchange(pupil, message), request)

    def render_sources(message: Message) -> str:
        return render_to_string("classrooms/_notes.html", _told(pupil) | {"message": message}, request)

    reader = Reader(guest=pupil.participant_id, message=pk)
    cites = pupil.class_link.sources_shown != SourcesShown.NONE
    holds = settings_of(pupil.school).on_concern == OnConcern.HOLD
    return event_stream(
        events(pk, reader, render_sources=render_sources, render_done=render_turn, cites=cites, holds=holds, lost=LOST)
    )


@require_GET
@pupil_required
def exchange(request: HttpRequest, pupil: Pupil, pk: UUID) -> HttpResponseBase:
    """One exchange in its current state."""
    return render(request, "classrooms/_exchange.html", _exchange(pupil, find(_messages(pupil), pk)))


@require_POST
@pupil_required
def stop(request: HttpRequest, pupil: Pupil, pk: UUID) -> HttpResponseBase:
    """Stop an answer that is being written."""
    message = find(_messages(pupil), pk)
    jobs.stop(message.pk)
    return _shown(request, pupil, pk)


@require_POST
@pupil_required
def again(request: HttpRequest, pupil: Pupil, pk: UUID) -> HttpResponseBase:
    """Answer a question again whose answer failed."""
    message = find(_messages(pupil), pk)
    if message.has_failed:
        try:
            message = asking.ask_again(message=message, channel=Channel.CLASS, policy=PupilPolicy(pupil))
        except Message.DoesNotExist:
            raise Http404("There is nothing here.") from None
        if not message.is_finished:
            jobs.start(message)
    return _shown(request, pupil, message.pk)


@require_POST
@pupil_required
def raise_hand(request: HttpRequest, pupil: Pupil, pk: UUID) -> HttpResponseBase:
    """Ask the teacher about an answer, or take that back."""
    message, is_raised = find(_messages(pupil), pk), request.POST.get("raised") == "on"
    if is_raised and not rate_limits.take(rate_limits.HANDS, pupil.school_id, pupil.pk).allowed:
        return _refuse(request, "You have asked your teacher many times. Wait a minute, then try again.")
    hands.raise_hand(message, is_raised=is_raised)
    return _shown(request, pupil, pk)


@require_GET
@pupil_required
def source(request: HttpRequest, pupil: Pupil, pk: UUID) -> HttpResponseBase:
    """The stored text of a source with the passage marked, if pupils may open sources."""
    if pupil.class_link.sources_shown != SourcesShown.ALL:
        raise Http404("There is nothing here.")
    rows = MessageSource.objects.filter(school=pupil.school_id, message__in=_messages(pupil))
    found = find(rows.select_related("message"), pk)
    if is_held(found.message) or may_be_held(found.message):
        raise Http404("There is nothing here.")
    context = _told(pupil) | {"source": found, "text": stored_text(found, found.message.answer, anchor=True)}
    return render(request, "classrooms/source.html", context)


def _refuse(request: HttpRequest, words: str) -> HttpResponseBase:
    if not request.headers.get("HX-Request"):
        return visiting.told(request, words, HTTPStatus.TOO_MANY_REQUESTS)
    response = render(request, "classrooms/_told.html", {"words": words}, status=HTTPStatus.UNPROCESSABLE_ENTITY)
    response["HX-Retarget"], response["HX-Reswap"] = "#not-now", "innerHTML"
    return response


def _ask(request: HttpRequest, pupil: Pupil, chatbot: Chatbot, chat: Chat | None) -> HttpResponseBase:
    question = request.POST.get("question", "")
    if chat and not _may_go_on(pupil, chatbot):
        raise Http404("There is nothing here.")
    try:
        message = asking.ask(
            policy=PupilPolicy(pupil),
            chatbot=chatbot,
            question=question,
            chat=chat,
            message_id=parse_uuid(request.POST.get("message_id")),
        )
    except asking.QuestionRefused as reason:
        told = {"question": question, "question_error": str(reason)}
        if chat and request.headers.get("HX-Request"):
            context = _told(pupil) | _composer(pupil, chatbot, chat) | told | {"last": request.POST.get("last", "")}
            response = render(request, "classrooms/_composer.html", context, status=422)
            response["HX-Retarget"], response["HX-Reswap"] = "#composer", "outerHTML"
            return response
        return _page(request, pupil, chatbot, chat, status=422, **told)
    if not message.is_finished:
        jobs.start(message)
    if chat and request.headers.get("HX-Request"):
        newer = load_newer(message, parse_uuid(request.POST.get("last")))
        context = _told(pupil) | _composer(pupil, chatbot, chat) | {"exchanges": newer, "last": message.pk}
        return render(request, "classrooms/_question_sent.html", context)
    return redirect("classrooms:chat", pupil.class_link.code, message.chat_id)


def _page(
    request: HttpRequest, pupil: Pupil, chatbot: Chatbot, chat: Chat | None, *, status: int = 200, **told: str
) -> HttpResponseBase:
    exchanges = load_thread(chat) if chat else []
    context = {
        **_told(pupil),
        **_composer(pupil, chatbot, chat),
        "exchanges": exchanges,
        "last": exchanges[-1].message.first_id if exchanges else "",
        "is_first": len(exchanges) == 1,
        "chats": _chats(pupil),
        "has_more_chatbots": len(pupils.askable(pupil.class_link)) > 1,
        "left": PupilPolicy(pupil).count_left(),
        **told,
    }
    return render(request, "classrooms/chat.html", context, status=status)


def _told(pupil: Pupil) -> dict[str, Any]:
    return {"pupil": pupil, "link": pupil.class_link}


def _composer(pupil: Pupil, chatbot: Chatbot, chat: Chat | None) -> dict[str, Any]:
    name, place = ("chat", chat) if chat else ("new-chat", chatbot)
    return {
        "chatbot": chatbot,
        "chat": chat,
        "ask_url": reverse(f"classrooms:{name}", args=[pupil.class_link.code, place.pk]),
        "message_id": uuid_utils.compat.uuid7(),
        "max_question": asking.MAX_QUESTION,
    }


def _exchange(pupil: Pupil, message: Message) -> dict[str, Any]:
    shown = load_exchange(message)
    return _told(pupil) | {"exchange": shown, "message": shown.message}


def _shown(request: HttpRequest, pupil: Pupil, pk: UUID) -> HttpResponseBase:
    message = find(_messages(pupil), pk)
    if request.headers.get("HX-Request"):
        return render(request, "classrooms/_exchange.html", _exchange(pupil, message))
    return redirect("classrooms:chat", pupil.class_link.code, message.chat_id)


def _chatbot(pupil: Pupil, pk: UUID) -> Chatbot:
    return find(Chatbot.objects.kept().filter(opened_to__class_link=pupil.class_link_id), pk)


def _may_go_on(pupil: Pupil, chatbot: Chatbot) -> bool:
    """Whether the chatbot is still open to the class."""
    return any(one == chatbot for one in pupils.askable(pupil.class_link))


def _all_chats(pupil: Pupil) -> Any:
    """The pupil's conversations; without earlier ones those of today, so that a lesson can go on."""
    return PupilPolicy(pupil).get_chats().select_related("chatbot__school", "participant")


def _chats(pupil: Pupil) -> list[Chat]:
    return list(_all_chats(pupil)[:CHATS_LISTED])


def _messages(pupil: Pupil) -> Any:
    return Message.objects.filter(school=pupil.school_id, chat__in=_all_chats(pupil).values("pk"))
