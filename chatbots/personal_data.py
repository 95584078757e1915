"""Personal data of this app: chatbots, what people asked and were answered, and the question log."""

from __future__ import annotations

from collections.abc import Iterator

from django.conf import settings

from chatbots.conversations.deletion import erase_chat_of, erase_chatbot_of
from chatbots.conversations.export import export_chat, export_file_name
from chatbots.models import (
    Chat,
    Chatbot,
    Collaborator,
    Feedback,
    Message,
    Participant,
    PromptRecord,
    QuestionLogEntry,
    Selection,
    TestQuestion,
)
from privacy.registry import File, PersonalData, Rows, older_than


def _export_conversations(messages: Rows) -> Iterator[File]:
    chats = Chat.objects.filter(pk__in=messages.values("chat")).select_related("chatbot")
    for number, chat in enumerate(chats.order_by("created_at", "pk"), start=1):
        shown = list(Message.objects.filter(chat=chat).prefetch_related("sources").order_by("created_at", "pk"))
        yield f"conversations/{number:04}-{export_file_name(chat.title)}", export_chat(chat, shown)


def _describe_kept() -> str:
    days = settings.LECTERN_QUESTION_LOG_DAYS
    return days and (
        "Entries of the question log of what the person and other members asked, which have no names, for "
        f"{days} days after they were asked. Those of pupils are erased with their classes."
    )


PERSONAL_DATA = [
    PersonalData(Participant, user="user"),
    PersonalData(
        Chatbot,
        user="owner",
        erase=erase_chatbot_of,
        due=older_than(Chatbot, "deleted_at", "LECTERN_KEEP_DELETED_DAYS"),
    ),
    PersonalData(TestQuestion, user="chatbot__owner"),
    PersonalData(Collaborator, user="membership__user"),
    PersonalData(
        Chat,
        participant="participant",
        erase=erase_chat_of,
        due=older_than(Chat, "deleted_at", "LECTERN_KEEP_DELETED_DAYS"),
    ),
    PersonalData(Message, participant="chat__participant", is_recorded=False, files=_export_conversations),
    PersonalData(Selection, participant="message__chat__participant"),
    PersonalData(PromptRecord, participant="message__chat__participant", is_recorded=False),
    PersonalData(Feedback, participant="message__chat__participant"),
    PersonalData(
        QuestionLogEntry,
        due=older_than(QuestionLogEntry, "asked_at", "LECTERN_QUESTION_LOG_DAYS"),
        keeps=_describe_kept,
    ),
]
