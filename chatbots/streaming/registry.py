"""The answers that this process writes, each of which is one object for its writer, its readers and the ticker."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from enum import IntEnum
from uuid import UUID

from chatbots.answering.draft import Event, SourcesFound, TextAdded, TextDropped

lock = threading.RLock()
jobs: dict[UUID, AnswerJob] = {}

_readers = 0  # of answers that are written here


class Stage(IntEnum):
    WAITING = 0  # its row is not claimed yet: another process may have it
    ELSEWHERE = 1  # another process has it
    SEARCHING = 2
    WRITING = 3  # its sources are stored
    FINISHED = 4


@dataclass(frozen=True)
class Snapshot:
    """How far an answer is. `revision` counts how often its text was begun; None where that is not known."""

    text: str
    has_sources: bool
    is_finished: bool
    revision: int | None = None


@dataclass(eq=False)
class AnswerJob:
    """An answer that is being written, or about to be."""

    id: UUID
    text: str = ""
    revision: int = 1
    stage: Stage = Stage.WAITING
    over: bool = False
    """Somebody has ended it, whatever its writer, which may wait for the model, does."""
    saved: int = 0
    """Characters of this revision that are surely in its row."""
    published: Snapshot | None = None
    """What other processes know."""
    readers: set[tuple[asyncio.AbstractEventLoop, asyncio.Event]] = field(default_factory=set)

    @property
    def is_ours(self) -> bool:
        return self.stage >= Stage.SEARCHING

    @property
    def is_elsewhere(self) -> bool:
        return self.stage == Stage.ELSEWHERE

    def apply(self, event: Event) -> None:
        """Take note of an event of its pipeline."""
        with lock:
            match event:
                case SourcesFound():
                    self.stage = Stage.WRITING
                case TextAdded(added):
                    if not added:
                        return
                    self.text += added
                case TextDropped():
                    self.text, self.saved, self.revision = "", 0, self.revision + 1
        self._wake()

    def move(self, stage: Stage) -> None:
        self.stage = stage
        self._wake()

    def end(self) -> None:
        """Say that somebody has ended it."""
        self.over = True
        self._wake()

    def snapshot(self) -> Snapshot:
        with lock:
            is_finished = self.over or self.stage == Stage.FINISHED
            return Snapshot(self.text, self.stage >= Stage.WRITING, is_finished, self.revision)

    @contextmanager
    def read_by(self, changed: asyncio.Event) -> Iterator[None]:
        """Have this event set with every change, for a reader in the running event loop."""
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

    def _wake(self) -> None:
        with lock:
            readers = list(self.readers)
        for loop, changed in readers:
            if not (changed.is_set() or loop.is_closed()):  # one that is set will look by itself
                loop.call_soon_threadsafe(changed.set)


def add(message_id: UUID) -> AnswerJob | None:
    """A new job; None where there is one for this message."""
    with lock:
        return None if message_id in jobs else jobs.setdefault(message_id, AnswerJob(message_id))


def remove(job: AnswerJob) -> None:
    with lock:
        jobs.pop(job.id, None)


def ours() -> list[AnswerJob]:
    """The jobs whose rows this process has claimed."""
    with lock:
        return [job for job in jobs.values() if job.is_ours]


def readers() -> int:
    """How many follow answers of this process."""
    return _readers
