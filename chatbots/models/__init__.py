"""Chatbots, what they may read, and the conversations with them."""

from chatbots.models.answers import Feedback, GivenPrompt, MessageSource, Reason, Verdict
from chatbots.models.bots import Chatbot, ChatbotPersonalDocLink, ChatbotSchoolDocLink, Language, WhenUnsure
from chatbots.models.checks import CheckRun, PinnedQuestion
from chatbots.models.conversations import FIRST, Chat, Message, MessageQuerySet, MessageStatus, Mode

__all__ = [
    "FIRST",
    "Chat",
    "Chatbot",
    "ChatbotPersonalDocLink",
    "ChatbotSchoolDocLink",
    "CheckRun",
    "Feedback",
    "GivenPrompt",
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
