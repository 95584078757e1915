"""End an answer: done, failed, stopped or interrupted. Each update applies only if the answer has not ended yet.

The text so far is kept, and its citations are checked like those of a whole answer.
"""

from __future__ import annotations

from collections.abc import Collection
from typing import Any
from uuid import UUID

from django.db import transaction
from django.utils import timezone

from chatbots.answering import prompt_record
from chatbots.answering.draft import Draft, Verification
from chatbots.answering.generation import verify
from chatbots.answering.selected_text import get_selection
from chatbots.citations.markers import list_cited_numbers
from chatbots.guests import answer_ended
from chatbots.models import Message, MessageQuerySet, MessageStatus, Mode
from chatbots.passages import NumberedPassage
from chatbots.question_log.store import lock_named_chatbot, log

INTERRUPTED = "The answer was interrupted. Your question is kept: please try again."
STOPPED = "You stopped this answer."


_LOGGED = {"answer", "status", "mode", "model"}


class AlreadyEnded(Exception):
    """The answer was ended elsewhere."""


def finish(message: Message, draft: Draft) -> bool:
    """Store the final answer with its citations."""
    has_history = draft.prompt is not None and any(turn.role == "assistant" for turn in draft.prompt.messages)
    return _end(
        message, _writing(), MessageStatus.DONE, cited=draft.cited, may_have_history=has_history, **_fields(draft)
    )


def finish_at_once(message: Message, draft: Draft) -> bool:
    """Store an answer for which no model is waited for, with its sources."""
    fields = prompt_record.fields(draft) | _fields(draft)
    return _end(message, _writing(), MessageStatus.DONE, whole=draft, may_have_history=False, **fields)


def _fields(draft: Draft) -> dict[str, Any]:
    return {
        "answer": draft.text,
        "mode": draft.mode,
        "model": draft.model,
        "reasoning": draft.reasoning,
        "model_text": draft.model_text,
        "notice": " ".join(draft.notices),
        "timings": dict(draft.timings),
        "finish_reason": draft.finish_reason,
        **_verdicts(draft.verification),
    }


def fail(message: Message, *, text: str, reason: str, code: str) -> None:
    """Mark an answer as failed and keep its text so far."""
    if _end(message, _writing(), MessageStatus.FAILED, answer=text, notice=reason, failure=code):
        verify_stored(message)


def withhold(message: Message, words: str) -> None:
    """End a question with these words instead of an answer. It does not enter the question log."""
    _end(message, Message.objects.unfinished(), MessageStatus.DONE, is_logged=False, answer=words, mode=Mode.REFUSED)


def interrupt(message: Message, *, text: str | None = None, among: MessageQuerySet | None = None) -> bool:
    """Mark an answer as interrupted if it is still among these rows, with the given text.

    It does not check the citations, since many answers may be interrupted at once.
    """
    among = Message.objects.unfinished() if among is None else among
    known = {} if text is None else {"answer": text}
    return _end(message, among, MessageStatus.INTERRUPTED, notice=INTERRUPTED, **known)


def mark_stopped(message_id: UUID, seen: str | None = None, notice: str = STOPPED) -> Message | None:
    """Mark an answer as stopped and return it; None if it has ended. Its citations are still to be checked.

    `seen` is the text that readers have, if it may be longer than the stored one.
    """
    message = _with_chatbot(message_id)
    known = {} if seen is None else {"answer": seen}
    unfinished = Message.objects.unfinished()
    return message if message and _end(message, unfinished, MessageStatus.STOPPED, notice=notice, **known) else None


def keep_seen(message_id: UUID, seen: str) -> None:
    """Store the text that readers have seen of a stopped answer, if it is longer than the stored one."""
    message = _with_chatbot(message_id)
    stopped = Message.objects.filter(status=MessageStatus.STOPPED)
    if message is None or len(message.answer) >= len(seen) or not seen.startswith(message.answer):
        return
    if _store(message, stopped, answer=seen):
        verify_stored(message)


def verify_stored(message: Message) -> None:
    """Check the citations of an ended answer against its stored sources."""
    sources = list(message.sources.filter(was_given=True).order_by("number"))
    message.sources.filter(number__in=list_cited_numbers(message.answer)).update(is_cited=True)
    if not message.answer or not sources:
        return
    passages = [
        NumberedPassage(one.number, one.document_title, tuple(one.heading_path), one.text, one.excerpt)
        for one in sources
    ]
    found = verify(message.answer, passages, question=message.question, language=_get_language(message))
    # `keep_seen` may have stored a longer text meanwhile, with its own check.
    Message.objects.filter(pk=message.pk, answer=message.answer).update(**_verdicts(found))


def _verdicts(found: Verification) -> dict[str, Any]:
    return {"support": dict(found.support), "unfounded": [list(place) for place in found.unfounded]}


def _writing() -> MessageQuerySet:
    return Message.objects.filter(status=MessageStatus.WRITING)


def _with_chatbot(message_id: UUID) -> Message | None:
    return Message.objects.select_related("chat__chatbot").filter(pk=message_id).first()


def _end(message: Message, among: MessageQuerySet, status: MessageStatus, **fields: Any) -> bool:
    return _store(message, among, status=status, finished_at=timezone.now(), **fields)


@transaction.atomic
def _store(
    message: Message,
    among: MessageQuerySet,
    *,
    cited: Collection[int] = (),
    whole: Draft | None = None,
    is_logged: bool = True,
    may_have_history: bool = True,
    **fields: object,
) -> bool:
    """Update these fields and the question log if the message is among those rows, and refresh `message`.

    The chatbot is locked before the message: see `chatbots.conversations.deletion`.
    """
    name = lock_named_chatbot(message) if is_logged else None
    if not among.filter(pk=message.pk).update(**fields):
        return False
    for field, value in fields.items():
        setattr(message, field, value)
    if is_logged and (unknown := _LOGGED - fields.keys()):
        message.refresh_from_db(fields=unknown)
    if cited:
        message.sources.filter(number__in=cited).update(is_cited=True)
        for source in message.sources.all():
            source.is_cited = source.number in cited
    if whole:
        prompt_record.create_sources(message, whole)
    if is_logged:
        log(message, name, may_have_history=may_have_history)
    answer_ended(message)
    return True


def _get_language(message: Message) -> str:
    """The language of the answer."""
    chatbot = message.chat.chatbot
    return chatbot.language if chatbot else get_selection(message).language
