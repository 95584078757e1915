"""A conversation as a page shows it: one exchange for each question, with one of its answers."""

from __future__ import annotations

from collections.abc import Sequence
from uuid import UUID

from django.db.models import prefetch_related_objects

from chatbots.models import Chat, Message


def load_thread(chat: Chat, chosen: UUID | None = None) -> list[Message]:
    """One answer to each question in order: the newest, or the `chosen` one. Sets `shown_beside` and `is_last`."""
    answers: dict[UUID, list[Message]] = {}
    for message in chat.messages.order_by("created_at", "pk"):
        answers.setdefault(message.first_id, []).append(message)
    shown = [_select(versions, chosen) for versions in answers.values()]
    for message in shown[-1:]:
        message.is_last = True
    prefetch_related_objects(shown, "sources", "feedback")
    return shown


def load_exchange(message: Message) -> Message:
    """The same for one answer."""
    versions = list(Message.objects.versions_of(message))
    shown = _select(versions or [message], message.pk)
    asked_later = Message.objects.filter(
        chat=message.chat_id, version_of=None, created_at__gt=(versions or [message])[0].created_at
    )
    shown.is_last = not asked_later.exists()
    prefetch_related_objects([shown], "sources", "feedback")
    return shown


def _select(versions: Sequence[Message], chosen: UUID | None) -> Message:
    """The chosen one of the answers to a question, else the newest. Sets `shown_beside`: all worth showing."""
    shown = next((one for one in versions if one.pk == chosen), versions[-1])
    shown.shown_beside = [one.pk for one in versions if one.answer or one in (shown, versions[-1])]
    return shown
