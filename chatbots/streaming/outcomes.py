"""The outcome of an answer for API clients: the message or a problem."""

from __future__ import annotations

import logging
from dataclasses import dataclass
from http import HTTPStatus
from typing import Any
from uuid import UUID

from chatbots.answering.finalize import INTERRUPTED
from chatbots.models import Message, MessageQuerySet, MessageStatus
from chatbots.streaming.access import LOST, AccessLost
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
    message = _kept(message_id).prefetch_related("sources").first()
    if message is None:
        return Failure(404, _DELETED, {})
    if not message.has_failed:
        return message
    status = _STATUSES.get(message.failure, 500) if message.status == MessageStatus.FAILED else _INTERRUPTED
    return Failure(status, message.notice, _ids(message))


def _kept(message_id: UUID) -> MessageQuerySet:
    return Message.objects.still_served().filter(chat__deleted_at__isnull=True, pk=message_id)


def _ids(message: Message) -> dict[str, str]:
    return {"message_id": str(message.pk), "chat_id": str(message.chat_id)}
