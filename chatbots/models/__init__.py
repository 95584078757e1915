"""Chatbots, what they may read, and the conversations with them."""

from chatbots.models.answer import Feedback, FeedbackVerdict, PromptRecord, Reason, Selection
from chatbots.models.chatbot import (
    NEVER_GENERAL,
    Chatbot,
    ChatbotKind,
    ChatbotPersonalDocLink,
    ChatbotSchoolDocLink,
    ChatbotSource,
    Language,
    WhenUnsure,
)
from chatbots.models.collaborator import SHARED_ROLES, ChatbotRole, Collaborator
from chatbots.models.conversation import Chat
from chatbots.models.message import FIRST, Channel, Message, MessageQuerySet, MessageStatus, Mode
from chatbots.models.participant import Participant
from chatbots.models.question_log import Outcome, QuestionLogEntry, QuestionLogQuerySet
from chatbots.models.source_snapshot import MessageSource, SourceSnapshot, can_be_opened, make_snapshot_fields

__all__ = [
    "FIRST",
    "NEVER_GENERAL",
    "SHARED_ROLES",
    "Channel",
    "Chat",
    "Chatbot",
    "ChatbotKind",
    "ChatbotPersonalDocLink",
    "ChatbotRole",
    "ChatbotSchoolDocLink",
    "ChatbotSource",
    "Collaborator",
    "Feedback",
    "FeedbackVerdict",
    "Language",
    "Message",
    "MessageQuerySet",
    "MessageSource",
    "MessageStatus",
    "Mode",
    "Outcome",
    "Participant",
    "PromptRecord",
    "QuestionLogEntry",
    "QuestionLogQuerySet",
    "Reason",
    "Selection",
    "SourceSnapshot",
    "WhenUnsure",
    "can_be_opened",
    "make_snapshot_fields",
]
