"""A connection pool for searches: read-only, with a time limit, with prepared statements.

It is separate from the connections of requests. A search needs one round trip and no transaction, and answers that
wait for the language model cannot take the connections that searches need, or the other way round.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from functools import cache
from typing import TYPE_CHECKING, TypeVar

from django.conf import settings
from django.db import connection, transaction
from psycopg import OperationalError
from psycopg.errors import AdminShutdown, CrashShutdown

if TYPE_CHECKING:
    from psycopg import Connection
    from psycopg.rows import TupleRow
    from psycopg_pool import ConnectionPool


T = TypeVar("T")
PLANNING = {
    "plan_cache_mode": "force_generic_plan",
    "jit": "off",
    "hnsw.ef_search": "200",
    "hnsw.iterative_scan": "strict_order",  # goes on while documents are not in scope
    "work_mem": "32MB",  # some hundred thousand chunks of one scope without a file
}
_opening = threading.Lock()
_callers: ContextVar[Connection[TupleRow] | None] = ContextVar("callers_connection", default=None)


@contextmanager
def search_connection(patience: float | None = None) -> Iterator[Connection[TupleRow]]:
    """A connection in autocommit mode on which nothing can be written; it may turn out to be broken.

    Raises psycopg_pool.PoolTimeout if none is free for so many seconds, by default for the deadline of a search.
    """
    if callers := _callers.get():
        yield callers
        return
    with _pool().connection(patience) as lent:
        yield lent


@contextmanager
def search_on_own_connection() -> Iterator[None]:
    """Inside this block searches of this thread use its Django connection, and so see what it has not committed.

    A search that fails leaves the surrounding transaction usable.
    """
    from pgvector.psycopg import register_vector

    with transaction.atomic():
        if connection.connection.adapters.types.get("halfvec") is None:
            register_vector(connection.connection)
        with connection.cursor() as cursor:
            cursor.execute("; ".join(f"SET LOCAL {name} = '{value}'" for name, value in PLANNING.items()))
        token = _callers.set(connection.connection)
        try:
            yield
        finally:
            _callers.reset(token)


def run_with_search_connection(work: Callable[[Connection[TupleRow]], T]) -> T:
    """What `work` returns, given such a connection; once more with a new one where the old one was broken.

    Connections need no check before use, and no question fails because the database was restarted.
    """
    with search_connection() as lent:
        try:
            return work(lent)
        except OperationalError as error:
            if not is_lost(lent, error):
                raise
            lent.close()
    check_search_connections()
    with search_connection() as lent:
        return work(lent)


def is_lost(connection: Connection[TupleRow], error: Exception) -> bool:
    """Whether the error means that the connection has ended, also where its end has not been read yet."""
    return connection.broken or isinstance(error, AdminShutdown | CrashShutdown)


def check_search_connections() -> None:
    """Have broken connections replaced."""
    _pool().check()


def close_search_connections() -> None:
    """Close the pool. The next search opens a new one."""
    if _opened.cache_info().currsize:
        _opened().close()
        _opened.cache_clear()


def _pool() -> ConnectionPool[Connection[TupleRow]]:
    with _opening:  # the first question searches several sources at once
        return _opened()


@cache
def _opened() -> ConnectionPool[Connection[TupleRow]]:
    from pgvector.psycopg import register_vector

    parameters = {
        key: value
        for key, value in connection.get_connection_params().items()
        if key not in ("pool", "server_side_binding", "cursor_factory", "context", "prepare_threshold")
    }
    wanted = {
        "default_transaction_read_only": "on",
        "statement_timeout": str(settings.LECTERN_SEARCH_DEADLINE_MS),
        **PLANNING,
    }

    def configure(new: Connection[TupleRow]) -> None:
        # Not as options of the connection, which a pooler such as PgBouncer refuses.
        new.execute("; ".join(f"SET {name} = '{value}'" for name, value in wanted.items()))
        register_vector(new)

    pool_class: type[ConnectionPool[Connection[TupleRow]]] = type(connection.pool)  # type: ignore[attr-defined]  # which reconnects soon
    return pool_class(
        kwargs=parameters | {"autocommit": True},
        min_size=1,
        max_size=8,
        max_waiting=0,
        timeout=settings.LECTERN_SEARCH_DEADLINE_MS / 1000,
        configure=configure,
        name="searches",
        open=True,
    )
