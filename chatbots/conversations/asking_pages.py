"""Store a question that is to be answered from a single page (W3)."""

from __future__ import annotations

from typing import Any

from chatbots.answering.source_selection import find_page_source
from chatbots.conversations.asking import ask
from chatbots.conversations.audience import MemberPolicy
from chatbots.models import Channel, Chat, Chatbot, Message
from corpus.source_kinds import SourceKind
from schools.models import Membership


class PageNotAllowed(Exception):
    """The chatbot's school does not allow this kind of source; the message says so."""


def ask_page(
    *,
    chatbot: Chatbot,
    member: Membership,
    question: str,
    kind: SourceKind,
    page: str,
    title: str,
    chat: Chat | None = None,
    channel: Channel = Channel.WEB,
) -> Message:
    """Store a question with its pending answer, as `ask` does. `page` is the id that passages of the page carry.

    Raises PageNotAllowed, corpus.sources.PageUnavailable, QuestionRefused and Gone.
    """
    if not kind.is_allowed_for(chatbot.school):
        raise PageNotAllowed(f"Your school does not allow {kind.plural}.")
    find_page_source(chatbot, kind, page)
    asked: dict[str, Any] = {"kind": kind.value, "page": page, "title": title}
    policy = MemberPolicy(member)
    return ask(policy=policy, chatbot=chatbot, question=question, chat=chat, channel=channel, asked_page=asked)
