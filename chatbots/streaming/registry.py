"""The answers that this process writes. Writer, readers and ticker share one object for each."""

from __future__ import annotations

import asyncio
import threading
from collections import defaultdict
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from enum import IntEnum
from itertools import takewhile
from uuid import UUID

from chatbots.answering.draft import Event, Finished, ReasoningAdded, SourcesFound, TextAdded, TextDropped
from chatbots.models import Message

lock = threading.RLock()
jobs: dict[UUID, AnswerJob] = {}

_readers = 0  # of answers that are written here


class JobStage(IntEnum):
    WAITING = 0  # the row is not claimed yet
    ELSEWHERE = 1  # another process has claimed it
    SEARCHING = 2
    WRITING = 3  # its sources are stored
    FINISHED = 4  # its row is done, but not verified yet
    VERIFIED = 5  # nothing is left to do


@dataclass(frozen=True)
class Snapshot:
    """The state of an answer. `revision` counts the drafts; None if it is not known."""

    text: str
    has_sources: bool
    is_finished: bool
    revision: int | None = None
    reasoning: str = ""
    before: int = 0
    """How many other questions are prepared first."""
    message: Message | None = field(default=None, compare=False, repr=False)
    """With its sources, as it is stored. This and the two before are known only where the answer is written."""
    is_verified: bool = False
    """Whether nothing more will come: a finished answer may still be compared with its passages."""


@dataclass(eq=False)
class AnswerJob:
    """An answer that is being written, or about to be."""

    id: UUID
    text: str = ""
    reasoning: str = ""
    revision: int = 1
    stage: JobStage = JobStage.WAITING
    waits: bool = False
    """It waits for its turn to be prepared."""
    message: Message | None = None
    """Its row, once it is claimed."""
    over: bool = False
    """It has been ended, although its writer may still wait for the model."""
    saved: int = 0
    """Characters of this revision that are saved in its row."""
    published: Snapshot | None = None
    """What was last published to other processes."""
    readers: set[tuple[asyncio.AbstractEventLoop, asyncio.Event]] = field(default_factory=set)

    @property
    def is_ours(self) -> bool:
        return self.stage >= JobStage.SEARCHING

    @property
    def is_elsewhere(self) -> bool:
        return self.stage == JobStage.ELSEWHERE

    def apply(self, event: Event) -> None:
        """Apply an event of the pipeline. Readers are told of sources and of the first text, of more by the ticker."""
        had_text = bool(self.text or self.reasoning)
        with lock:
            match event:
                case SourcesFound():
                    self.stage = JobStage.WRITING
                case TextAdded(added):
                    self.text += added
                case ReasoningAdded(added):
                    self.reasoning += added
                case TextDropped():
                    self.text, self.reasoning, self.saved, self.revision = "", "", 0, self.revision + 1
                case Finished(draft) if draft.unverified:
                    self.stage = JobStage.FINISHED
        if isinstance(event, SourcesFound | Finished) or bool(self.text or self.reasoning) != had_text:
            wake([self])

    def wait(self) -> None:
        """It waits for its turn."""
        self.move(JobStage.SEARCHING, waits=True)

    def begin(self) -> None:
        """Its turn has come. Those that wait behind it are told."""
        self.waits = False
        with lock:
            waiting = [job for job in jobs.values() if job.waits]
        wake([self, *waiting])

    def move(self, stage: JobStage, *, waits: bool = False) -> None:
        self.stage, self.waits = stage, waits
        wake([self])

    def end(self) -> None:
        """Mark it as ended."""
        self.over = True
        wake([self])

    def snapshot(self) -> Snapshot:
        with lock:
            is_finished = self.over or self.stage >= JobStage.FINISHED
            is_verified = is_finished and self.stage != JobStage.FINISHED
            has_sources, before = self.stage >= JobStage.WRITING, _before(self) if self.waits else 0
            message = self.message if has_sources else None
            return Snapshot(
                self.text, has_sources, is_finished, self.revision, self.reasoning, before, message, is_verified
            )

    @contextmanager
    def read_by(self, changed: asyncio.Event) -> Iterator[None]:
        """Set `changed` with every change, for a reader in the running event loop."""
        global _readers
        reader = (asyncio.get_running_loop(), changed)
        with lock:
            self.readers.add(reader)
            _readers += 1
        try:
            yield
        finally:
            with lock:
                self.readers.discard(reader)
                _readers -= 1


def add_job(message_id: UUID) -> AnswerJob | None:
    """A new job; None if there is one for this message."""
    with lock:
        return None if message_id in jobs else jobs.setdefault(message_id, AnswerJob(message_id))


def remove_job(job: AnswerJob) -> None:
    with lock:
        jobs.pop(job.id, None)


def ours() -> list[AnswerJob]:
    """The jobs whose rows this process has claimed."""
    with lock:
        return [job for job in jobs.values() if job.is_ours]


def readers() -> int:
    """The number of readers of answers of this process."""
    return _readers


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


def _before(job: AnswerJob) -> int:
    """How many jobs that wait for their turn came before this one."""
    return sum(other.waits for other in takewhile(lambda one: one is not job, jobs.values()))
