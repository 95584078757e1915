"""Conversations: the page, asking, and the stream of an answer."""

from __future__ import annotations

from dataclasses import replace
from typing import Any
from uuid import UUID

import uuid_utils.compat
from django.conf import settings
from django.http import Http404, HttpResponseBase
from django.shortcuts import redirect, render
from django.template.loader import render_to_string
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_GET, require_http_methods, require_POST

from chatbots.citations.source_view import changes_of
from chatbots.conversations import services
from chatbots.conversations.listing import PER_PAGE
from chatbots.conversations.thread import ShownExchange, exchange_of, exchanges_of
from chatbots.insights.unanswered import asked, listed
from chatbots.models import Chat, Chatbot, Message
from chatbots.streaming import jobs
from chatbots.streaming.access import Reader
from chatbots.streaming.page_events import events
from chatbots.streaming.responses import event_stream
from schools.access import MemberRequest, member_required
from schools.http import find


@never_cache
@require_GET
@member_required
def new(request: MemberRequest, pk: UUID) -> HttpResponseBase:
    """A conversation that has not begun; with ?ask= the question of an own message stands there, ready to be asked."""
    chatbot = find(Chatbot.objects.for_member(request.member), pk)
    context = _page(request, chatbot, None)
    asked_before = Message.objects.for_member(request.member).filter(chat__chatbot=chatbot)
    if (key := _uuid(request.GET.get("ask"))) and (message := asked_before.filter(pk=key).first()):
        context["question"] = asked(message)
    return render(request, "chatbots/chat.html", context)


@never_cache
@require_GET
@member_required
def show(request: MemberRequest, pk: UUID) -> HttpResponseBase:
    chat = find(Chat.objects.for_member(request.member).select_related("chatbot"), pk)
    if chat.chatbot is None:  # about a selected text: nothing more can be asked in it
        shown = _exchanges(chat, request)
        is_named = not any(chat.title == services.title_of(one.message.question) for one in shown)
        return render(
            request, "chatbots/selection.html", {"chat": chat, "exchanges": shown, "is_named": is_named}
        )
    return render(request, "chatbots/chat.html", _page(request, chat.chatbot, chat))


@require_http_methods(["GET", "POST"])
@member_required
def ask_first(request: MemberRequest, pk: UUID) -> HttpResponseBase:
    """The first question makes the conversation. Whoever had to sign in again in between comes back by GET."""
    chatbot = find(Chatbot.objects.for_member(request.member), pk)
    return _ask(request, chatbot, None) if request.method == "POST" else redirect("chatbots:new-chat", pk)


@require_http_methods(["GET", "POST"])
@member_required
def ask(request: MemberRequest, pk: UUID) -> HttpResponseBase:
    chat = find(Chat.objects.for_member(request.member).select_related("chatbot__school"), pk)
    if request.method == "POST" and chat.chatbot:
        return _ask(request, chat.chatbot, chat)
    return redirect("chatbots:chat", pk)


@require_GET
@member_required
def turn(request: MemberRequest, pk: UUID) -> HttpResponseBase:
    """One exchange as it stands."""
    return _turn(request, find(Message.objects.for_member(request.member), pk))


@require_POST
@member_required
def ask_again(request: MemberRequest, pk: UUID) -> HttpResponseBase:
    """Have a question answered once more, beside the answers that it has."""
    message = find(Message.objects.for_member(request.member), pk)
    try:
        message = services.ask_again(message=message)
    except Message.DoesNotExist:
        raise Http404("There is nothing here.") from None
    if not message.is_finished:
        jobs.start(message.pk)
    if request.headers.get("HX-Request"):
        return _turn(request, message)
    return redirect("chatbots:chat", message.chat_id)


@require_POST
@member_required
def stop(request: MemberRequest, pk: UUID) -> HttpResponseBase:
    """End an answer that is being written, and keep the text so far."""
    message = find(Message.objects.for_member(request.member), pk)
    jobs.stop(message.pk)
    if request.headers.get("HX-Request"):
        return _turn(request, find(Message.objects.for_member(request.member), pk))
    return redirect("chatbots:chat", message.chat_id)


@require_GET
@member_required
def stream(request: MemberRequest, pk: UUID) -> HttpResponseBase:
    """The answer as it grows, as server-sent events; ends with the finished turn."""
    find(Message.objects.for_member(request.member).only("pk"), pk)
    member = request.member

    def render_turn(pk: UUID) -> str:
        # Its conversation may have been deleted meanwhile: then the turn goes.
        message = Message.objects.for_member(member).filter(pk=pk).first()
        if message is None:
            return ""
        exchange = exchange_of(message)
        return render_to_string(
            "chatbots/_turn.html", {"exchange": exchange, "message": exchange.message}, request
        )

    def render_sources(pk: UUID) -> str:
        message = Message.objects.prefetch_related("sources").filter(pk=pk).first()
        return render_to_string("chatbots/_notes.html", {"message": message}, request) if message else ""

    reader = Reader(member.pk, session=request.session.session_key)
    return event_stream(events(pk, reader, render_sources=render_sources, render_done=render_turn))


def _ask(request: MemberRequest, chatbot: Chatbot, chat: Chat | None) -> HttpResponseBase:
    question = request.POST.get("question", "")
    try:
        message = services.ask(
            chatbot=chatbot,
            member=request.member,
            question=question,
            chat=chat,
            message_id=_uuid(request.POST.get("message_id")),
        )
    except services.QuestionRefused as reason:
        context = _page(request, chatbot, chat) | {"question": question, "question_error": str(reason)}
        if chat and request.headers.get("HX-Request"):
            response = render(request, "chatbots/_composer.html", context, status=422)
            response["HX-Retarget"], response["HX-Reswap"] = "#composer", "outerHTML"
            return response
        return render(request, "chatbots/chat.html", context, status=422)
    jobs.start(message.pk)
    if chat and request.headers.get("HX-Request"):
        return render(request, "chatbots/_asked.html", _composer(chatbot, chat) | {"message": message})
    return redirect("chatbots:chat", message.chat_id)


def _page(request: MemberRequest, chatbot: Chatbot, chat: Chat | None) -> dict[str, Any]:
    chats = Chat.objects.for_member(request.member).filter(chatbot=chatbot)
    latest = list(chats[: PER_PAGE + 1])
    shown = latest[:PER_PAGE]
    return {
        "chats": shown if chat is None or chat in shown else [*shown, chat],
        "has_older": len(latest) > PER_PAGE,
        "exchanges": lambda: _exchanges(chat, request),  # not when a question adds one to those on the screen
        "personal_count": chatbot.personal_links.filter(document__answering_version__isnull=False).count(),
        "school_count": chatbot.school_links.filter(
            document__is_published=True, document__answering_version__isnull=False
        ).count(),
        "unanswered": lambda: len(listed(request.member, chatbot=chatbot.pk)),
        **_composer(chatbot, chat),
    }


def _composer(chatbot: Chatbot, chat: Chat | None) -> dict[str, Any]:
    return {
        "chatbot": chatbot,
        "chat": chat,
        "message_id": uuid_utils.compat.uuid7(),
        "max_question": services.MAX_QUESTION,
        "log_days": settings.LECTERN_QUESTION_LOG_DAYS,
    }


def _exchanges(chat: Chat | None, request: MemberRequest) -> list[ShownExchange]:
    shown = exchanges_of(chat, _uuid(request.GET.get("answer"))) if chat else []
    changes = changes_of([one.message for one in shown], request.member)
    return [replace(one, changes=changes) for one in shown]


def _turn(request: MemberRequest, message: Message) -> HttpResponseBase:
    shown = exchange_of(message)
    exchange = replace(shown, changes=changes_of([shown.message], request.member))
    return render(request, "chatbots/_turn.html", {"exchange": exchange, "message": exchange.message})


def _uuid(text: str | None) -> UUID | None:
    try:
        return UUID(text or "")
    except ValueError:
        return None
