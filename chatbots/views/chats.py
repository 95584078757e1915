"""Conversations: the page, asking, and the stream of an answer."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Any
from uuid import UUID

import uuid_utils.compat
from asgiref.sync import sync_to_async
from django.conf import settings
from django.db import connection
from django.http import Http404, HttpResponseBase, StreamingHttpResponse
from django.shortcuts import redirect, render
from django.template.loader import render_to_string
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_GET, require_http_methods, require_POST

from chatbots.citations.source_view import tell_changes
from chatbots.conversations import services
from chatbots.conversations.listing import PER_PAGE
from chatbots.conversations.thread import turn_of, turns_of
from chatbots.insights.unanswered import asked, listed
from chatbots.models import Chat, Chatbot, Message
from chatbots.source_counts import answering_counts
from chatbots.streaming import jobs
from chatbots.streaming.page_events import events
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
        turns = _turns(chat, request)
        is_named = not any(chat.title == services.title_of(turn.question) for turn in turns)
        return render(
            request, "chatbots/selection.html", {"chat": chat, "turns": turns, "is_named": is_named}
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
    response = StreamingHttpResponse(
        _events(request, pk), content_type="text/event-stream", headers={"X-Accel-Buffering": "no"}
    )
    response["Cache-Control"] = "no-store"
    return response


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
    jobs.start(message.pk, asked=message)
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
        "turns": lambda: _turns(chat, request),  # not when a question adds one to those on the screen
        **_sources(chatbot),
        "unanswered": lambda: len(listed(request.member, chatbot=chatbot.pk)),
        **_composer(chatbot, chat),
    }


def _sources(chatbot: Chatbot) -> dict[str, Any]:
    """How its sources take part, how many documents of each kind there are, and what it may read besides."""
    sources = [row for row in chatbot.all_sources() if row.shares or row.fills_in]
    counts = answering_counts(chatbot)
    others = [row.source_kind.plural for row in sources if row.source_kind.documents_of is None]
    return {
        "sources": sources,
        "counts": counts,
        "document_count": sum(count for _, count in counts),
        "others": others,
    }


def _composer(chatbot: Chatbot, chat: Chat | None) -> dict[str, Any]:
    return {
        "chatbot": chatbot,
        "chat": chat,
        "message_id": uuid_utils.compat.uuid7(),
        "max_question": services.MAX_QUESTION,
        "log_days": settings.LECTERN_QUESTION_LOG_DAYS,
    }


def _turns(chat: Chat | None, request: MemberRequest) -> list[Message]:
    return tell_changes(turns_of(chat, _uuid(request.GET.get("answer"))), request.member) if chat else []


def _turn(request: MemberRequest, message: Message) -> HttpResponseBase:
    [message] = tell_changes([turn_of(message)], request.member)
    return render(request, "chatbots/_turn.html", {"message": message})


def _uuid(text: str | None) -> UUID | None:
    try:
        return UUID(text or "")
    except ValueError:
        return None


async def _events(request: MemberRequest, message_id: UUID) -> AsyncIterator[bytes]:
    # The request's own connection is of no more use: a stream must not keep it while it waits.
    await sync_to_async(lambda: connection.close())()

    member = request.member

    def render_turn(pk: UUID) -> str:
        # Its conversation may have been deleted meanwhile: then the turn goes.
        message = Message.objects.for_member(member).filter(pk=pk).first()
        return (
            render_to_string("chatbots/_turn.html", {"message": turn_of(message)}, request) if message else ""
        )

    def render_sources(pk: UUID, found: Message | None) -> str:
        message = found or Message.objects.prefetch_related("sources").filter(pk=pk).first()
        return render_to_string("chatbots/_notes.html", {"message": message}, request) if message else ""

    async for event in events(message_id, render_sources=render_sources, render_done=render_turn):
        yield event
