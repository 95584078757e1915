"""The list of a member's conversations, and full-text search in them."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from django.contrib.postgres.search import SearchHeadline
from django.db.models import Case, Count, OuterRef, Q, QuerySet, Subquery, Value, When
from django.db.models.functions import Coalesce
from django.utils.html import escape
from django.utils.safestring import SafeString, mark_safe

from chatbots.models import Chat, Chatbot, FeedbackVerdict, Message, MessageQuerySet, Reason
from chatbots.models.full_text import LANGUAGES, search_query
from schools.models import Membership
from text.languages import CONFIGURATIONS

CHATS_PER_PAGE = 50
MAX_SEARCH_LENGTH = 200
"""Characters of a search, at most."""
HITS_PER_CHAT = 3
"""Exchanges that a search shows of one conversation."""

_MARKUP = re.compile(r"\*\*|`|^#{1,6} |^[-*] ", re.MULTILINE)
_SIGNS = ("\ue006", "\ue007")  # private use characters in place of <mark> until the text is escaped


@dataclass(frozen=True)
class ExchangeHit:
    """An exchange that a search found: its question and answer with the words marked, and negative feedback."""

    pk: UUID
    first_id: UUID
    question: SafeString
    answer: SafeString
    feedback: str = ""


@dataclass(frozen=True)
class ConversationRow:
    """A conversation in the list. A search adds the first `hits` and the number of `more` ones."""

    chat: Chat
    title: str
    hits: Sequence[ExchangeHit] = ()
    more: int = 0


def search_chats(
    member: Membership, *, words: str = "", chatbot: Chatbot | None = None, unhelpful: bool = False
) -> QuerySet[Chat]:
    """The member's conversations, the latest first, annotated with their number of `questions`.

    Filters: this chatbot; all words in the title or in one exchange; an answer rated as not helpful.
    """
    chats = Chat.objects.for_member(member).select_related("chatbot")
    if chatbot:
        chats = chats.filter(chatbot=chatbot)
    if words or unhelpful:
        exchanges = _matching(Message.objects.for_member(member), words, unhelpful)
        among = Q(pk__in=exchanges.order_by().values("chat"))
        chats = chats.filter(among | Q(search=search_query(words)) if words and not unhelpful else among)
    counted = (
        Message.objects.filter(chat=OuterRef("pk"), version_of=None)
        .order_by()
        .values("chat")
        .annotate(number=Count("pk"))
    )
    return chats.annotate(questions=Coalesce(Subquery(counted.values("number")), 0))


def build_rows(chats: Sequence[Chat], words: str = "", unhelpful: bool = False) -> list[ConversationRow]:
    if not words and not unhelpful:
        return [ConversationRow(chat, chat.title) for chat in chats]
    keys = [chat.pk for chat in chats]
    found: dict[UUID, list[UUID]] = defaultdict(list)
    exchanges = _matching(Message.objects.filter(chat__in=keys), words, unhelpful)
    for chat, exchange in exchanges.values_list("chat", "pk"):
        found[chat].append(exchange)
    extracts = _extracts([exchange for some in found.values() for exchange in some[:HITS_PER_CHAT]], words)
    title = _marked("title", words, "chatbot__language", highlight_all=True)
    titles = dict(Chat.objects.filter(pk__in=keys).values_list("pk", title))
    return [
        ConversationRow(
            chat,
            _safe(titles[chat.pk]),
            [extracts[exchange] for exchange in found[chat.pk][:HITS_PER_CHAT] if exchange in extracts],
            max(0, len(found[chat.pk]) - HITS_PER_CHAT),
        )
        for chat in chats
        if chat.pk in titles
    ]


def _matching(messages: MessageQuerySet, words: str, unhelpful: bool) -> MessageQuerySet:
    if words:
        messages = messages.filter(search=search_query(words))
    if unhelpful:  # of all versions: people often have such a question answered again
        return messages.filter(feedback__verdict=FeedbackVerdict.DOWN)
    return messages.newest()


def _extracts(exchanges: Sequence[UUID], words: str) -> dict[UUID, ExchangeHit]:
    language = "chat__chatbot__language"
    found = Message.objects.filter(pk__in=exchanges).values_list(
        "pk",
        "version_of",
        _marked("question", words, language, max_words=35, min_words=34, short_word=0),
        _marked("answer", words, language, max_words=40, min_words=39, short_word=0),
        "feedback__verdict",
        "feedback__reason",
        "feedback__words",
    )
    return {
        pk: ExchangeHit(pk, first or pk, _safe(question), _safe(answer), _feedback_text(*feedback))
        for pk, first, question, answer, *feedback in found
    }


def _feedback_text(verdict: str | None, reason: str | None, words: str | None) -> str:
    """Why an answer was rated as not helpful; empty for other answers."""
    if verdict != FeedbackVerdict.DOWN:
        return ""
    return ": ".join(filter(None, (FeedbackVerdict.DOWN.label, reason and Reason(reason).label, words)))


def _marked(field: str, words: str, language: str, **options: Any) -> SearchHeadline:
    """The text around the words, stemmed in the chatbot's language, with signs around each word."""
    configuration = Case(
        *(When(**{language: code}, then=Value(CONFIGURATIONS[code])) for code in LANGUAGES),
        When(**{f"{language}__isnull": True}, then=Value("english")),  # without a chatbot
        default=Value("simple"),
    )
    start, stop = _SIGNS
    return SearchHeadline(field, search_query(words), config=configuration, start_sel=start, stop_sel=stop, **options)


def _safe(text: str) -> SafeString:
    """Untrusted text as HTML on one line, without Markdown, with <mark> in place of the signs."""
    start, stop = _SIGNS
    html = escape(" ".join(_MARKUP.sub("", text).split())).replace(start, "<mark>").replace(stop, "</mark>")
    return mark_safe(html)  # noqa: S308 - escaped before the marks are put in
