"""How an answer ends: written, broken off, stopped or swept; once, on condition that it is still being written.

What there is of a text is kept, its citations checked and marked like those of a whole answer.
"""

from __future__ import annotations

import logging
from collections.abc import Sequence
from uuid import UUID

from django.db import transaction
from django.utils import timezone

from chatbots.answering.selected_text import selection_of
from chatbots.citations.markers import cited_numbers
from chatbots.citations.verification import find_unsupported_entities, verify_claims
from chatbots.models import Message, MessageQuerySet, MessageSource, MessageStatus
from chatbots.question_log.store import log, name_of
from chatbots.streaming.heartbeat import mark_over
from engines.embedding import get_embedder
from engines.embedding.models import ANY_LANGUAGE
from engines.llm import NumberedPassage

logger = logging.getLogger(__name__)

INTERRUPTED = "The answer was interrupted. Your question is kept: please try again."


class Ended(Exception):
    """Somebody else has ended the answer; there is nothing left to write."""


def stop(message_id: UUID, seen: str | None = None) -> None:
    """End an answer by the wish of its reader; one that has ended is left as it is.

    `seen` is the text that readers have, where it is known better than by the row. Its writer finds out by itself.
    """
    unfinished = Message.objects.unfinished().filter(pk=message_id)
    with transaction.atomic():
        found = unfinished.select_related("chat__chatbot").first()
        if found is None:
            return
        name = name_of(found)
        message = unfinished.select_for_update().first()
        if message is None:
            return
        message.chat = found.chat
        message.answer = message.answer if seen is None else seen
        message.status, message.finished_at = MessageStatus.STOPPED, timezone.now()
        message.notice = "You stopped this answer."
        message.save(update_fields=["answer", "status", "finished_at", "notice"])
        log(message, name)
    mark_over(message_id)
    check_as_far(message)


def keep_seen(message_id: UUID, seen: str) -> None:
    """Put right an answer that was stopped where less of it was known than its readers have been shown."""
    message = Message.objects.select_related("chat__chatbot").filter(pk=message_id).first()
    if (
        message
        and message.status == MessageStatus.STOPPED
        and len(message.answer) < len(seen)
        and seen.startswith(message.answer)
    ):
        message.answer = seen
        with transaction.atomic():
            name = name_of(message)
            if not Message.objects.filter(pk=message_id, status=MessageStatus.STOPPED).update(answer=seen):
                return  # it was erased this very moment
            log(message, name)
        check_as_far(message)


def break_off(message: Message, status: MessageStatus, reason: str) -> None:
    """End an answer that cannot be finished, and keep what there is of it."""
    message.notice = reason
    if end(message, status):
        check_as_far(message)


def interrupt(message: Message, abandoned: MessageQuerySet) -> bool:
    """End an answer whose writer has died, if it is still among these rows, and keep what there is of it."""
    message.status, message.notice, message.finished_at = (
        MessageStatus.INTERRUPTED,
        INTERRUPTED,
        timezone.now(),
    )
    with transaction.atomic():
        name = name_of(message)
        is_ended = abandoned.filter(pk=message.pk).update(
            status=message.status, notice=message.notice, finished_at=message.finished_at
        )
        if is_ended:
            log(message, name)
    if is_ended:
        check_as_far(message)
    return bool(is_ended)


def check_as_far(message: Message) -> None:
    """Check of an answer that was not finished what is checked of a whole one, against its sources as stored."""
    sources = _mark_cited(message)
    if message.answer and sources:
        passages = [
            NumberedPassage(
                number=source.number,
                title=source.document_title,
                heading_path=tuple(source.heading_path),
                text=source.text,
                excerpt=source.excerpt,
            )
            for source in sources
        ]
        check_support(message, passages, _language_of(message))
        # Not beside a longer text that `keep_seen` has put in its place meanwhile, with a check of its own.
        same = Message.objects.filter(pk=message.pk, answer=message.answer)
        same.update(support=message.support, unfounded=message.unfounded)


def _language_of(message: Message) -> str:
    """In which the answer was to be written."""
    chatbot = message.chat.chatbot
    return chatbot.language if chatbot else selection_of(message).language


def _mark_cited(message: Message) -> list[MessageSource]:
    """Mark the sources that the text so far cites; return all that were given, in order."""
    sources = list(message.sources.filter(was_given=True).order_by("number"))
    message.sources.filter(number__in=cited_numbers(message.answer)).update(is_cited=True)
    return sources


@transaction.atomic
def end(message: Message, status: MessageStatus, cited: Sequence[int] = ()) -> bool:
    """Store the message as it stays, with its citations; False if somebody else has ended it meanwhile."""
    mark_over(message.pk)
    message.status, message.finished_at = status, timezone.now()
    fields = [
        "answer", "status", "failure", "mode", "model", "notice", "support", "unfounded", "timings", "finished_at",
    ]  # fmt: skip
    name = name_of(message)
    kept = Message.objects.filter(pk=message.pk, status=MessageStatus.WRITING).update(
        **{name: getattr(message, name) for name in fields}
    )
    if kept:
        message.sources.filter(number__in=cited).update(is_cited=True)
        log(message, name)
    return bool(kept)


def check_support(message: Message, passages: Sequence[NumberedPassage], language: str) -> None:
    """Hold every cited statement against the passages it cites, and every number and name against all of them.

    An answer that cannot be checked stands without it: it is no less grounded for that.
    """
    text = message.answer
    try:
        embedder = get_embedder()
        known = embedder.languages == ANY_LANGUAGE or language in embedder.languages
        verdicts = verify_claims(text, passages, language=language, embedder=embedder if known else None)
        found = find_unsupported_entities(text, passages, question=message.question, language=language)
    except Exception:
        logger.exception("The citations of message %s could not be checked", message.pk)
        return
    message.support = {str(place): [one.state, one.better] for place, one in verdicts.items()}
    message.unfounded = [[one.start, one.end] for one in found]
