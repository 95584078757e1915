"""Where the steps of an answer run: the model is read in an event loop, all else in threads.

`here` runs everything in the calling thread instead, for commands and for tests within a transaction.
"""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import AsyncGenerator, Callable, Generator
from contextlib import aclosing
from itertools import chain, zip_longest
from typing import Any, ParamSpec, TypeVar, cast
from uuid import UUID

from django.db import OperationalError, connection
from psycopg_pool import PoolTimeout

from engines import background
from engines.llm import LLM, EndPiece, Prompt

P = ParamSpec("P")
T = TypeVar("T")
Read = Callable[[LLM, Prompt], AsyncGenerator[str]]
"""Reads the pieces of an answer; the last one is an EndPiece. Raises what the model raises."""

closing = threading.Event()
"""Set when this process ends."""


class FairQueue:
    """Answers that wait for a thread of the pool `before`. Schools take turns, so that none waits for a whole class of
    another."""

    def __init__(self) -> None:
        self._waiting: dict[UUID, deque[tuple[UUID, Callable[[], None]]]] = {}
        self._lock = threading.Lock()

    def submit(self, school: UUID, answer: UUID, work: Callable[[], None]) -> None:
        with self._lock:
            self._waiting.setdefault(school, deque()).append((answer, work))
        background.get_pool("before").submit(self._do_next)

    def count(self) -> int:
        """Return how many wait."""
        with self._lock:
            return sum(map(len, self._waiting.values()))

    def find_places(self) -> dict[UUID, int]:
        """Return how many come before each of those that wait."""
        with self._lock:
            turns = zip_longest(*([answer for answer, _ in queue] for queue in self._waiting.values()))
            return {answer: place for place, answer in enumerate(filter(None, chain(*turns)))}

    def _do_next(self) -> None:
        with self._lock:
            school = next(iter(self._waiting))
            queue = self._waiting.pop(school)
            _, work = queue.popleft()
            if queue:
                self._waiting[school] = queue  # behind the other schools
        try:
            work()
        finally:
            connection.close()  # none is held while a model is waited for


queue = FairQueue()

MAX_READ_QUEUE = 20
"""Waiting questions up to which the passages for the next one are read: reading is the half of a question's price."""


def do_patiently(work: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
    """Do work that begins with the database. Where it gets no connection it has done nothing, and waits for one."""
    while True:
        try:
            return work(*args, **kwargs)
        except OperationalError as error:
            if closing.is_set() or not isinstance(error.__cause__, PoolTimeout):
                raise


async def read_in_loop(llm: LLM, prompt: Prompt) -> AsyncGenerator[str]:
    """Read a model without a thread."""
    async with aclosing(cast("AsyncGenerator[str]", cast("Any", llm).astream(prompt))) as stream:
        async for piece in stream:
            yield piece


async def read_here(llm: LLM, prompt: Prompt) -> AsyncGenerator[str]:
    """Read an answerer in the calling thread. This never waits for an event loop."""
    pieces = cast("Generator[str, None, str | None]", llm.stream(prompt))
    try:
        while True:
            try:
                piece = next(pieces)
            except StopIteration as end:
                yield EndPiece(end.value or "stop")
                return
            yield piece
            if isinstance(piece, EndPiece):
                return
    finally:
        if hasattr(pieces, "close"):
            pieces.close()


def run_here(events: AsyncGenerator[T]) -> Generator[T]:
    """Iterate in this thread over what never waits for an event loop."""
    try:
        while True:
            try:
                yield _step(events.__anext__())
            except StopAsyncIteration:
                return
    finally:
        _step(events.aclose())


def _step(step: Any) -> Any:
    try:
        step.send(None)
    except StopIteration as done:
        return done.value
    raise RuntimeError("A step waited for an event loop.")
