"""The answers that this process writes. Writer, readers and ticker share one object for each, with its state."""

from __future__ import annotations

import asyncio
import threading
from collections import defaultdict
from collections.abc import Iterable, Iterator
from concurrent.futures import Future
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from uuid import UUID

from django.db import connection

from chatbots.answering import execution
from chatbots.answering.draft import Event, Kind
from chatbots.models import Message

lock = threading.RLock()
jobs: dict[UUID, AnswerJob] = {}


@dataclass(frozen=True)
class AnswerState:
    """How far an answer is. What is new to a reader is the difference of two states."""

    text: str = ""
    reasoning: str = ""
    dropped: int = 0
    """How many texts were discarded before this one."""
    has_sources: bool = False
    is_done: bool = False
    queued: int = 0
    """How many others are prepared first, while it waits for its turn."""
    row: Message | None = field(default=None, compare=False, repr=False)
    """Its row with its sources, with them and at the end, for readers in this process who may still read it."""

    def add(self, event: Event) -> AnswerState:
        match event.kind:
            case Kind.TEXT:
                return replace(self, text=self.text + event.text)
            case Kind.REASONING:
                return replace(self, reasoning=self.reasoning + event.text)
            case Kind.DROPPED:
                return replace(self, text="", reasoning="", dropped=self.dropped + 1)
            case Kind.SOURCES:
                return replace(self, has_sources=True, row=event.message)
            case _:
                return replace(self, is_done=True, row=event.message)


@dataclass(eq=False)
class AnswerJob:
    """An answer that is being written, or about to be."""

    id: UUID
    message: Message | None = None
    """Its row, once it is claimed."""
    state: AnswerState = AnswerState()
    published: AnswerState = AnswerState()
    """What other processes can read."""
    is_elsewhere: bool = False
    """Another process writes it."""
    over: bool = False
    """It has been ended, although its writer may still wait for the model."""
    result: Future[Message | None] = field(default_factory=Future)
    """The finished row with its sources, where all went well here."""
    readers: set[tuple[asyncio.AbstractEventLoop, asyncio.Event]] = field(default_factory=set)
    waits_for_model: bool = False
    """Its text is saved as it grows, and it may be ended elsewhere meanwhile."""

    @property
    def is_ours(self) -> bool:
        return self.message is not None

    def add(self, event: Event) -> None:
        """Add an event of the pipeline. Readers are told at once, but of more text by the ticker."""
        with lock:
            before = self.state
            if before.is_done:
                return
            self.state = before.add(event)
        if event.kind not in (Kind.TEXT, Kind.REASONING) or (event.text and not (before.text or before.reasoning)):
            wake([self])

    def end(self) -> None:
        """Mark it as ended by somebody else."""
        self.over = True
        self.add(Event(Kind.DONE))

    def close(self, *, is_elsewhere: bool = False) -> None:
        """Nothing is left to do, or another process does it."""
        self.is_elsewhere = is_elsewhere
        if not is_elsewhere:
            self.add(Event(Kind.DONE))
        self.result.set_result(None if self.over or is_elsewhere else self.state.row)
        wake([self])

    def wait(self) -> Message | None:
        """Return the result, once there is one. In the transaction that starts it, it would never come."""
        is_started = jobs.get(self.id) is self or self.result.done()
        assert is_started or not connection.in_atomic_block, "It starts after the transaction: wait for it outside"
        return self.result.result()

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
    with lock:  # or another thread tells later ones first
        places = execution.queue.find_places()
        changed = [job for job in jobs.values() if job.state.queued != places.get(job.id, 0)]
        for job in changed:
            job.state = job.published = replace(job.state, queued=places.get(job.id, 0))
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
