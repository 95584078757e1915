"""The outcome of an answer for API clients: the message or a problem."""

from __future__ import annotations

import logging
from collections.abc import AsyncGenerator
from dataclasses import dataclass, replace
from http import HTTPStatus
from uuid import UUID

from chatbots.answering.draft import Event
from chatbots.answering.finalize import INTERRUPTED
from chatbots.models import Message, MessageStatus
from chatbots.streaming.access import LOST, AccessLost, Subscriber, watch_access
from chatbots.streaming.follow import compare_states, follow
from chatbots.streaming.registry import AnswerJob, AnswerState
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


async def follow_whole(
    message_id: UUID, reader: Subscriber, job: AnswerJob | None = None
) -> AsyncGenerator[Event | Failure]:
    """Follow an answer for programs: with its row at the sources and at the end, before which comes all that they lack.
    A failure is the last one. Raises what `follow` does."""
    known = AnswerState()
    async for state in _follow_to_end(message_id, reader, job):
        if state.is_done or (state.has_sources and not known.has_sources):
            row: Message | Failure | None = state.row
            if row is None:
                row = await background.run_in_pool("requests", load_outcome, message_id, is_over=state.is_done)
            if isinstance(row, Message):
                text = row.answer if state.is_done else state.text
                state = replace(state, row=row, has_sources=True, text=text)
            elif state.is_done:
                yield row
                return
            else:
                state = replace(state, has_sources=False)  # the failure is told at the end
        for change in compare_states(known, state):
            yield change
        known = state


async def _follow_to_end(message_id: UUID, reader: Subscriber, job: AnswerJob | None) -> AsyncGenerator[AnswerState]:
    state = AnswerState()
    with watch_access(reader) as watch:
        async for state in follow(message_id, watch, job):
            yield state
    if not state.is_done:  # this process shuts down
        yield replace(state, is_done=True)


def read_failure(message_id: UUID, error: Exception) -> Failure:
    """The error to send when following an answer fails. Call it in the exception handler."""
    if isinstance(error, AccessLost):
        return Failure(403, LOST, {})
    logger.exception("Answer %s could not be followed", message_id)
    ids = {"message_id": str(message_id)}
    is_down = get_status(error) == HTTPStatus.SERVICE_UNAVAILABLE
    return Failure(503, _DATABASE_DOWN, ids) if is_down else Failure(500, _FAULT, ids)


def load_outcome(message_id: UUID, *, is_over: bool = True) -> Message | Failure:
    """The message with its sources, or a failure. One that is unfinished although its job is over was interrupted."""
    kept = Message.objects.still_served().filter(chat__deleted_at__isnull=True, pk=message_id)
    message = kept.prefetch_related("sources").first()
    if message is None:
        return Failure(404, _DELETED, {})
    is_interrupted = is_over and not message.is_finished
    if not (message.has_failed or is_interrupted):
        return message
    status = _STATUSES.get(message.failure, 500) if message.status == MessageStatus.FAILED else _INTERRUPTED
    ids = {"message_id": str(message.pk), "chat_id": str(message.chat_id)}
    return Failure(status, INTERRUPTED if is_interrupted else message.notice, ids)
