"""Where the steps of an answer run: an event loop waits, threads work.

`here` runs all steps in the calling thread instead, for commands and for tests within a transaction.
"""

from __future__ import annotations

import asyncio
import threading
from collections.abc import AsyncGenerator, Callable, Generator
from concurrent.futures import Executor, Future, ThreadPoolExecutor
from contextlib import aclosing
from contextvars import ContextVar
from typing import Any, ParamSpec, TypeVar, cast

from django.db import OperationalError, connection
from psycopg_pool import PoolTimeout

from engines.llm import LLM, EndPiece, Prompt

P = ParamSpec("P")
T = TypeVar("T")

PREPARED_AT_ONCE = 2
"""Questions for which a process searches at a time; more slow streaming down. With 100 questions in two seconds it
cuts the p95 token delay to 25 % and that of the end of an answer to 40 %, and the first sources come as soon
(`python -m benchmarks.streams`). A limit of four has half of that gain."""

_line = ThreadPoolExecutor(PREPARED_AT_ONCE, "answers-line")
_pool = ThreadPoolExecutor(16, "answers-pool")

closing = threading.Event()
"""Set when this process ends."""

_is_here: ContextVar[bool] = ContextVar("_is_here", default=False)


async def in_line(work: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
    """Run work that searches, after all that came before it."""
    return await _run(_line, work, *args, **kwargs)


async def in_pool(work: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
    """Run short work, such as storing rows or checking citations."""
    return await _run(_pool, work, *args, **kwargs)


async def in_own_thread(work: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
    """Run work that may wait for long."""
    return await _run(None, work, *args, **kwargs)


async def pieces_of(llm: LLM, prompt: Prompt) -> AsyncGenerator[str]:
    """The pieces of an answer; the last one is an EndPiece. Raises what the model raises."""
    if hasattr(llm, "astream") and not _is_here.get():
        async with aclosing(cast("AsyncGenerator[str]", llm.astream(prompt))) as stream:
            async for piece in stream:
                yield piece
        return
    pieces = cast("Generator[str, None, str | None]", llm.stream(prompt))
    following = in_own_thread if llm.generative else in_pool  # to select sentences takes no time but the processor's
    try:
        while True:
            piece = await following(_next, pieces)
            yield piece
            if isinstance(piece, EndPiece):
                return
    finally:
        pieces.close()


def here(events: AsyncGenerator[T]) -> Generator[T]:
    """Iterate over the events of an answer with all steps in this thread, without an event loop."""
    try:
        while True:
            try:
                yield _step(events.__anext__())
            except StopAsyncIteration:
                return
    finally:
        _step(events.aclose())


def _step(step: Any) -> Any:
    token = _is_here.set(True)
    try:
        step.send(None)
    except StopIteration as done:
        return done.value
    finally:
        _is_here.reset(token)
    raise RuntimeError("A step waited for an event loop.")


async def _run(executor: Executor | None, work: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
    is_here = _is_here.get()

    def released() -> T:
        while True:
            try:
                return work(*args, **kwargs)
            except OperationalError as error:  # work that got no connection has done nothing: it waits like the others
                if is_here or closing.is_set() or not isinstance(error.__cause__, PoolTimeout):
                    raise
            finally:
                connection.close()  # none is held while a model is waited for

    if is_here:
        return released()
    if executor:
        return await asyncio.wrap_future(executor.submit(released))
    future: Future[T] = Future()
    threading.Thread(target=_resolve, args=[future, released], name="answers-waiting", daemon=True).start()
    return await asyncio.wrap_future(future)


def _resolve(future: Future[T], work: Callable[[], T]) -> None:
    try:
        future.set_result(work())
    except BaseException as error:
        future.set_exception(error)


def _next(pieces: Generator[str, None, str | None]) -> str:
    try:
        return next(pieces)
    except StopIteration as end:
        return EndPiece(end.value or "stop")
