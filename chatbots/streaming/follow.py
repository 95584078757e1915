"""Follow an answer: give each reader the text so far, then every change.

If another process writes the answer, the reader follows its row and its events. For readers a stopped answer ends at
once, even while its writer waits for the model. No thread and no database connection is held in between.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from uuid import UUID

from django.utils import timezone

from chatbots.answering.draft import Event, Kind
from chatbots.models import Message, MessageStatus
from chatbots.streaming import jobs, registry, relay
from chatbots.streaming.access import Subscriber, Watch, watch_access
from chatbots.streaming.heartbeat import ABANDONED
from chatbots.streaming.registry import AnswerJob, JobStage
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
        first = next((one for one in _since_drop(events) if one.kind in (Kind.TEXT, Kind.DROPPED)), None)
        return first is not None and first.kind == Kind.TEXT and first.offset > len(self.text)

    def take(self, events: Sequence[Event]) -> list[Event]:
        """Add events, and return what is new to the reader. The end brings everything to one who has nothing."""
        fresh = [one for one in events if not one.sequence or one.sequence > self.sequence]
        ends = any(one.kind == Kind.DONE for one in fresh)
        is_late = ends and not self.has_sources
        new: list[Event] = []
        for event in _since_drop(fresh):
            self.sequence = max(self.sequence, event.sequence)
            found = self._take(event, ends=ends)
            new += found if not is_late or event.kind in (Kind.DONE, Kind.VERIFIED) else []
        return _joined(new)

    def _take(self, event: Event, *, ends: bool) -> list[Event]:
        match event.kind:
            case Kind.SOURCES if not self.has_sources:
                self.has_sources = True
                return [event]
            case Kind.DROPPED if self.text or self.reasoning:
                self.text = self.reasoning = ""
                return [event]
            case Kind.TEXT | Kind.REASONING:
                return self._add_text(event, ends=ends)
            case Kind.DONE if not self.is_done:
                self.is_done, self.is_over = True, not event.unverified
                return [event]
            case Kind.VERIFIED if self.is_done and not self.is_over:
                self.is_over = True
                return [event]
        return []

    def _add_text(self, event: Event, *, ends: bool) -> list[Event]:
        known = self.text if event.kind == Kind.TEXT else self.reasoning
        whole = known[: event.offset] + event.text
        if event.offset > len(known) or (known.startswith(whole) and not ends):
            return []
        if event.kind == Kind.TEXT:
            self.text = whole
        else:
            self.reasoning = whole
        if whole.startswith(known):
            return [replace(event, text=whole[len(known) :], offset=len(known))] if len(whole) > len(known) else []
        dropped = [Event(Kind.DROPPED)] if event.kind == Kind.TEXT else []
        return [] if ends else [*dropped, replace(event, text=whole, offset=0)]


def _since_drop(events: Sequence[Event]) -> list[Event]:
    """The events without text that was dropped. A text from its beginning on says itself that it replaces another."""
    last = max((i for i, one in enumerate(events) if one.kind == Kind.DROPPED), default=-1)
    last += any(one.kind == Kind.TEXT for one in events[last:])
    texts = (Kind.TEXT, Kind.REASONING, Kind.DROPPED)
    return [one for i, one in enumerate(events) if i >= last or one.kind not in texts]


def _joined(events: Sequence[Event]) -> list[Event]:
    """The events with neighbouring texts joined."""
    found: list[Event] = []
    for event in events:
        before = found[-1] if found else None
        if before and event.kind in (Kind.TEXT, Kind.REASONING) and event.kind == before.kind:
            found[-1] = replace(before, text=before.text + event.text, sequence=event.sequence)
        else:
            found.append(event)
    return found


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
        async for events in _of_job(job, watch, progress):
            yield events
        if job.stage != JobStage.ELSEWHERE:
            return
    async for events in follow_elsewhere(message_id, watch, progress):
        yield events


async def _of_job(job: AnswerJob, watch: Watch, progress: ReaderProgress) -> AsyncIterator[list[Event]]:
    changed, seen, queued = asyncio.Event(), 0, 0
    with job.read_by(changed):
        while job.stage != JobStage.ELSEWHERE:
            changed.clear()
            place, events = job.queued or 0, job.events[seen:]
            seen += len(events)
            if place != queued:
                queued = place
                yield [Event(Kind.QUEUED, queued=place)]
            yield progress.take(events)
            if progress.is_over:
                return
            with suppress(TimeoutError):
                async with asyncio.timeout(READER_CHECK_SECONDS):  # `wait_for` may swallow a cancellation
                    await changed.wait()
            watch.check()


async def follow_elsewhere(message_id: UUID, watch: Watch, progress: ReaderProgress) -> AsyncIterator[list[Event]]:
    """The same of an answer that another process writes."""
    with relay.subscribe(message_id) as arrivals:
        events = await background.run_in_pool("requests", _read_row, message_id)
        while True:
            yield progress.take(events)
            if progress.is_over or jobs.is_closing():
                return
            events = []
            with suppress(TimeoutError):
                async with asyncio.timeout(relay.event_timeout()):
                    events = await arrivals.get()
            if not events or progress.lacks(events):
                events = [*await background.run_in_pool("requests", _read_row, message_id), *events]
            watch.check()


def _read_row(message_id: UUID) -> list[Event]:
    """What the row says, as events."""
    message = Message.objects.filter(pk=message_id).first()
    if message and not message.is_finished and _is_late(message.heartbeat_at):
        jobs.interrupt_abandoned()  # do not wait for the periodic task
        message = Message.objects.filter(pk=message_id).first()
    if message and message.unverified and _is_late(message.finished_at):
        jobs.verify_abandoned()
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
