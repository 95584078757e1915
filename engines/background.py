"""The event loop of a process for work that waits, such as reading models' streams, and its pools of threads.

Nothing else starts threads for a request, an answer or a search.
"""

from __future__ import annotations

import asyncio
import os
import threading
from collections.abc import AsyncGenerator, Callable, Coroutine, Generator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import suppress
from contextvars import Context, copy_context
from typing import Any, Literal, ParamSpec, TypeVar

from django.conf import settings
from django.db import connection

P = ParamSpec("P")
T = TypeVar("T")
Pool = Literal["requests", "searches", "before", "after"]
"""Requests and what readers of streams are shown; sources that are no statement of PostgreSQL; and what an answer needs
before a model is asked and after."""

_pools: dict[tuple[int, Pool], ThreadPoolExecutor] = {}

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


def get_pool(name: Pool) -> ThreadPoolExecutor:
    """Return a pool of this process, as large as LECTERN_REQUEST_THREADS or LECTERN_ANSWER_THREADS says."""
    with _lock:
        key = os.getpid(), name
        if key not in _pools:
            answers = settings.LECTERN_ANSWER_THREADS
            sizes = {"requests": settings.LECTERN_REQUEST_THREADS, "searches": 2 * answers}
            _pools[key] = ThreadPoolExecutor(sizes.get(name, answers), f"pool-{name}")
        return _pools[key]


async def run_in_pool(name: Pool, work: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
    """Run blocking work in a pool, and give its database connection back.

    Whoever is cancelled waits for work that has begun, since it may use what they would close.
    """

    def run_and_release() -> T:
        try:
            return work(*args, **kwargs)
        finally:
            connection.close()

    future = get_pool(name).submit(copy_context().run, run_and_release)
    ending = asyncio.wrap_future(future)
    try:
        return await asyncio.shield(ending)
    except asyncio.CancelledError:
        if not future.cancel():
            with suppress(Exception):
                await ending
        raise


def run(work: Coroutine[Any, Any, T]) -> Future[T]:
    """Run a coroutine in the loop, in a context of its own. Its result must not be waited for in the loop."""
    return Context().run(asyncio.run_coroutine_threadsafe, work, event_loop())


def iterate(pieces: AsyncGenerator[T]) -> Generator[T]:
    """Iterate over an asynchronous generator that runs in the loop, from any other thread."""
    try:
        while True:
            try:
                yield run(pieces.asend(None)).result()
            except StopAsyncIteration:
                return
    finally:
        run(pieces.aclose())  # not waited for: a garbage collector may do this in the loop's own thread
