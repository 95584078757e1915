"""The outcome of an answer for API clients: the message or a problem."""

from __future__ import annotations

import logging
from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import aclosing
from dataclasses import dataclass, replace
from http import HTTPStatus
from typing import Any
from uuid import UUID

from chatbots.answering.draft import Event, Kind
from chatbots.answering.finalize import INTERRUPTED
from chatbots.models import Message, MessageStatus
from chatbots.streaming.access import LOST, AccessLost, Subscriber
from chatbots.streaming.follow import ReaderProgress, follow
from chatbots.streaming.registry import AnswerJob
from engines import background
from rest.problems import get_status

logger = logging.getLogger(__name__)

_STATUSES = {
    "unavailable": 502,
    "refused": 502,
    "silent": 502,
    "busy": 503,
    "sources": 503,
    "embedding": 503,
    "away": 503,
    "timeout": 504,
    "fault": 500,
}
"""HTTP status by failure code (engines.errors)."""

_INTERRUPTED = 503
_DATABASE_DOWN = "The database does not answer just now. Your question is kept: please try again."
_FAULT = "Something went wrong on our side. Your question is kept: please try again."
_DELETED = "The conversation was deleted, or its chatbot is no longer shared with you, while the answer was written."


@dataclass(frozen=True)
class Failure:
    """An error with the ids of the stored question."""

    status: int
    detail: str
    ids: dict[str, str]

    @property
    def body(self) -> dict[str, Any]:
        return {
            "type": "about:blank",
            "title": HTTPStatus(self.status).phrase,
            "status": self.status,
            "detail": self.detail,
            **self.ids,
        }


async def follow_whole(
    message_id: UUID, reader: Subscriber, job: AnswerJob | None = None
) -> AsyncIterator[Event | Failure]:
    """Follow an answer for programs: with its row at the sources and at the end, before which comes all that they lack.
    A failure is the last one. Raises what `follow` does."""
    has = ReaderProgress()
    async with aclosing(_follow_to_end(message_id, reader, job)) as events:
        async for event in events:
            if event.kind in (Kind.SOURCES, Kind.DONE, Kind.VERIFIED):
                load = load_outcome if event.kind == Kind.SOURCES else load_final_outcome
                row: Message | Failure | None = event.message
                if row is None:
                    row = await background.run_in_pool("requests", load, message_id)
                if isinstance(row, Failure):
                    if event.kind == Kind.SOURCES:
                        continue  # it is told at the end
                    yield row
                    return
                event = replace(event, message=row)
                if event.kind == Kind.DONE:
                    dropped = [] if row.answer.startswith(has.text) else [Event(Kind.DROPPED)]
                    for lacking in (Event(Kind.SOURCES, message=row), *dropped, Event(Kind.TEXT, row.answer)):
                        for new in has.take([lacking]):
                            yield new
            for new in has.take([event]) or ([event] if event.kind == Kind.QUEUED else []):
                yield new


async def _follow_to_end(message_id: UUID, reader: Subscriber, job: AnswerJob | None) -> AsyncGenerator[Event]:
    is_done = False
    async for event in follow(message_id, reader, job):
        is_done = is_done or event.kind == Kind.DONE
        yield event
    if not is_done:  # this process shuts down
        yield Event(Kind.DONE)


def load_final_outcome(message_id: UUID) -> Message | Failure:
    """The outcome after the job has ended. An unfinished message counts as interrupted."""
    found = load_outcome(message_id)
    if isinstance(found, Message) and not found.is_finished:
        return Failure(_INTERRUPTED, INTERRUPTED, _ids(found))
    return found


def read_failure(message_id: UUID, error: Exception) -> Failure:
    """The error to send when following an answer fails. Call it in the exception handler."""
    if isinstance(error, AccessLost):
        return Failure(403, LOST, {})
    logger.exception("Answer %s could not be followed", message_id)
    ids = {"message_id": str(message_id)}
    is_down = get_status(error) == HTTPStatus.SERVICE_UNAVAILABLE
    return Failure(503, _DATABASE_DOWN, ids) if is_down else Failure(500, _FAULT, ids)


def load_outcome(message_id: UUID) -> Message | Failure:
    """The message with its sources, perhaps unfinished, or a failure."""
    kept = Message.objects.still_served().filter(chat__deleted_at__isnull=True, pk=message_id)
    message = kept.prefetch_related("sources").first()
    if message is None:
        return Failure(404, _DELETED, {})
    if not message.has_failed:
        return message
    status = _STATUSES.get(message.failure, 500) if message.status == MessageStatus.FAILED else _INTERRUPTED
    return Failure(status, message.notice, _ids(message))


def _ids(message: Message) -> dict[str, str]:
    return {"message_id": str(message.pk), "chat_id": str(message.chat_id)}
