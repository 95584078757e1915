"""All conversations of one person in one school: the list, and where words stand in them."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from django.contrib.postgres.search import SearchHeadline
from django.db.models import Case, Count, OuterRef, Q, QuerySet, Subquery, Value, When
from django.db.models.functions import Coalesce
from django.utils.html import escape
from django.utils.safestring import SafeString, mark_safe

from chatbots.models import Chat, Chatbot, Message
from chatbots.words import LANGUAGES, looked_for
from corpus.language import CONFIGURATIONS
from schools.models import Membership

PER_PAGE = 50
SHOWN = 3
"""Turns of a conversation that a search shows."""

_SIGNS = ("\ue006", "\ue007")  # of the private use area: stand for <mark> until the text is escaped


@dataclass(frozen=True)
class Turn:
    """One in which the words stand: extracts of its question and answer, the words marked."""

    first_id: UUID
    question: SafeString
    answer: SafeString


@dataclass(frozen=True)
class Row:
    """A conversation in the list; of a search the first turns with the words, and how many `more` there are."""

    chat: Chat
    title: str
    turns: Sequence[Turn] = ()
    more: int = 0


def listed(member: Membership, *, words: str = "", chatbot: Chatbot | None = None) -> QuerySet[Chat]:
    """The member's conversations, the latest first, each with the number of its `questions`: those with this chatbot,
    and with all of the words in the title or in one turn."""
    chats = Chat.objects.for_member(member).select_related("chatbot")
    if chatbot:
        chats = chats.filter(chatbot=chatbot)
    if words.strip():
        query = looked_for(words)
        turns = Message.objects.for_member(member).filter(search=query).newest()
        chats = chats.filter(Q(search=query) | Q(pk__in=turns.order_by().values("chat")))
    counted = (
        Message.objects.filter(chat=OuterRef("pk"), version_of=None)
        .order_by()
        .values("chat")
        .annotate(number=Count("pk"))
    )
    return chats.annotate(questions=Coalesce(Subquery(counted.values("number")), 0))


def rows(chats: Sequence[Chat], words: str = "") -> list[Row]:
    """These conversations as the list shows them."""
    if not words.strip():
        return [Row(chat, chat.title) for chat in chats]
    query = looked_for(words)
    keys = [chat.pk for chat in chats]
    found: dict[UUID, list[UUID]] = defaultdict(list)
    turns = Message.objects.filter(chat__in=keys, search=query).newest()
    for chat, turn in turns.values_list("chat", "pk"):
        found[chat].append(turn)
    extracts = _extracts((turn for some in found.values() for turn in some[:SHOWN]), query)
    title = _marked("title", query, "chatbot__language", highlight_all=True)
    titles = dict(Chat.objects.filter(pk__in=keys).values_list("pk", title))
    return [
        Row(
            chat,
            _safe(titles[chat.pk]),
            [extracts[turn] for turn in found[chat.pk][:SHOWN]],
            max(0, len(found[chat.pk]) - SHOWN),
        )
        for chat in chats
        if chat.pk in titles
    ]


def _extracts(turns: Iterable[UUID], query: Any) -> dict[UUID, Turn]:
    language = "chat__chatbot__language"
    rows = Message.objects.filter(pk__in=list(turns)).values_list(
        "pk",
        "version_of",
        _marked("question", query, language, max_words=30, min_words=15, short_word=0),
        _marked("answer", query, language, max_words=35, min_words=20, short_word=0),
    )
    return {pk: Turn(first or pk, _safe(question), _safe(answer)) for pk, first, question, answer in rows}


def _marked(field: str, query: Any, language: str, **options: Any) -> SearchHeadline:
    """The text around the words as the language of the chatbot knows them, signs around each."""
    configuration = Case(
        *(When(**{language: code}, then=Value(CONFIGURATIONS[code])) for code in LANGUAGES),
        default=Value("simple"),
    )
    start, stop = _SIGNS
    return SearchHeadline(field, query, config=configuration, start_sel=start, stop_sel=stop, **options)


def _safe(text: str) -> SafeString:
    """What people and models wrote, escaped, on one line, with our marks."""
    start, stop = _SIGNS
    html = escape(" ".join(text.split())).replace(start, "<mark>").replace(stop, "</mark>")
    return mark_safe(html)  # noqa: S308 - escaped before the marks are put in
