"""Members as an audience: their routes, and what the page of a conversation shows them beside it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import wraps
from uuid import UUID

import uuid_utils.compat
from django.conf import settings
from django.http import HttpRequest, HttpResponseBase
from django.shortcuts import render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_GET

from chatbots.answering.request import NOT_SERVED
from chatbots.citations.source_view import find_changes
from chatbots.conversations.audience import MemberPolicy
from chatbots.conversations.listing import CHATS_PER_PAGE
from chatbots.conversations.thread import ShownExchange
from chatbots.insights.starter_questions import Opening, get_opening, is_being_read
from chatbots.insights.unanswered import list_unanswered, search_text
from chatbots.models import Chat, Chatbot, ChatbotRole, Message, Participant
from chatbots.source_counts import count_answering_documents
from chatbots.views.chats import View
from engines.errors import EngineError
from engines.llm import get_llm
from schools.access import MemberRequest, member_required
from schools.http import find, parse_uuid
from schools.models import Membership


@dataclass(frozen=True)
class MemberPages(MemberPolicy):
    routes = {"exchange": "turn", "again": "ask-again"}

    def present(self, exchanges: Sequence[ShownExchange]) -> list[ShownExchange]:
        """Add what has become of the documents since."""
        changes = find_changes([one.message for one in exchanges if not one.is_folded], self.member)
        return [replace(one, changes=changes) for one in exchanges]

    def describe_page(self, request: HttpRequest, chatbot: Chatbot, chat: Chat | None) -> dict[str, object]:
        """`?ask=` fills in the question of an own message."""
        latest = list(self.get_chats().filter(chatbot=chatbot)[: CHATS_PER_PAGE + 1])
        listed = latest[:CHATS_PER_PAGE]
        key = parse_uuid(request.GET.get("ask")) if chat is None else None
        asked_before = self.get_messages().filter(chat__chatbot=chatbot, pk=key).first() if key else None
        return {
            "question": search_text(asked_before) if asked_before else "",
            "chats": listed if chat is None or chat in listed else [*listed, chat],
            "has_older": len(latest) > CHATS_PER_PAGE,
            "only_quotes": not get_llm().generative,
            "log_days": settings.LECTERN_QUESTION_LOG_DAYS,
            **_sources(chatbot, self.member),
            **_sharing(chatbot, self.member),
            "unanswered": lambda: len(list_unanswered(self.member, chatbot=chatbot.pk)),
        }

    def explain_gone(self, message_id: UUID) -> str:
        gone = Message.objects.filter(pk=message_id)
        return NOT_SERVED if gone.exclude(pk__in=gone.still_served()).exists() else ""


def get_policy(request: MemberRequest) -> MemberPages:
    return MemberPages(request.member, session=request.session.session_key)


def for_members(view: View) -> Callable[[HttpRequest, UUID], HttpResponseBase]:
    """Make a view of conversations one of members."""

    @member_required
    @wraps(view)
    def for_member(request: MemberRequest, pk: UUID) -> HttpResponseBase:
        return view(request, get_policy(request), pk)

    return for_member


@never_cache
@require_GET
@member_required
def opening(request: MemberRequest, pk: UUID) -> HttpResponseBase:
    """What the documents are about and questions to begin with. Empty if they cannot be searched just now."""
    chatbot = find(Chatbot.objects.askable_by(request.member), pk)
    try:
        found = get_opening(chatbot, Participant(user_id=request.member.user_id))
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


def _sources(chatbot: Chatbot, member: Membership) -> dict[str, object]:
    """The sources that it has, the number of documents of each kind, its other sources, and whether more is read."""
    found = [(kind, count) for kind, count in count_answering_documents(chatbot, member) if count]
    counts = [(kind.named_for(member.user_id, chatbot.owner_id), count) for kind, count in found]
    kinds = [kind for kind, _ in found]
    sources = [
        row for row in chatbot.active_sources() if row.source_kind in kinds or row.source_kind.find_documents is None
    ]
    others = [row.source_kind.plural for row in sources if row.source_kind.find_documents is None]
    return {
        "sources": [(row, row.source_kind.named_for(member.user_id, chatbot.owner_id)) for row in sources],
        "is_shared_out": sum(row.shares for row in sources) > 1,
        "counts": counts,
        "document_count": sum(count for _, count in counts),
        "others": others,
        "is_being_read": lambda: is_being_read(chatbot),  # lazy: asked for only where no document can be searched
    }


def _sharing(chatbot: Chatbot, member: Membership) -> dict[str, object]:
    """Whether the member may change the chatbot, and who shares it; "" for one's own."""
    if chatbot.owner_id == member.user_id:
        return {"is_own": True, "may_change": True, "shared_by": ""}
    shared = chatbot.collaborators.select_related("shared_by__user").filter(membership=member.pk).first()
    return {
        "is_own": False,
        "may_change": shared is not None and shared.role == ChatbotRole.EDITOR,
        "shared_by": shared.shared_by.name if shared else "",
    }
