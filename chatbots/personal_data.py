"""Personal data of this app: chatbots, what people asked and were answered, and the question log."""

from __future__ import annotations

from collections.abc import Iterator

from django.conf import settings

from chatbots import models
from chatbots.conversations.deletion import find_and_erase_chat, find_and_erase_chatbot
from chatbots.conversations.export import export_chat, export_file_name
from chatbots.models import Chat, Chatbot, Message
from privacy.registry import File, PersonalData, Rows, declare, make_due_filter


def _export_conversations(messages: Rows) -> Iterator[File]:
    chats = Chat.objects.filter(pk__in=messages.values("chat")).select_related("chatbot")
    for number, chat in enumerate(chats.order_by("created_at", "pk"), start=1):
        shown = list(Message.objects.filter(chat=chat).prefetch_related("sources").order_by("created_at", "pk"))
        yield f"conversations/{number:04}-{export_file_name(chat.title)}", export_chat(chat, shown)


def _describe_kept() -> str:
    days = settings.LECTERN_QUESTION_LOG_DAYS
    words = "Entries of the question log of what the person and other members asked, which have no names, for "
    return words + f"{days} days after they were asked. Those of pupils are erased with their classes." if days else ""


_DELETED = "LECTERN_KEEP_DELETED_DAYS"

declare(
    PersonalData(models.Participant, user="user"),
    PersonalData(
        Chatbot, user="owner", erase=find_and_erase_chatbot, due=make_due_filter(Chatbot, "deleted_at", _DELETED)
    ),
    PersonalData(models.Collaborator, user="membership__user"),
    PersonalData(
        Chat, participant="participant", erase=find_and_erase_chat, due=make_due_filter(Chat, "deleted_at", _DELETED)
    ),
    PersonalData(Message, participant="chat__participant", is_recorded=False, files=_export_conversations),
    PersonalData(models.Selection, participant="message__chat__participant"),
    PersonalData(models.PromptRecord, participant="message__chat__participant", is_recorded=False),
    PersonalData(models.Feedback, participant="message__chat__participant"),
    PersonalData(
        models.QuestionLogEntry,
        due=make_due_filter(models.QuestionLogEntry, "asked_at", "LECTERN_QUESTION_LOG_DAYS"),
        keeps=_describe_kept,
    ),
)
