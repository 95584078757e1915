"""Follow an answer: give each reader the text so far, then every change.

If another process writes the answer, the reader follows a copy of its events, and its row. For readers a stopped answer
ends at once, even while its writer waits for the model. No thread and no database connection is held in between.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from uuid import UUID

from django.utils import timezone

from chatbots.answering import execution
from chatbots.answering.draft import Event, Kind
from chatbots.models import Message, MessageStatus
from chatbots.streaming import jobs, registry, relay
from chatbots.streaming.access import Subscriber, Watch, watch_access
from chatbots.streaming.registry import AnswerJob, JobStage
from chatbots.streaming.ticker import ABANDONED
from engines import background

READER_CHECK_SECONDS = 1.0
"""Seconds between two access checks while the model is silent."""


@dataclass
class ReaderProgress:
    """What a reader has of an answer."""

    text: str = ""
    reasoning: str = ""
    sequence: int = 0
    has_sources: bool = False
    is_done: bool = False
    is_over: bool = False
    """Whether nothing more will come."""

    def lacks(self, events: Sequence[Event]) -> bool:
        """Whether something before these events is missing."""
        first = next((one for one in events if one.kind in (Kind.TEXT, Kind.DROPPED)), None)
        return first is not None and first.kind == Kind.TEXT and first.offset > len(self.text)

    def take(self, events: Sequence[Event]) -> list[Event]:
        """Add events, and return what is new to the reader, each text in one piece. Who has nothing gets the end
        alone."""
        before = replace(self)
        new = [one for one in events if (not one.sequence or one.sequence > self.sequence) and self._add(one)]
        ends = [one for one in new if one.kind != Kind.SOURCES]
        ends = [replace(ends[-1], kind=Kind.DONE)] if len(ends) > 1 else ends  # it was verified meanwhile
        if ends and not before.has_sources:
            return ends
        texts: list[Event] = []
        if not (self.text.startswith(before.text) and self.reasoning.startswith(before.reasoning)):
            texts, before = [Event(Kind.DROPPED)], ReaderProgress()
        for kind, known, whole in (
            (Kind.REASONING, before.reasoning, self.reasoning),
            (Kind.TEXT, before.text, self.text),
        ):
            texts += [Event(kind, whole[len(known) :], len(known))] if whole != known else []
        return [*(one for one in new if one.kind == Kind.SOURCES), *texts, *ends]

    def _add(self, event: Event) -> bool:
        """Whether it is a new event that is no text."""
        self.sequence = max(self.sequence, event.sequence)
        match event.kind:
            case Kind.SOURCES if not self.has_sources:
                self.has_sources = True
            case Kind.DONE if not self.is_done:
                self.is_done, self.is_over = True, not event.unverified
            case Kind.VERIFIED if self.is_done and not self.is_over:
                self.is_over = True
            case Kind.DROPPED:
                self.text = self.reasoning = ""
                return False
            case Kind.TEXT:
                self.text = _extend(self.text, event)
                return False
            case Kind.REASONING:
                self.reasoning = _extend(self.reasoning, event)
                return False
            case _:
                return False
        return True


def _extend(known: str, event: Event) -> str:
    """The text with an addition. A row that is behind takes nothing away; what does not fit yet is left out."""
    whole = known[: event.offset] + event.text
    return known if event.offset > len(known) or known.startswith(whole) else whole


async def follow(message_id: UUID, reader: Subscriber, job: AnswerJob | None = None) -> AsyncIterator[Event]:
    """Yield the answer so far, then each change. Raises AccessLost.

    It ends without `DONE`, or without the `VERIFIED` that follows, if this process shuts down: the reader must
    reconnect. `job` is the one that writes the answer, if it was just begun.
    """
    with watch_access(reader) as watch:
        async for events in follow_changes(message_id, watch, ReaderProgress(), job):
            for event in events:
                yield event


async def follow_changes(
    message_id: UUID, watch: Watch, progress: ReaderProgress, job: AnswerJob | None = None
) -> AsyncIterator[list[Event]]:
    """Yield what is new, again and again, until the answer is finished and verified."""
    if job := job or registry.jobs.get(message_id):
        async for events in _follow_job(job, watch, progress):
            yield events
        if job.stage != JobStage.ELSEWHERE:
            return
    async for events in follow_elsewhere(message_id, watch, progress):
        yield events


async def follow_elsewhere(message_id: UUID, watch: Watch, progress: ReaderProgress) -> AsyncIterator[list[Event]]:
    """The same of an answer that another process writes."""
    async for events in _follow_job(relay.get_copy(message_id), watch, progress, is_copy=True):
        yield events


async def _follow_job(
    job: AnswerJob, watch: Watch, progress: ReaderProgress, *, is_copy: bool = False
) -> AsyncIterator[list[Event]]:
    changed, seen, queued = asyncio.Event(), 0, 0
    with job.read_by(changed):
        while is_copy or job.stage != JobStage.ELSEWHERE:
            changed.clear()
            place, events = job.queued or 0, job.events[seen:]
            if seen and len(events) > 1 and events[-1].unverified:
                events.pop()  # its verdicts may come in a moment
            seen += len(events)
            if place != queued:
                queued = place
                yield [Event(Kind.QUEUED, queued=place)]
            if is_copy and (not events or progress.lacks(events)):
                events = [*await background.run_in_pool("requests", _read_row, job.id), *events]
            yield progress.take(events)
            if progress.is_over or (is_copy and execution.closing.is_set()):
                return
            with suppress(TimeoutError):
                # `wait_for` may swallow a cancellation
                async with asyncio.timeout(relay.event_timeout() if is_copy else READER_CHECK_SECONDS):
                    await changed.wait()
            watch.check()


def _read_row(message_id: UUID) -> list[Event]:
    """What the row says, as events."""
    message = Message.objects.filter(pk=message_id).first()
    if message and (
        (not message.is_finished and _is_late(message.heartbeat_at))
        or (message.unverified and _is_late(message.finished_at))
    ):
        jobs.interrupt_abandoned()  # do not wait for the periodic task
        message = Message.objects.filter(pk=message_id).first()
    if message is None:
        return [Event(Kind.DONE), Event(Kind.VERIFIED)]
    is_searched = message.status != MessageStatus.PENDING and (message.timings or message.is_finished)
    events = [Event(Kind.SOURCES)] if is_searched else []
    events += [Event(Kind.TEXT, message.answer)] if message.answer else []
    if message.is_finished:
        events.append(Event(Kind.DONE, unverified=message.unverified))
        events += [] if message.unverified else [Event(Kind.VERIFIED)]
    return events


def _is_late(since: datetime | None) -> bool:
    return since is None or since < timezone.now() - timedelta(seconds=ABANDONED)
