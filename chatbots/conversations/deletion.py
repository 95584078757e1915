"""Delete a conversation or a chatbot, restore it, or erase it for good.

What is deleted is hidden everywhere but in the list of what was deleted, the conversations of a deleted chatbot with
it; usage figures count the questions until they are erased. An answer that is being written in a deleted conversation
is finished, so that restoring brings back all of it.

Lock order, here and elsewhere: the chatbot, then the conversation, then its messages. Another order can deadlock.
"""

from __future__ import annotations

from uuid import UUID

from django.db import transaction
from django.db.models import Q, QuerySet
from django.utils import timezone

from chatbots.models import Chat, Chatbot, Message, QuestionLogEntry
from chatbots.question_log.store import lock_named_chatbot, log
from schools.audit.actions import Action
from schools.audit.recording import record
from schools.models import Membership


def delete_chat(chat: Chat) -> None:
    """Hide a conversation. Deleting it again does not change when it is erased."""
    Chat.objects.kept().filter(pk=chat.pk).update(deleted_at=timezone.now())


def restore_chat(chat: Chat) -> None:
    """Show a deleted conversation again."""
    Chat.objects.filter(pk=chat.pk).update(deleted_at=None)


def erase_chat(chat: Chat) -> bool:
    """Erase a deleted conversation with its messages and sources; False if it was restored or is gone."""
    return find_and_erase_chat(Chat.objects.deleted(), chat.pk)


@transaction.atomic
def find_and_erase_chat(chats: QuerySet[Chat], pk: UUID, _: Membership | None = None) -> bool:
    """Erase a conversation if it is still one of these."""
    list(Chatbot.objects.filter(chats=pk).select_for_update(of=("self",), no_key=True).values_list("pk"))
    chat = chats.select_for_update(of=("self",)).filter(pk=pk).first()
    if chat:
        _log_unfinished(Q(chat=pk))
        record(Action.CONVERSATION_ERASED, school=chat.school_id, subject=chat)
        chat.delete()
    return chat is not None


@transaction.atomic
def hide_chatbot(chatbot: Chatbot) -> None:
    """Mark a chatbot as deleted. Doing it again does not change when it is erased."""
    if Chatbot.objects.kept().filter(pk=chatbot.pk).update(deleted_at=timezone.now()):
        record(Action.CHATBOT_DELETED, school=chatbot.school_id, subject=chatbot, label=chatbot.public_name)


@transaction.atomic
def restore_chatbot(chatbot: Chatbot) -> None:
    """Show a deleted chatbot again, with the conversations that had not been deleted before."""
    if Chatbot.objects.filter(pk=chatbot.pk, deleted_at__isnull=False).update(deleted_at=None):
        record(Action.CHATBOT_RESTORED, school=chatbot.school_id, subject=chatbot, label=chatbot.public_name)


def erase_chatbot(chatbot: Chatbot) -> None:
    """Erase a chatbot, deleted or not, with its conversations. The question log keeps those of members."""
    find_and_erase_chatbot(Chatbot.objects.all(), chatbot.pk)


def erase_deleted_chatbot(chatbot: Chatbot) -> bool:
    """Erase a deleted chatbot with its conversations; False if it was restored or is gone."""
    return find_and_erase_chatbot(Chatbot.objects.deleted(), chatbot.pk)


@transaction.atomic
def find_and_erase_chatbot(chatbots: QuerySet[Chatbot], pk: UUID, _: Membership | None = None) -> bool:
    """Erase a chatbot with its conversations if it is still one of these."""
    # These locks make new questions wait until the chatbot is gone.
    chatbot = chatbots.select_for_update().filter(pk=pk).first()
    if chatbot:
        list(Chat.objects.filter(chatbot=chatbot).order_by("pk").select_for_update().values_list("pk"))
        _log_unfinished(Q(chat__chatbot=chatbot))
        # Guests are promised that nothing is left of them. Later their entries are found by no message any more.
        guests = Message.objects.filter(chat__chatbot=chatbot, chat__participant__user=None).values_list(
            "pk", flat=True
        )
        QuestionLogEntry.objects.filter(message_id__in=list(guests)).delete()
        record(Action.CHATBOT_ERASED, school=chatbot.school_id, subject=chatbot, label=chatbot.public_name)
        chatbot.delete()
    return chatbot is not None


def _log_unfinished(which: Q) -> None:
    # The lock makes writers of these answers wait until they are gone.
    messages = Message.objects.filter(which)
    list(messages.select_for_update(of=("self",)).order_by("pk").values_list("pk"))
    for message in messages.unfinished().select_related("chat__chatbot"):
        log(message, lock_named_chatbot(message))
