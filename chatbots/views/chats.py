"""One conversation: its page, asking, and the stream of an answer."""

from __future__ import annotations

from dataclasses import replace
from typing import Any
from uuid import UUID

import uuid_utils.compat
from django.conf import settings
from django.http import Http404, HttpResponseBase
from django.shortcuts import redirect, render
from django.template.loader import render_to_string
from django.urls import reverse
from django.utils.html import format_html
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_GET, require_http_methods, require_POST

from chatbots.answering.request import NOT_SERVED
from chatbots.citations.source_view import changes_of
from chatbots.conversations import asking
from chatbots.conversations.audience import MemberPolicy
from chatbots.conversations.listing import CHATS_PER_PAGE
from chatbots.conversations.thread import ShownExchange, load_exchange, load_newer, load_thread
from chatbots.insights.opening import Opening, is_being_read, opening_of
from chatbots.insights.unanswered import list_unanswered, search_text
from chatbots.models import Chat, Chatbot, ChatbotRole, Message, Participant
from chatbots.source_counts import answering_counts
from chatbots.streaming import jobs
from chatbots.streaming.access import Reader
from chatbots.streaming.page_events import events
from chatbots.streaming.responses import event_stream
from engines.errors import EngineError
from engines.llm import get_llm
from schools.access import MemberRequest, member_required
from schools.http import find, parse_uuid
from schools.models import Membership


@never_cache
@require_GET
@member_required
def new(request: MemberRequest, pk: UUID) -> HttpResponseBase:
    """A new conversation; `?ask=` fills in the question of an own message."""
    chatbot = find(Chatbot.objects.askable_by(request.member), pk)
    context = _page(request, chatbot, None)
    asked_before = Message.objects.for_member(request.member).filter(chat__chatbot=chatbot)
    if (key := parse_uuid(request.GET.get("ask"))) and (message := asked_before.filter(pk=key).first()):
        context["question"] = search_text(message)
    return render(request, "chatbots/chat.html", context)


@never_cache
@require_GET
@member_required
def opening(request: MemberRequest, pk: UUID) -> HttpResponseBase:
    """What the documents are about and questions to begin with. Empty if they cannot be searched just now."""
    chatbot = find(Chatbot.objects.askable_by(request.member), pk)
    try:
        found = opening_of(chatbot, Participant(user_id=request.member.user_id))
    except EngineError:
        found = Opening()
    questions = [(question, uuid_utils.compat.uuid7()) for question in found.questions]
    context = {
        "chatbot": chatbot,
        "opening": found,
        "questions": questions,
        "is_being_read": is_being_read(chatbot),
    }
    return render(request, "chatbots/_opening.html", context)


@never_cache
@require_GET
@member_required
def show(request: MemberRequest, pk: UUID) -> HttpResponseBase:
    chat = find(Chat.objects.for_member(request.member).select_related("chatbot", "participant"), pk)
    if chat.chatbot is None:  # about a selected text: it takes no further questions
        shown = _exchanges(chat, request)
        is_named = not any(chat.title == asking.title_of(one.message.question) for one in shown)
        return render(request, "chatbots/selection.html", {"chat": chat, "exchanges": shown, "is_named": is_named})
    return render(request, "chatbots/chat.html", _page(request, chat.chatbot, chat))


@require_http_methods(["GET", "POST"])
@member_required
def ask_first(request: MemberRequest, pk: UUID) -> HttpResponseBase:
    """The first question creates the conversation. A GET comes from someone who had to sign in again in between."""
    chatbot = find(Chatbot.objects.askable_by(request.member), pk)
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
def exchange(request: MemberRequest, pk: UUID) -> HttpResponseBase:
    """One exchange in its current state."""
    return render_exchange(request, find(Message.objects.for_member(request.member), pk))


@require_POST
@member_required
def ask_again(request: MemberRequest, pk: UUID) -> HttpResponseBase:
    """Answer a question again; earlier answers are kept."""
    message = find(Message.objects.for_member(request.member), pk)
    try:
        message = asking.ask_again(message=message)
    except Message.DoesNotExist:
        raise Http404("There is nothing here.") from None
    if not message.is_finished:
        jobs.start(message)
    if request.headers.get("HX-Request"):
        return render_exchange(request, message)
    return redirect("chatbots:chat", message.chat_id)


@require_POST
@member_required
def stop_answer(request: MemberRequest, pk: UUID) -> HttpResponseBase:
    """Stop an answer that is being written and keep the text so far."""
    message = find(Message.objects.for_member(request.member), pk)
    jobs.stop(message.pk)
    if request.headers.get("HX-Request"):
        return render_exchange(request, find(Message.objects.for_member(request.member), pk))
    return redirect("chatbots:chat", message.chat_id)


@require_GET
@member_required
def stream(request: MemberRequest, pk: UUID) -> HttpResponseBase:
    """The growing answer as server-sent events; the last one has the finished exchange."""
    find(Message.objects.for_member(request.member).only("pk"), pk)
    member = request.member

    def render_turn(pk: UUID) -> str:
        # Its conversation may have been deleted meanwhile.
        message = Message.objects.for_member(member).filter(pk=pk).first()
        if message is None:
            lost = Message.objects.filter(pk=pk).exclude(pk__in=Message.objects.still_served().filter(pk=pk)).exists()
            return format_html('<p class="notice" role="status"><span>{}</span></p>', NOT_SERVED) if lost else ""
        exchange = load_exchange(message)
        return render_to_string("chatbots/_exchange.html", {"exchange": exchange, "message": exchange.message}, request)

    def render_sources(message: Message) -> str:
        return render_to_string("chatbots/_notes.html", {"message": message}, request)

    reader = Reader(member.pk, session=request.session.session_key, message=pk)
    return event_stream(events(pk, reader, render_sources=render_sources, render_done=render_turn))


def _ask(request: MemberRequest, chatbot: Chatbot, chat: Chat | None) -> HttpResponseBase:
    question = request.POST.get("question", "")
    try:
        message = asking.ask(
            policy=MemberPolicy(request.member),
            chatbot=chatbot,
            question=question,
            chat=chat,
            message_id=parse_uuid(request.POST.get("message_id")),
        )
    except asking.QuestionRefused as reason:
        context = _page(request, chatbot, chat) | {"question": question, "question_error": str(reason)}
        if chat and request.headers.get("HX-Request"):
            context["last"] = request.POST.get("last", "")
            response = render(request, "chatbots/_composer.html", context, status=422)
            response["HX-Retarget"], response["HX-Reswap"] = "#composer", "outerHTML"
            return response
        return render(request, "chatbots/chat.html", context, status=422)
    jobs.start(message)
    if chat and request.headers.get("HX-Request"):
        newer = _with_changes(load_newer(message, parse_uuid(request.POST.get("last"))), request)
        context = _composer(chatbot, chat) | {"exchanges": newer, "last": message.pk}
        return render(request, "chatbots/_question_sent.html", context)
    return redirect("chatbots:chat", message.chat_id)


def _page(request: MemberRequest, chatbot: Chatbot, chat: Chat | None) -> dict[str, Any]:
    exchanges = _exchanges(chat, request)
    chats = Chat.objects.for_member(request.member).filter(chatbot=chatbot)
    latest = list(chats[: CHATS_PER_PAGE + 1])
    shown = latest[:CHATS_PER_PAGE]
    return {
        "chats": shown if chat is None or chat in shown else [*shown, chat],
        "has_older": len(latest) > CHATS_PER_PAGE,
        "exchanges": exchanges,
        "last": exchanges[-1].message.first_id if exchanges else "",
        "is_first": len(exchanges) == 1,
        "only_quotes": not get_llm().generative,
        **_sources(chatbot, request.member),
        **_sharing(chatbot, request.member),
        "unanswered": lambda: len(list_unanswered(request.member, chatbot=chatbot.pk)),
        **_composer(chatbot, chat),
    }


def _sources(chatbot: Chatbot, member: Membership) -> dict[str, Any]:
    """The sources that it has, the number of documents of each kind, its other sources, and whether more is read."""
    found = [(kind, count) for kind, count in answering_counts(chatbot, member) if count]
    counts = [(kind.named_for(member.user_id, chatbot.owner_id), count) for kind, count in found]
    kinds = [kind for kind, _ in found]
    sources = [
        row for row in chatbot.active_sources() if row.source_kind in kinds or row.source_kind.documents_of is None
    ]
    others = [row.source_kind.plural for row in sources if row.source_kind.documents_of is None]
    return {
        "sources": [(row, row.source_kind.named_for(member.user_id, chatbot.owner_id)) for row in sources],
        "is_shared_out": sum(row.shares for row in sources) > 1,
        "counts": counts,
        "document_count": sum(count for _, count in counts),
        "others": others,
        "is_being_read": lambda: is_being_read(chatbot),  # lazy: asked for only where no document can be searched
    }


def _sharing(chatbot: Chatbot, member: Membership) -> dict[str, Any]:
    """Whether the member may change the chatbot, and who shares it; "" for one's own."""
    if chatbot.owner_id == member.user_id:
        return {"is_own": True, "may_change": True, "shared_by": ""}
    shared = chatbot.collaborators.select_related("shared_by__user").filter(membership=member.pk).first()
    return {
        "is_own": False,
        "may_change": shared is not None and shared.role == ChatbotRole.EDITOR,
        "shared_by": shared.shared_by.name if shared else "",
    }


def _composer(chatbot: Chatbot, chat: Chat | None) -> dict[str, Any]:
    return {
        "chatbot": chatbot,
        "chat": chat,
        "ask_url": reverse(f"chatbots:{'ask' if chat else 'ask-first'}", args=[(chat or chatbot).pk]),
        "message_id": uuid_utils.compat.uuid7(),
        "max_question": asking.MAX_QUESTION,
        "log_days": settings.LECTERN_QUESTION_LOG_DAYS,
    }


def _exchanges(chat: Chat | None, request: MemberRequest) -> list[ShownExchange]:
    return _with_changes(load_thread(chat, parse_uuid(request.GET.get("answer"))) if chat else [], request)


def _with_changes(shown: list[ShownExchange], request: MemberRequest) -> list[ShownExchange]:
    changes = changes_of([one.message for one in shown], request.member)
    return [replace(one, changes=changes) for one in shown]


def render_exchange(request: MemberRequest, message: Message) -> HttpResponseBase:
    """The fragment of an exchange that shows this answer."""
    shown = load_exchange(message)
    exchange = replace(shown, changes=changes_of([shown.message], request.member))
    return render(request, "chatbots/_exchange.html", {"exchange": exchange, "message": exchange.message})
