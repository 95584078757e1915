"""Answer a stored question and save the pipeline's events as they come.

In every case the message ends as done, failed, interrupted or stopped, and the question is kept. An answer that has
ended is not changed.
"""

from __future__ import annotations

import logging
from collections.abc import AsyncGenerator, Callable, Iterator, Sequence
from contextlib import aclosing
from dataclasses import replace
from http import HTTPStatus
from uuid import UUID

from django.utils import timezone

from chatbots.answering import execution, finalize, pipeline, prompt_record
from chatbots.answering.draft import AnswerRequest, Event, Kind
from chatbots.answering.execution import Read
from chatbots.answering.request import build_request
from chatbots.models import Message, MessageStatus
from chatbots.passages import AnswerPrompt
from engines.errors import EngineError
from rest.problems import get_status

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


class Recorder:
    """The steps of answering a claimed message (`pipeline.Answer`), which store each event before it is yielded.

    `is_over` is checked after every event: has the answer been ended elsewhere?
    """

    def __init__(
        self,
        message: Message,
        *,
        history: Sequence[tuple[str, str]] = (),
        is_new: bool = False,
        is_over: Callable[[], bool] = lambda: False,
    ) -> None:
        self.message, self._is_over, self._text, self._has_ended = message, is_over, "", False
        self._made = pipeline.Answer(
            lambda: _hurried(execution.do_patiently(build_request, message, history, is_new=is_new))
        )
        self._failure: Exception | None = None
        self._second_prompt: AnswerPrompt | None = None

    @property
    def must_rewrite(self) -> bool:
        return self._made.must_rewrite and not (self._has_ended or self._is_over())

    @property
    def must_write(self) -> bool:
        return self._made.must_write and not (self._has_ended or self._is_over())

    def prepare(self) -> Iterator[Event]:
        return self._record(self._made.prepare())

    async def rewrite(self) -> None:
        await self._made.rewrite()

    def search(self) -> Iterator[Event]:
        return self._record(self._made.search())

    async def write(self, read: Read) -> AsyncGenerator[Event]:
        """Yield the text. `finish` tells of a failure."""
        try:
            async with aclosing(self._made.write(read)) as events:
                async for event in events:
                    yield self._note(event)
                    if self._is_over():
                        return
        except Exception as failure:
            self._failure = failure

    def finish(self) -> Iterator[Event]:
        return self._record(self._end())

    def _note(self, event: Event) -> Event:
        if event.kind == Kind.TEXT:
            self._text += event.text
        elif event.kind == Kind.DROPPED:
            self._text, self._second_prompt = "", event.prompt or self._second_prompt
        return event

    def _end(self) -> Iterator[Event]:
        if self._second_prompt:
            prompt_record.store_second_prompt(self.message, self._second_prompt)
        if self._failure:
            raise self._failure
        if not self._is_over():
            yield from self._made.finish()

    def _record(self, events: Iterator[Event]) -> Iterator[Event]:
        try:
            for event in events:
                yield execution.do_patiently(self._store, event)
                if self._is_over():
                    return
        except finalize.AlreadyEnded:
            self._has_ended = True
        except EngineError as problem:
            self._fail(str(problem), problem.code)
        except Exception as error:
            logger.exception("Answering message %s failed", self.message.pk)
            is_away = get_status(error) == HTTPStatus.SERVICE_UNAVAILABLE
            self._fail(*((AWAY, "away") if is_away else (FAULT, "fault")))

    def _fail(self, reason: str, code: str) -> None:
        self._has_ended = True
        execution.do_patiently(finalize.fail, self.message, text=self._text, reason=reason, code=code)

    def _store(self, event: Event) -> Event:
        """Store an event, and return it with the row. Raises AlreadyEnded."""
        message, draft = self.message, event.draft
        is_stored = True
        if event.kind == Kind.SOURCES and draft:
            store = finalize.finish_at_once if draft.is_whole else prompt_record.store
            is_stored = store(message, draft)
        elif event.kind == Kind.DONE and draft and not message.is_finished:
            is_stored = finalize.finish(message, draft)
        if not is_stored:
            raise finalize.AlreadyEnded
        return replace(self._note(event), message=self.message)


def _hurried(request: AnswerRequest) -> AnswerRequest:
    is_hurried = request.reads and execution.queue.count() > execution.MAX_READ_QUEUE
    return replace(request, reads=False, is_hurried=True) if is_hurried else request
