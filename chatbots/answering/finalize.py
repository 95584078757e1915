"""How an answer ends: written, failed, stopped or interrupted; once, on condition that nobody has ended it before.

What there is of a text is kept, its citations checked and marked like those of a whole answer.
"""

from __future__ import annotations

from collections.abc import Collection
from typing import Any
from uuid import UUID

from django.db import transaction
from django.utils import timezone

from chatbots.answering.draft import Draft
from chatbots.answering.generation import verify
from chatbots.answering.selected_text import selection_of
from chatbots.citations.markers import cited_numbers
from chatbots.models import Message, MessageQuerySet, MessageStatus
from chatbots.question_log.store import log, name_of
from engines.llm import NumberedPassage

INTERRUPTED = "The answer was interrupted. Your question is kept: please try again."
STOPPED = "You stopped this answer."


class Ended(Exception):
    """Somebody else has ended the answer; there is nothing left to write."""


def finish(message: Message, draft: Draft) -> bool:
    """Store the answer as it stays, with its citations."""
    return _end(
        message,
        _writing(),
        MessageStatus.DONE,
        cited=draft.cited,
        answer=draft.text,
        mode=draft.mode,
        model=draft.model,
        notice=" ".join(draft.notices),
        support=dict(draft.verification.support),
        unfounded=[list(place) for place in draft.verification.unfounded],
        timings=dict(draft.timings),
        finish_reason=draft.finish_reason,
    )


def fail(message: Message, *, text: str, reason: str, code: str) -> None:
    """End an answer that cannot be finished, and keep what there is of it."""
    if _end(message, _writing(), MessageStatus.FAILED, answer=text, notice=reason, failure=code):
        verify_partial(message)


def interrupt(message: Message, *, text: str | None = None, among: MessageQuerySet | None = None) -> bool:
    """End an answer that nobody writes any more, if it is still among these rows, with the text that is known of it.

    What there is of it is not checked yet: many may be interrupted at once.
    """
    among = Message.objects.unfinished() if among is None else among
    known = {} if text is None else {"answer": text}
    return _end(message, among, MessageStatus.INTERRUPTED, notice=INTERRUPTED, **known)


def mark_stopped(message_id: UUID, seen: str | None = None) -> None:
    """End an answer by the wish of its reader; one that has ended is left as it is.

    `seen` is the text that readers have, where it is known better than by the row. Its writer finds out by itself.
    """
    message = _with_chatbot(message_id)
    known = {} if seen is None else {"answer": seen}
    unfinished = Message.objects.unfinished()
    if message and _end(message, unfinished, MessageStatus.STOPPED, notice=STOPPED, **known):
        verify_partial(message)


def keep_seen(message_id: UUID, seen: str) -> None:
    """Put right an answer that was stopped where less of it was known than its readers have been shown."""
    message = _with_chatbot(message_id)
    stopped = Message.objects.filter(status=MessageStatus.STOPPED)
    if message is None or len(message.answer) >= len(seen) or not seen.startswith(message.answer):
        return
    if _store(message, stopped, answer=seen):
        verify_partial(message)


def verify_partial(message: Message) -> None:
    """Check of an answer that was not finished what is checked of a whole one, against its sources as stored."""
    sources = list(message.sources.filter(was_given=True).order_by("number"))
    message.sources.filter(number__in=cited_numbers(message.answer)).update(is_cited=True)
    if not message.answer or not sources:
        return
    passages = [
        NumberedPassage(one.number, one.document_title, tuple(one.heading_path), one.text, one.excerpt)
        for one in sources
    ]
    found = verify(message.answer, passages, question=message.question, language=_language_of(message))
    # Not beside a longer text that `keep_seen` has put in its place meanwhile, with a check of its own.
    Message.objects.filter(pk=message.pk, answer=message.answer).update(
        support=dict(found.support), unfounded=[list(place) for place in found.unfounded]
    )


def _writing() -> MessageQuerySet:
    return Message.objects.filter(status=MessageStatus.WRITING)


def _with_chatbot(message_id: UUID) -> Message | None:
    return Message.objects.select_related("chat__chatbot").filter(pk=message_id).first()


def _end(message: Message, among: MessageQuerySet, status: MessageStatus, **fields: Any) -> bool:
    return _store(message, among, status=status, finished_at=timezone.now(), **fields)


@transaction.atomic
def _store(message: Message, among: MessageQuerySet, *, cited: Collection[int] = (), **fields: Any) -> bool:
    """Store these fields if the message is among those, and what the question log keeps of it; `message` is then as
    its row is. The chatbot is held before the message: see `chatbots.conversations.deletion`."""
    name = name_of(message)
    if not among.filter(pk=message.pk).update(**fields):
        return False
    message.refresh_from_db(fields=["answer", "status", "mode", "model"])
    message.sources.filter(number__in=cited).update(is_cited=True)
    log(message, name)
    return True


def _language_of(message: Message) -> str:
    """In which the answer was to be written."""
    chatbot = message.chat.chatbot
    return chatbot.language if chatbot else selection_of(message).language
