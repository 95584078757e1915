"""How an answer that a program waits for has ended: with an answer, or with a problem that says what to do."""

from __future__ import annotations

from dataclasses import dataclass
from http import HTTPStatus
from typing import Any
from uuid import UUID

from chatbots.models import Message, MessageStatus

_STATUSES = {
    "unavailable": 502,
    "refused": 502,
    "silent": 502,
    "busy": 503,
    "sources": 503,
    "embedding": 503,
    "timeout": 504,
    "fault": 500,
}
"""Of a failure, by its code (engines.errors)."""

_INTERRUPTED = 503
_GONE = "The conversation was deleted while the answer was written."


@dataclass(frozen=True)
class Failure:
    """A problem with the ids by which the question, which is kept, can be found."""

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


def outcome(message_id: UUID) -> Message | Failure:
    """The finished message with its sources, or why there is no answer."""
    kept = Message.objects.filter(chat__deleted_at__isnull=True).prefetch_related("sources")
    message = kept.filter(pk=message_id).first()
    if message is None:
        return Failure(404, _GONE, {})
    if not message.has_failed:
        return message
    status = _STATUSES.get(message.failure, 500) if message.status == MessageStatus.FAILED else _INTERRUPTED
    return Failure(status, message.notice, {"message_id": str(message.pk), "chat_id": str(message.chat_id)})
