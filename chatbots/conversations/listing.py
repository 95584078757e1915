"""All conversations of one person in one school: the list, and where words stand in them."""

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

from chatbots.models import Chat, Chatbot, Message, MessageQuerySet, Reason, Verdict
from chatbots.models.full_text import LANGUAGES, looked_for
from corpus.search.language import CONFIGURATIONS
from schools.models import Membership

PER_PAGE = 50
MAX_WORDS = 200
"""Characters of what is searched for, at most."""
SHOWN = 3
"""Turns of a conversation that a search shows."""

_MARKUP = re.compile(r"\*\*|`|^#{1,6} |^[-*] ", re.MULTILINE)
_SIGNS = ("\ue006", "\ue007")  # of the private use area: stand for <mark> until the text is escaped


@dataclass(frozen=True)
class ExchangeHit:
    """One that was looked for: extracts of its question and answer, the words marked, and what was said of it."""

    pk: UUID
    first_id: UUID
    question: SafeString
    answer: SafeString
    feedback: str = ""


@dataclass(frozen=True)
class ConversationRow:
    """A conversation in the list; of a search the first turns with the words, and how many `more` there are."""

    chat: Chat
    title: str
    turns: Sequence[ExchangeHit] = ()
    more: int = 0


def listed(
    member: Membership, *, words: str = "", chatbot: Chatbot | None = None, unhelpful: bool = False
) -> QuerySet[Chat]:
    """The member's conversations, the latest first, each with the number of its `questions`: those with this chatbot,
    with all of the words in the title or in one turn, with an answer that was called not helpful."""
    chats = Chat.objects.for_member(member).select_related("chatbot")
    if chatbot:
        chats = chats.filter(chatbot=chatbot)
    if words or unhelpful:
        turns = _looked_for(Message.objects.for_member(member), words, unhelpful)
        among = Q(pk__in=turns.order_by().values("chat"))
        chats = chats.filter(among | Q(search=looked_for(words)) if words and not unhelpful else among)
    counted = (
        Message.objects.filter(chat=OuterRef("pk"), version_of=None)
        .order_by()
        .values("chat")
        .annotate(number=Count("pk"))
    )
    return chats.annotate(questions=Coalesce(Subquery(counted.values("number")), 0))


def rows(chats: Sequence[Chat], words: str = "", unhelpful: bool = False) -> list[ConversationRow]:
    """These conversations as the list shows them."""
    if not words and not unhelpful:
        return [ConversationRow(chat, chat.title) for chat in chats]
    keys = [chat.pk for chat in chats]
    found: dict[UUID, list[UUID]] = defaultdict(list)
    turns = _looked_for(Message.objects.filter(chat__in=keys), words, unhelpful)
    for chat, turn in turns.values_list("chat", "pk"):
        found[chat].append(turn)
    extracts = _extracts([turn for some in found.values() for turn in some[:SHOWN]], words)
    title = _marked("title", words, "chatbot__language", highlight_all=True)
    titles = dict(Chat.objects.filter(pk__in=keys).values_list("pk", title))
    return [
        ConversationRow(
            chat,
            _safe(titles[chat.pk]),
            [extracts[turn] for turn in found[chat.pk][:SHOWN] if turn in extracts],
            max(0, len(found[chat.pk]) - SHOWN),
        )
        for chat in chats
        if chat.pk in titles
    ]


def _looked_for(messages: MessageQuerySet, words: str, unhelpful: bool) -> MessageQuerySet:
    if words:
        messages = messages.filter(search=looked_for(words))
    if unhelpful:  # of all versions: who has said so often has the question answered again
        return messages.filter(feedback__verdict=Verdict.DOWN)
    return messages.newest()


def _extracts(turns: Sequence[UUID], words: str) -> dict[UUID, ExchangeHit]:
    language = "chat__chatbot__language"
    found = Message.objects.filter(pk__in=turns).values_list(
        "pk",
        "version_of",
        _marked("question", words, language, max_words=35, min_words=34, short_word=0),
        _marked("answer", words, language, max_words=40, min_words=39, short_word=0),
        "feedback__verdict",
        "feedback__reason",
        "feedback__words",
    )
    return {
        pk: ExchangeHit(pk, first or pk, _safe(question), _safe(answer), _said(*feedback))
        for pk, first, question, answer, *feedback in found
    }


def _said(verdict: str | None, reason: str | None, words: str | None) -> str:
    """Of an answer that was called not helpful: why."""
    if verdict != Verdict.DOWN:
        return ""
    return ": ".join(filter(None, (Verdict.DOWN.label, reason and Reason(reason).label, words)))


def _marked(field: str, words: str, language: str, **options: Any) -> SearchHeadline:
    """The text around the words as the language of the chatbot knows them, signs around each."""
    configuration = Case(
        *(When(**{language: code}, then=Value(CONFIGURATIONS[code])) for code in LANGUAGES),
        When(**{f"{language}__isnull": True}, then=Value("english")),  # without a chatbot
        default=Value("simple"),
    )
    start, stop = _SIGNS
    return SearchHeadline(
        field, looked_for(words), config=configuration, start_sel=start, stop_sel=stop, **options
    )


def _safe(text: str) -> SafeString:
    """What people and models wrote, escaped, on one line, without marks of Markdown, with ours."""
    start, stop = _SIGNS
    html = escape(" ".join(_MARKUP.sub("", text).split())).replace(start, "<mark>").replace(stop, "</mark>")
    return mark_safe(html)  # noqa: S308 - escaped before the marks are put in
