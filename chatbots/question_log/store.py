"""The question log, which a school keeps for review (T6, ADR 15).

An entry is written in the transaction that ends an answer. The text of an answer is withheld if it or an earlier one in
the conversation used personal documents, since a model may repeat what it has read.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import date, datetime, time, timedelta
from typing import Any
from uuid import UUID

from django.conf import settings
from django.db import transaction
from django.urls import reverse
from django.utils import timezone

from chatbots.citations.markers import list_cited_numbers
from chatbots.models import (
    Chatbot,
    Message,
    MessageSource,
    MessageStatus,
    Mode,
    Outcome,
    PromptRecord,
    QuestionLogEntry,
    QuestionLogQuerySet,
)
from chatbots.models.full_text import search_query
from corpus.source_kinds import list_document_kinds, list_kinds
from schools.models import Membership

WITHHELD = "This answer uses the teacher’s own documents and is not shown here."
UNNAMED_CHATBOT = "unnamed"
"""Filter value: all chatbots that are not named in the log."""
LOG_COLUMNS = ("day", "chatbot", "asked", "outcome", "question", "answer", "cited")


@dataclass(frozen=True)
class OpenedEntry:
    """An entry with its citations, each with its URL."""

    row: QuestionLogEntry
    citations: list[dict[str, object]]


def lock_named_chatbot(message: Message) -> Chatbot | None:
    """The chatbot, if the log may name it.

    Its row is locked, so that `name` cannot change this meanwhile. Call it before the message is locked (see
    `chatbots.conversations.deletion`).
    """
    chatbot = message.chat.chatbot
    if not (settings.LECTERN_QUESTION_LOG_DAYS and chatbot and chatbot.is_named_in_log):
        return None
    named = Chatbot.objects.select_for_update(no_key=True)
    return named.filter(pk=chatbot.pk, is_named_in_log=True).first()


@transaction.atomic(savepoint=False)
def log(message: Message, named: Chatbot | None, *, may_have_history: bool = True) -> None:
    """Store or update the entry of an ended answer, in the transaction that ends it. `named` is its
    `lock_named_chatbot`.

    `may_have_history`: whether it may have been made from a conversation that the client sent.
    """
    if not settings.LECTERN_QUESTION_LOG_DAYS:
        return
    names_documents = message.mode == Mode.MANNERS
    is_private = names_documents or _draws_on_own(message, may_have_history=may_have_history)
    # A refusal is a fixed sentence, so it reveals nothing.
    is_shown = not is_private or (message.mode == Mode.REFUSED and message.status == MessageStatus.DONE)
    row = QuestionLogEntry(
        school_id=message.school_id,
        message_id=message.pk,
        asked_at=message.created_at,
        chatbot_id=named.pk if named else None,
        chatbot_name=named.name if named else "",
        channel=message.channel,
        outcome=_outcome(message),
        mode=message.mode,
        model=message.model,
        question=message.question,
        answer=message.answer if is_shown else "",
        draws_on_own=not is_shown,
        selection_hash=message.selection_hash,
        citations=_cited(message),
    )
    QuestionLogEntry.objects.bulk_create(
        [row],
        update_conflicts=True,
        unique_fields=["message_id"],
        update_fields=["outcome", "answer", "draws_on_own", "citations"],
    )


@transaction.atomic
def name(chatbot: Chatbot, *, is_named: bool) -> None:
    """Choose whether the log names a chatbot. If not, also remove the name from existing entries."""
    Chatbot.objects.filter(pk=chatbot.pk).update(is_named_in_log=is_named)
    if not is_named:
        QuestionLogEntry.objects.filter(chatbot_id=chatbot.pk).update(chatbot_id=None, chatbot_name="")


def search_log(
    member: Membership,
    *,
    words: str = "",
    chatbot: str = "",
    outcome: str = "",
    since: date | None = None,
    until: date | None = None,
) -> QuestionLogQuerySet:
    """The log of an admin’s school, newest first. `chatbot` is an id or `UNNAMED_CHATBOT`. Both days are included."""
    rows = QuestionLogEntry.objects.for_member(member)
    if words:
        rows = rows.filter(search=search_query(words))
    if chatbot:
        rows = rows.filter(chatbot_id=None if chatbot == UNNAMED_CHATBOT else UUID(chatbot))
    if outcome:
        rows = rows.filter(outcome=outcome)
    if since:
        rows = rows.filter(asked_at__gte=_midnight(since))
    if until:
        rows = rows.filter(asked_at__lt=_midnight(until + timedelta(days=1)))
    return rows


def list_named_chatbots(member: Membership) -> list[tuple[str, str]]:
    """The ids and last names of the chatbots that the log names, then one choice for all others."""
    rows = QuestionLogEntry.objects.for_member(member).order_by("asked_at", "pk")
    named = dict(rows.exclude(chatbot_id=None).values_list("chatbot_id", "chatbot_name"))
    listed = sorted(((str(key), shown) for key, shown in named.items()), key=lambda pair: pair[1].casefold())
    return [*listed, (UNNAMED_CHATBOT, "Not named")] if rows.filter(chatbot_id=None).exists() else listed


def find_entry(message: Message) -> QuestionLogEntry | None:
    """The entry of an answer, for the person who asked."""
    rows = QuestionLogEntry.objects.kept().filter(school=message.school_id, message_id=message.pk)
    return rows.first()


def open_entries(rows: Iterable[QuestionLogEntry], member: Membership) -> list[OpenedEntry]:
    """The rows with their citations, with a URL if the member may still open it.

    The URL of a document leads to the passage if the version is the same.
    """
    entries = list(rows)
    keys = {cited["document_id"] for row in entries for cited in row.citations if cited["document_id"]}
    reached: dict[str, tuple[str, int | None]] = {}
    for kind in list_document_kinds():
        assert kind.documents_for
        documents = kind.documents_for(member).filter(pk__in=keys)
        for pk, version in documents.values_list("pk", "answering_version"):
            reached[str(pk)] = (reverse(kind.page, args=[pk]), version)
    return [OpenedEntry(row, [cited | _opened(cited, reached) for cited in row.citations]) for row in entries]


def write_log_lines(rows: Iterable[QuestionLogEntry]) -> Iterator[tuple[str, ...]]:
    for row in rows:
        yield (
            timezone.localtime(row.asked_at).date().isoformat(),
            row.chatbot_name,
            row.get_channel_display(),
            row.get_outcome_display(),
            row.question,
            WITHHELD if row.draws_on_own else row.answer,
            "\n".join(_line(cited) for cited in row.citations),
        )


def _line(cited: dict[str, Any]) -> str:
    facts = (cited["title"], cited["where"], cited["address"])
    return f"[{cited['number']}] {', '.join(fact for fact in facts if fact)}"


def _outcome(message: Message) -> Outcome:
    if message.status == MessageStatus.DONE:
        return Outcome.REFUSED if message.mode == Mode.REFUSED else Outcome.ANSWERED
    return Outcome.STOPPED if message.status == MessageStatus.STOPPED else Outcome.FAILED


def _draws_on_own(message: Message, *, may_have_history: bool) -> bool:
    """Whether any answer of the conversation had a private source, since the prompt includes earlier answers.

    A history sent by an API client may come from anywhere, so it counts as private. So does a deleted conversation.
    """
    if any(source.kind not in _public() for source in message.sources.all()):
        return True
    if message.begins_chat and not may_have_history:
        return False
    found = MessageSource.objects.filter(message__chat=message.chat_id)
    if found.exclude(kind__in=_public()).exists():
        return True
    asked = Message.objects.filter(chat=message.chat_id, version_of=None).order_by("created_at", "pk")
    first = asked.first()
    with_history = PromptRecord.objects.filter(message=first, turns__contains=[{"role": "assistant"}])
    return first is None or with_history.exists()


def _cited(message: Message) -> list[dict[str, object]]:
    """The citations of sources that are not private. Unfinished answers have no `is_cited` marks yet."""
    marked, public = list_cited_numbers(message.answer), _public()
    return [
        {
            "number": source.number,
            "document_id": str(source.document_id) if source.document_id else None,
            "address": source.address,
            "title": source.document_title,
            "version": source.version,
            "where": source.where,
            "position": source.position,
        }
        for source in sorted(message.sources.all(), key=lambda source: source.number)
        if (source.is_cited or source.number in marked) and source.kind in public
    ]


def _public() -> list[str]:
    """The kinds of source that not only the chatbot's owner may read."""
    return [kind.value for kind in list_kinds() if not kind.is_private]


def _opened(cited: dict[str, Any], reached: dict[str, tuple[str, int | None]]) -> dict[str, object]:
    if not cited["document_id"]:
        return {"url": cited["address"], "is_outside": not cited["address"].startswith("/")}
    address, version = reached.get(cited["document_id"], ("", None))
    passage = f"?passage={cited['position']}#passage" if version == cited["version"] else ""
    return {"url": address + passage, "is_outside": False}


def _midnight(day: date) -> datetime:
    return timezone.make_aware(datetime.combine(day, time.min))
