"""In the transaction of an ordinary test everything runs in its thread, one after the other, as if it were committed.

Searches and answers have threads and connections of their own, which see only what is committed. Here searches use the
test's connection, answers are written where they are started, and what waits for a commit happens at the end of the
outermost block that is not the test's own. Nothing of that holds for a test with `transaction=True`, nor in threads
that a test starts. What must be proven of commits, locks, races and threads needs such a test.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator
from concurrent.futures import Future
from contextlib import contextmanager
from typing import Any, TypeVar, cast
from unittest.mock import patch

from asgiref.sync import SyncToAsync, sync_to_async
from django.db import connection, connections
from django.db.backends.base.base import BaseDatabaseWrapper
from django.db.transaction import Atomic

from chatbots.answering import recorder
from chatbots.models import Message
from chatbots.streaming import jobs
from chatbots.streaming.registry import AnswerJob
from corpus.search import pool, runners
from engines import background
from tests.answering_here import record_here

logger = logging.getLogger(__name__)
T = TypeVar("T")
_of_the_tests = connections["default"]
_exit = Atomic.__exit__
_on_commit = BaseDatabaseWrapper.on_commit
_close = BaseDatabaseWrapper.close
_start = jobs._start
_to_async = SyncToAsync.__init__
_run_in_pool = background.run_in_pool
_search_connection = pool.search_connection


def in_test_transaction(database: Any = connection) -> bool:
    """Whether this thread, or that of a database connection, is in the transaction of an ordinary test."""
    return any(block._from_testcase for block in database.atomic_blocks)


def as_if_committed(database: Any = connection) -> bool:
    """Whether it is, and in no other block inside."""
    blocks = database.atomic_blocks
    return bool(blocks) and all(block._from_testcase for block in blocks)


def _leave(block: Atomic, kind: Any, error: Any, trace: Any) -> None:
    _exit(block, kind, error, trace)
    if as_if_committed() and not connection.needs_rollback:
        waiting, connection.run_on_commit = connection.run_on_commit, []
        for _, work, is_robust in cast("Any", waiting):
            _do(work, is_robust)


def _when_committed(database: BaseDatabaseWrapper, work: Callable[[], object], robust: bool = False) -> None:
    if as_if_committed(database):
        _do(work, robust)
    else:
        _on_commit(database, work, robust)


def _do(work: Callable[[], object], is_robust: bool) -> None:
    try:
        work()
    except Exception:
        if not is_robust:
            raise


def _close_but_in_tests(database: BaseDatabaseWrapper) -> None:
    if not in_test_transaction(database):
        _close(database)


def _start_here(job: AnswerJob, message: Message, history: Any) -> None:
    if not in_test_transaction():
        _start(job, message, history)
        return
    try:
        if claimed := message if job.is_ours else recorder.claim(message.pk):
            for _ in record_here(recorder.Recorder(claimed, history=history)):
                pass
    except Exception:
        logger.exception("Answer %s could not be written", message.pk)
    job.close(is_elsewhere=True)


def _in_the_tests_thread(call: Any, function: Any, *args: Any, **options: Any) -> None:
    """What a coroutine would do in another thread is done in the one that called it from a test."""
    if in_test_transaction(_of_the_tests):
        args, options = (), {"thread_sensitive": True}
    _to_async(call, function, *args, **options)


async def _run_in_the_tests_thread(name: Any, work: Callable[..., T], *args: Any, **options: Any) -> T:
    if in_test_transaction(_of_the_tests):
        return await sync_to_async(work)(*args, **options)
    return await _run_in_pool(name, work, *args, **options)


def _search(search: Callable[[], T]) -> Future[T]:
    """A test without a database may come while rows are kept for others: its sources are searched in threads."""
    has_database = connection.ensure_connection.__name__ != "_blocking_wrapper"  # pytest-django's, where it has none
    return (runners.run_in_series if has_database and in_test_transaction() else runners.run_in_flight)(search)


@contextmanager
def _own_connection(patience: float | None = None) -> Iterator[Any]:
    """For a source that a test searches by itself."""
    if not in_test_transaction():
        with _search_connection(patience) as lent:
            yield lent
        return
    with pool.search_on_own_connection(), _search_connection() as lent:
        yield lent


def install() -> None:
    patch.object(Atomic, "__exit__", _leave).start()
    patch.object(BaseDatabaseWrapper, "on_commit", _when_committed).start()
    patch.object(BaseDatabaseWrapper, "close", _close_but_in_tests).start()
    patch.object(jobs, "_start", _start_here).start()
    patch.object(SyncToAsync, "__init__", _in_the_tests_thread).start()
    patch.object(background, "run_in_pool", _run_in_the_tests_thread).start()
    patch.object(pool, "search_connection", _own_connection).start()
    runners._runner.set(_search)
