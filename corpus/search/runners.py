"""How the searches of one question are run: side by side in threads, or one after the other by the caller."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor, wait
from contextlib import contextmanager
from contextvars import ContextVar

from corpus.passages import Passage
from corpus.search.pool import search_on_own_connection

Search = Callable[[], Sequence[Passage]]
Outcome = Future[Sequence[Passage]]
Runner = Callable[[Sequence[Search], float], Sequence[Outcome]]
"""Runs searches until a deadline (of time.perf_counter). A search that is not done by then is late."""

_threads = ThreadPoolExecutor(max_workers=32, thread_name_prefix="search")


def in_threads(searches: Sequence[Search], deadline: float) -> Sequence[Outcome]:
    """All at once, each in a thread and on a connection of its own (H1)."""
    outcomes = [_threads.submit(search) for search in searches]
    wait(outcomes, timeout=max(deadline - time.perf_counter(), 0))
    return outcomes


def in_series(searches: Sequence[Search], deadline: float) -> Sequence[Outcome]:
    """One after the other in the caller's thread and transaction, whatever the time: each sees uncommitted rows."""
    return [_done(search) for search in searches]


def current_runner() -> Runner:
    """`in_threads`, but inside `searches_run`."""
    return _runner.get()


@contextmanager
def searches_run(runner: Runner) -> Iterator[None]:
    """Inside this block searches use this runner unless they name one."""
    token = _runner.set(runner)
    try:
        yield
    finally:
        _runner.reset(token)


_runner: ContextVar[Runner] = ContextVar("runner", default=in_threads)


def _done(search: Search) -> Outcome:
    outcome = Outcome()
    try:
        with search_on_own_connection():
            outcome.set_result(search())
    except Exception as error:
        outcome.set_exception(error)
    return outcome
