"""Chatbots, what they may read, and the conversations with them."""

from chatbots.models.answer import Feedback, GivenPrompt, MessageSource, Reason, Selection, Verdict
from chatbots.models.chatbot import (
    NEVER_GENERAL,
    Chatbot,
    ChatbotPersonalDocLink,
    ChatbotSchoolDocLink,
    Kind,
    Language,
    WhenUnsure,
)
from chatbots.models.conversation import FIRST, Chat, Door, Message, MessageQuerySet, MessageStatus, Mode
from chatbots.models.evaluation import CheckRun, PinnedQuestion
from chatbots.models.question_log import LoggedQuestion, LoggedQuestionQuerySet, Outcome

__all__ = [
    "FIRST",
    "NEVER_GENERAL",
    "Chat",
    "Chatbot",
    "ChatbotPersonalDocLink",
    "ChatbotSchoolDocLink",
    "CheckRun",
    "Door",
    "Feedback",
    "GivenPrompt",
    "Kind",
    "Language",
    "LoggedQuestion",
    "LoggedQuestionQuerySet",
    "Message",
    "MessageQuerySet",
    "MessageSource",
    "MessageStatus",
    "Mode",
    "Outcome",
    "PinnedQuestion",
    "Reason",
    "Selection",
    "Verdict",
    "WhenUnsure",
]
