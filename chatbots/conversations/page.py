"""What the page of a conversation shows, to whoever asks."""

from __future__ import annotations

import uuid_utils.compat
from django.http import HttpRequest

from chatbots.conversations import asking
from chatbots.conversations.audience import AudiencePolicy
from chatbots.conversations.disclosure import disclose
from chatbots.conversations.thread import load_thread
from chatbots.models import Chat, Chatbot
from schools.http import parse_uuid


def load_page(request: HttpRequest, policy: AudiencePolicy, chatbot: Chatbot, chat: Chat | None) -> dict[str, object]:
    """Return what the page of a conversation shows."""
    chosen = parse_uuid(request.GET.get("answer"))
    exchanges = policy.present(load_thread(chat, chosen, folds=True)) if chat else []
    return {
        "exchanges": exchanges,
        "last": exchanges[-1].message.first_id if exchanges else "",
        "is_first": len(exchanges) == 1,
        **policy.describe_page(request, chatbot, chat),
        **load_composer(policy, chatbot, chat),
    }


def load_composer(policy: AudiencePolicy, chatbot: Chatbot, chat: Chat | None) -> dict[str, object]:
    """Return what the form for the next question shows."""
    return policy.get_context() | {
        "chatbot": chatbot,
        "chat": chat,
        "ask_url": policy.get_url("ask", chat.pk) if chat else policy.get_url("ask-first", chatbot.pk),
        "message_id": uuid_utils.compat.uuid7(),
        "max_question": asking.MAX_QUESTION,
        "program": disclose(chatbot.language),
        "readers": policy.disclose_readers(chatbot.language),
    }
