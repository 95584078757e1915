"""The event loop of a process for work that waits, such as reading models' streams. It runs in a thread of its own."""

from __future__ import annotations

import asyncio
import os
import threading
from collections.abc import AsyncGenerator, Coroutine, Generator
from concurrent.futures import Future
from contextvars import Context
from typing import Any, TypeVar

T = TypeVar("T")

_loops: dict[int, asyncio.AbstractEventLoop] = {}
_lock = threading.Lock()


def event_loop() -> asyncio.AbstractEventLoop:
    """The loop of this process, started when it is first needed. A forked process gets its own."""
    with _lock:
        loop = _loops.get(os.getpid())
        if loop is None:
            loop = _loops[os.getpid()] = asyncio.new_event_loop()
            threading.Thread(target=loop.run_forever, name="background-loop", daemon=True).start()
        return loop


def run(work: Coroutine[Any, Any, T]) -> Future[T]:
    """Run a coroutine in the loop, in a context of its own. Its result must not be waited for in the loop."""
    return Context().run(asyncio.run_coroutine_threadsafe, work, event_loop())


def iterate(pieces: AsyncGenerator[T]) -> Generator[T]:
    """Iterate over an asynchronous generator that runs in the loop, from any other thread."""
    try:
        while True:
            try:
                yield run(_next(pieces)).result()
            except StopAsyncIteration:
                return
    finally:
        run(pieces.aclose())  # not waited for: a garbage collector may do this in the loop's own thread


async def _next(pieces: AsyncGenerator[T]) -> T:
    return await anext(pieces)
