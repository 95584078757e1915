"""Answer a stored question and save the pipeline's events as they come.

In every case the message ends as done, failed, interrupted or stopped, and the question is kept. An answer that has
ended is not changed.
"""

from __future__ import annotations

import logging
from collections.abc import AsyncGenerator, Callable, Sequence
from contextlib import aclosing
from http import HTTPStatus
from uuid import UUID

from django.utils import timezone

from chatbots.answering import execution, finalize, pipeline
from chatbots.answering.draft import (
    AnswerRequest,
    Event,
    Finished,
    ReasoningAdded,
    SourcesFound,
    TextAdded,
    TextDropped,
    Verified,
)
from chatbots.answering.prompt_record import store, store_second_prompt
from chatbots.answering.request import request_for
from chatbots.models import Message, MessageStatus
from engines.errors import EngineError
from rest.problems import status_of

logger = logging.getLogger(__name__)

FAULT = "Something went wrong on our side. Your question is kept: please try again."
AWAY = "The database did not answer, or a disk of the server is full. Your question is kept: please try again."


def claim(message_id: UUID, message: Message | None = None) -> Message | None:
    """Claim a pending message; None if it is claimed already or deleted. `message` is its row, if it was just read."""
    pending = Message.objects.filter(pk=message_id, status=MessageStatus.PENDING)
    if not pending.update(status=MessageStatus.WRITING, heartbeat_at=timezone.now()):
        return None
    if message:
        message.status = MessageStatus.WRITING
        return message
    return (
        Message.objects.select_related("chat__chatbot__school", "chat__participant", "version_of")
        .filter(pk=message_id)
        .first()
    )


async def record_answer(
    message: Message,
    *,
    history: Sequence[tuple[str, str]] = (),
    begins: Callable[[], None] = lambda: None,
    is_over: Callable[[], bool] = lambda: False,
) -> AsyncGenerator[Event]:
    """Answer a claimed message and yield each event once it is stored. If closed early, the answer is interrupted.

    `begins` is called when its turn to be prepared has come. `is_over` is checked then and after every event: has the
    answer been ended elsewhere? A finished answer is verified all the same.
    """

    def understand() -> AnswerRequest:
        begins()
        if is_over():
            raise finalize.AlreadyEnded
        return request_for(message, history)

    text = ""
    try:
        async with aclosing(pipeline.answer(understand)) as events:
            async for event in events:
                if isinstance(event, TextAdded):
                    text += event.text
                elif not isinstance(event, ReasoningAdded):
                    text = await execution.in_pool(_kept, message, event, text)
                yield event
                if is_over() and not isinstance(event, Finished):
                    return
    except finalize.AlreadyEnded:
        return
    except EngineError as problem:
        await execution.in_pool(finalize.fail, message, text=text, reason=str(problem), code=problem.code)
    except GeneratorExit:
        await execution.in_pool(_interrupted, message, text)
        raise
    except Exception as error:
        logger.exception("Answering message %s failed", message.pk)
        is_away = status_of(error) == HTTPStatus.SERVICE_UNAVAILABLE
        reason, code = (AWAY, "away") if is_away else (FAULT, "fault")
        await execution.in_pool(finalize.fail, message, text=text, reason=reason, code=code)


def _interrupted(message: Message, text: str) -> None:
    if finalize.interrupt(message, text=text) or message.unverified:
        finalize.verify_stored(message)


def _kept(message: Message, event: Event, text: str) -> str:
    """Store an event and return the text so far. Raises AlreadyEnded."""
    match event:
        case SourcesFound(draft):
            if not store(message, draft):
                raise finalize.AlreadyEnded
        case TextDropped(prompt):
            if prompt:
                store_second_prompt(message, prompt)
            return ""
        case Finished(draft):
            if not finalize.finish(message, draft):
                raise finalize.AlreadyEnded
        case Verified(verification):
            finalize.store_verification(message, verification)
    return text
