"""Answering what is stored: the pipeline's events, kept in rows as they come.

Whatever happens on the way, the message ends as done, failed, interrupted or stopped, and the question is kept. What
has ended is not written any more.
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
    """Take a pending message to answer it; None where somebody else has it, or where it is gone."""
    pending = Message.objects.filter(pk=message_id, status=MessageStatus.PENDING)
    if not pending.update(status=MessageStatus.WRITING, heartbeat_at=timezone.now()):
        return None
    return Message.objects.select_related("chat__chatbot__school", "version_of").filter(pk=message_id).first()


def record(
    message: Message,
    *,
    history: Sequence[tuple[str, str]] = (),
    is_over: Callable[[], bool] = lambda: False,
    waiting: Callable[[], AbstractContextManager[None]] = nullcontext,
    release: Callable[[], None] = lambda: None,
) -> Generator[Event, None, None]:
    """Answer a claimed message and pass on each event once it is stored. Closed early, it ends as interrupted.

    `is_over` is asked after every piece whether somebody else has ended the answer. `release` gives back what is not
    needed while a model is waited for, `waiting` as well for as long as it is entered.
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
    except finalize.Ended:
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
    """Store what has to be stored of an event; return the text so far. Raises Ended where somebody has ended it."""
    match event:
        case SourcesFound(draft):
            if not store(message, draft):
                raise finalize.Ended
        case TextAdded(added):
            return text + added
        case TextDropped():
            store_attempts(message, 2)
            return ""
        case Finished(draft):
            finalize.finish(message, draft)
    return text
