"""Deleting a conversation, taking that back, and erasing it for good.

A deleted conversation is found by nothing but this and the figures of use, which count its questions until it is
erased. An answer that is being written meanwhile is written to its end, so that taking it back brings all of it.

Whoever holds rows, here and elsewhere, takes the chatbot first, then the conversation, then its messages: else two wait
for each other.
"""

from __future__ import annotations

from datetime import timedelta
from uuid import UUID

from django.conf import settings
from django.db import transaction
from django.db.models import Q
from django.utils import timezone

from chatbots.models import Chat, Chatbot, Message
from chatbots.question_log.store import log, name_of


def delete_chat(chat: Chat) -> None:
    """Hide it at once. A second time changes nothing, not even when it will be erased."""
    Chat.objects.kept().filter(pk=chat.pk).update(deleted_at=timezone.now())


def restore_chat(chat: Chat) -> None:
    Chat.objects.filter(pk=chat.pk).update(deleted_at=None)


def erase_chat(chat: Chat) -> bool:
    """Delete a hidden conversation for good, with its questions, answers and sources; not one that is restored."""
    return _erase(chat.pk, Q(deleted_at__isnull=False))


def erase_old_chats() -> int:
    """Erase what was deleted longer ago than it is kept, and say how many there were."""
    old = Q(deleted_at__lt=timezone.now() - timedelta(days=settings.LECTERN_KEEP_DELETED_DAYS))
    found = list(Chat.objects.filter(old).values_list("pk", flat=True))
    return sum(_erase(pk, old) for pk in found)


@transaction.atomic
def _erase(pk: UUID, still: Q) -> bool:
    list(Chatbot.objects.filter(chats=pk).select_for_update(of=("self",), no_key=True).values_list("pk"))
    chat = Chat.objects.select_for_update().filter(still, pk=pk).first()
    if chat:
        _log_unfinished(Q(chat=pk))
        chat.delete()
    return chat is not None


@transaction.atomic
def delete_chatbot(chatbot: Chatbot) -> None:
    """Delete a chatbot with all of its conversations, for good; the question log keeps what it keeps."""
    # Whoever asks something in this moment waits until it is gone, as below.
    for rows in (Chatbot.objects.filter(pk=chatbot.pk), Chat.objects.filter(chatbot=chatbot).order_by("pk")):
        list(rows.select_for_update().values_list("pk"))
    _log_unfinished(Q(chat__chatbot=chatbot))
    chatbot.delete()


def _log_unfinished(which: Q) -> None:
    # Whoever writes to one of these answers waits until it is gone, instead of keeping it from going.
    messages = Message.objects.filter(which)
    list(messages.select_for_update(of=("self",)).order_by("pk").values_list("pk"))
    for message in messages.unfinished().select_related("chat__chatbot"):
        log(message, name_of(message))
