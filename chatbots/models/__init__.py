"""Chatbots, what they may read, and the conversations with them."""

from chatbots.models.answer import Feedback, MessageSource, PromptRecord, Reason, Selection, Verdict
from chatbots.models.chatbot import (
    NEVER_GENERAL,
    Chatbot,
    ChatbotKind,
    ChatbotPersonalDocLink,
    ChatbotSchoolDocLink,
    Language,
    WhenUnsure,
)
from chatbots.models.conversation import Chat
from chatbots.models.evaluation import EvaluationRun, TestQuestion
from chatbots.models.message import FIRST, Channel, Message, MessageQuerySet, MessageStatus, Mode
from chatbots.models.participant import Participant
from chatbots.models.question_log import Outcome, QuestionLogEntry, QuestionLogQuerySet

__all__ = [
    "FIRST",
    "NEVER_GENERAL",
    "Channel",
    "Chat",
    "Chatbot",
    "ChatbotKind",
    "ChatbotPersonalDocLink",
    "ChatbotSchoolDocLink",
    "EvaluationRun",
    "Feedback",
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
    "TestQuestion",
    "Verdict",
    "WhenUnsure",
]
