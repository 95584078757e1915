"""How the searches of one question are run: their statements in flight side by side, or one after the other.

What waits for something else than the database runs in a thread of its own.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, wait
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Protocol, TypeVar

from django.db import connection

from corpus.passages import Passage
from corpus.search.in_flight import Flight, land_all
from corpus.search.pool import search_on_own_connection
from corpus.search.steps import SearchInSteps
from engines import background

T = TypeVar("T")
Outcome = Future[Sequence[Passage]]


class Runner(Protocol):
    """Begins a search. Whoever waits for its outcome says how long."""

    def __call__(self, search: Callable[[], T], /) -> Future[T]: ...


def run_in_flight(search: Callable[[], T]) -> Future[T]:
    """Send its statement on a connection of its own and go on (H1); in a thread, if it has no steps."""
    return Flight(search) if isinstance(search, SearchInSteps) else run_in_threads(search)


def run_in_threads(search: Callable[[], T]) -> Future[T]:
    """Beside others, in a thread and on a connection of its own (H1)."""
    return background.get_pool("searches").submit(_run, search)


def _run(search: Callable[[], T]) -> T:
    try:
        return search()
    finally:
        connection.close()  # a source that reads rows would keep the thread's connection for good


def run_in_series(search: Callable[[], T]) -> Future[T]:
    """At once, in the caller's thread and transaction, whatever the time: it sees uncommitted rows."""
    outcome = Future[T]()
    try:
        with search_on_own_connection():
            outcome.set_result(search())
    except Exception as error:
        outcome.set_exception(error)
    return outcome


def wait_for(outcome: Future[T], timeout: float) -> None:
    """Wait for the end of a search, in the thread that began it, but at most so many seconds."""
    if isinstance(outcome, Flight):
        outcome.settle(timeout)
    else:
        wait([outcome], timeout=timeout)


def get_runner() -> Runner:
    """`run_in_flight`, but inside `use_runner`."""
    return _runner.get()


@contextmanager
def use_runner(runner: Runner) -> Iterator[None]:
    """Inside this block searches use this runner unless they name one. At its end nobody waits for them any more."""
    token = _runner.set(runner)
    try:
        yield
    finally:
        land_all()
        _runner.reset(token)


_runner: ContextVar[Runner] = ContextVar("runner", default=run_in_flight)
