"""The answers that this process writes. Writer, readers and ticker share one object for each, with its events."""

from __future__ import annotations

import asyncio
import threading
from collections import defaultdict
from collections.abc import Iterable, Iterator
from concurrent.futures import Future
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from enum import IntEnum
from uuid import UUID

from chatbots.answering import execution
from chatbots.answering.draft import Event, Kind
from chatbots.models import Message

lock = threading.RLock()
jobs: dict[UUID, AnswerJob] = {}


class JobStage(IntEnum):
    WAITING = 0  # its row is not claimed yet
    ELSEWHERE = 1  # another process has claimed it
    OURS = 2
    CLOSED = 3  # nothing is left to do


@dataclass(eq=False)
class AnswerJob:
    """An answer that is being written, or about to be."""

    id: UUID
    stage: JobStage = JobStage.WAITING
    message: Message | None = None
    """Its row, once it is claimed."""
    text: str = ""
    reasoning: str = ""
    events: list[Event] = field(default_factory=list)
    """What has happened."""
    queued: int | None = None
    """How many others are prepared first, while it waits for its turn."""
    over: bool = False
    """It has been ended, although its writer may still wait for the model."""
    published: int = 0
    """How many events other processes can read."""
    result: Future[Message | None] = field(default_factory=Future)
    """The finished row with its sources, where all went well here."""
    readers: set[tuple[asyncio.AbstractEventLoop, asyncio.Event]] = field(default_factory=set)
    waits_for_model: bool = False
    """Its text is saved as it grows, and it may be ended elsewhere meanwhile."""
    position: str = "0"
    """Where other processes' events are read on, for a copy of an answer that one of them writes (`relay`)."""

    @property
    def is_ours(self) -> bool:
        return self.stage >= JobStage.OURS

    @property
    def is_finished(self) -> bool:
        return any(event.kind == Kind.DONE for event in self.events[-2:])

    @property
    def is_ended(self) -> bool:
        """Whether nothing more will come: a finished answer may still be compared with its passages."""
        last = self.events[-1] if self.events else Event(Kind.QUEUED)
        return last.kind == Kind.VERIFIED or (last.kind == Kind.DONE and not last.unverified)

    def add(self, event: Event) -> None:
        """Add an event of the pipeline. Readers are told at once, but of more text and of an answer that is still to be
        verified by the ticker."""
        with lock:
            if self.is_ended:
                return
            place, had_text = len(self.events) + 1, self.text or self.reasoning
            if event.kind == Kind.TEXT:
                event = Event(event.kind, event.text, len(self.text), place)
                self.text += event.text
            elif event.kind == Kind.REASONING:
                event = Event(event.kind, event.text, len(self.reasoning), place)
                self.reasoning += event.text
            else:
                event = replace(event, sequence=place, draft=None, prompt=None, verification=None)
            if event.kind == Kind.DROPPED:
                self.text = self.reasoning = ""
            self.events.append(event)
        is_text = event.kind in (Kind.TEXT, Kind.REASONING)
        if (event.text and not had_text) if is_text else not event.unverified:
            wake([self])

    def begin(self, message: Message) -> None:
        """Its row is claimed."""
        self.message, self.stage = message, JobStage.OURS

    def take_unpublished(self) -> list[Event]:
        """The events since this was called last."""
        with lock:
            new = self.events[self.published :]
            self.published += len(new)
        return new

    def end(self) -> None:
        """Mark it as ended by somebody else."""
        self.over = True
        if not self.is_finished:
            self.add(Event(Kind.DONE))

    def close(self, *, is_elsewhere: bool = False) -> None:
        """Nothing is left to do, or another process does it."""
        if is_elsewhere:
            self.stage = JobStage.ELSEWHERE
        else:
            self.add(Event(Kind.VERIFIED if self.is_finished else Kind.DONE))
            self.stage = JobStage.CLOSED
        last = self.events[-1].message if self.events else None
        self.result.set_result(None if self.over or is_elsewhere else last)
        wake([self])

    @contextmanager
    def read_by(self, changed: asyncio.Event) -> Iterator[None]:
        """Set `changed` with every change, for a reader in the running event loop."""
        reader = (asyncio.get_running_loop(), changed)
        with lock:
            self.readers.add(reader)
        try:
            yield
        finally:
            with lock:
                self.readers.discard(reader)


def add_job(job: AnswerJob) -> bool:
    """Keep a job; False if there is one for its message."""
    with lock:
        return job.id not in jobs and jobs.setdefault(job.id, job) is job


def tell_places() -> None:
    """Tell those that wait for their turn how many come first."""
    places = execution.queue.find_places()
    with lock:
        changed = [job for job in jobs.values() if job.queued != places.get(job.id)]
        for job in changed:
            job.queued = places.get(job.id)
    wake(changed)


def wake(changed: Iterable[AnswerJob]) -> None:
    """Tell the readers of these answers, each event loop once."""
    loops = defaultdict[asyncio.AbstractEventLoop, list[asyncio.Event]](list)
    with lock:
        for job in changed:
            for loop, event in job.readers:
                loops[loop].append(event)
    for loop, events in loops.items():
        if not loop.is_closed():
            loop.call_soon_threadsafe(_set_all, events)


def _set_all(events: Iterable[asyncio.Event]) -> None:
    for event in events:
        event.set()
