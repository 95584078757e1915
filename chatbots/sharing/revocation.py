"""End access to a chatbot, and stop the answers that are being written to those who lose it."""

from __future__ import annotations

from django.db import transaction

from chatbots.conversations.deletion import hide_chatbot
from chatbots.models import Chatbot, Message, MessageQuerySet
from chatbots.streaming import jobs

DELETED = "This answer was stopped because its chatbot was deleted."


def delete_chatbot(chatbot: Chatbot) -> None:
    """Hide a chatbot with its conversations, and stop its answers. It can be restored until it is erased."""
    hide_chatbot(chatbot)
    _stop(Message.objects.filter(chat__chatbot=chatbot), DELETED)


def _stop(messages: MessageQuerySet, notice: str) -> None:
    """Stop these answers once the transaction is committed: only then do their readers find that they are gone."""

    def stop() -> None:
        for key in messages.unfinished().values_list("pk", flat=True):
            jobs.stop(key, notice)

    transaction.on_commit(stop)
