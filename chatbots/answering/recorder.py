"""Answer a stored question and save the pipeline's events as they come.

In every case the message ends as done, failed, interrupted or stopped, and the question is kept. An answer that has
ended is not changed.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Generator, Sequence
from contextlib import AbstractContextManager, closing, nullcontext
from uuid import UUID

from django.utils import timezone

from chatbots.answering import finalize, pipeline
from chatbots.answering.draft import Event, Finished, SourcesFound, TextAdded, TextDropped
from chatbots.answering.prompt_record import store, store_attempts
from chatbots.answering.request import request_for
from chatbots.models import Message, MessageStatus
from engines.errors import EngineError

logger = logging.getLogger(__name__)

FAULT = "Something went wrong on our side. Your question is kept: please try again."


def claim(message_id: UUID) -> Message | None:
    """Claim a pending message; None if it is claimed already or deleted."""
    pending = Message.objects.filter(pk=message_id, status=MessageStatus.PENDING)
    if not pending.update(status=MessageStatus.WRITING, heartbeat_at=timezone.now()):
        return None
    return (
        Message.objects.select_related("chat__chatbot__school", "chat__participant", "version_of")
        .filter(pk=message_id)
        .first()
    )


def record(
    message: Message,
    *,
    history: Sequence[tuple[str, str]] = (),
    is_over: Callable[[], bool] = lambda: False,
    waiting: Callable[[], AbstractContextManager[None]] = nullcontext,
    release: Callable[[], None] = lambda: None,
) -> Generator[Event, None, None]:
    """Answer a claimed message and yield each event once it is stored. If closed early, the answer is interrupted.

    `is_over` is checked after every event: has the answer been ended elsewhere? `release` frees resources before the
    model is waited for; the context manager `waiting` does so during query rewriting.
    """
    text = ""
    try:
        with closing(pipeline.answer(request_for(message, history, waiting))) as events:
            release()
            for event in events:
                text = _kept(message, event, text)
                release()
                yield event
                if is_over():
                    return
    except finalize.AlreadyEnded:
        return
    except EngineError as problem:
        finalize.fail(message, text=text, reason=str(problem), code=problem.code)
    except GeneratorExit:
        if finalize.interrupt(message, text=text):
            finalize.verify_partial(message)
        raise
    except Exception:
        logger.exception("Answering message %s failed", message.pk)
        finalize.fail(message, text=text, reason=FAULT, code="fault")


def _kept(message: Message, event: Event, text: str) -> str:
    """Store an event and return the text so far. Raises AlreadyEnded."""
    match event:
        case SourcesFound(draft):
            if not store(message, draft):
                raise finalize.AlreadyEnded
        case TextAdded(added):
            return text + added
        case TextDropped():
            store_attempts(message, 2)
            return ""
        case Finished(draft):
            finalize.finish(message, draft)
    return text
