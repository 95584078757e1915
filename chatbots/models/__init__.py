"""Chatbots, what they may read, and the conversations with them."""

from chatbots.models.answers import Feedback, GivenPrompt, MessageSource, Reason, Verdict
from chatbots.models.bots import (
    NEVER_GENERAL,
    Chatbot,
    ChatbotPersonalDocLink,
    ChatbotSchoolDocLink,
    Kind,
    Language,
    WhenUnsure,
)
from chatbots.models.checks import CheckRun, PinnedQuestion
from chatbots.models.conversations import FIRST, Chat, Message, MessageQuerySet, MessageStatus, Mode

__all__ = [
    "FIRST",
    "NEVER_GENERAL",
    "Chat",
    "Chatbot",
    "ChatbotPersonalDocLink",
    "ChatbotSchoolDocLink",
    "CheckRun",
    "Feedback",
    "GivenPrompt",
    "Kind",
    "Language",
    "Message",
    "MessageQuerySet",
    "MessageSource",
    "MessageStatus",
    "Mode",
    "PinnedQuestion",
    "Reason",
    "Verdict",
    "WhenUnsure",
]
