"""A connection pool for searches: read-only, with a time limit, with prepared statements.

It is separate from the connections of requests. A search needs one round trip and no transaction, and answers that
wait for the language model cannot take the connections that searches need, or the other way round.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache
from typing import TYPE_CHECKING, Any, TypeVar

from django.conf import settings
from django.db import connection
from psycopg import OperationalError

if TYPE_CHECKING:
    from psycopg import Connection
    from psycopg_pool import ConnectionPool


T = TypeVar("T")
_opening = threading.Lock()


@contextmanager
def search_connection() -> Iterator[Connection[Any]]:
    """A read-only connection in autocommit mode. It may be broken."""
    with _pool().connection() as lent:
        yield lent


def with_search_connection(work: Callable[[Connection[Any]], T]) -> T:
    """The result of `work` with a search connection, repeated once with a new connection if the first was broken.

    Connections need no check before use, and no question fails because the database was restarted.
    """
    with search_connection() as lent:
        try:
            return work(lent)
        except OperationalError:
            if not lent.broken:
                raise
    _pool().check()
    with search_connection() as lent:
        return work(lent)


def close_search_connections() -> None:
    """Close the pool. The next search opens a new one."""
    if _opened.cache_info().currsize:
        _opened().close()
        _opened.cache_clear()


def _pool() -> ConnectionPool[Any]:
    with _opening:  # the first question searches several sources at once
        return _opened()


@cache
def _opened() -> ConnectionPool[Any]:
    from pgvector.psycopg import register_vector
    from psycopg_pool import ConnectionPool

    parameters = {
        key: value
        for key, value in connection.get_connection_params().items()
        if key not in ("pool", "server_side_binding", "cursor_factory", "context", "prepare_threshold")
    }
    options = [
        "default_transaction_read_only=on",
        f"statement_timeout={settings.LECTERN_SEARCH_DEADLINE_MS}",
        "plan_cache_mode=force_generic_plan",
        "jit=off",
        "work_mem=32MB",  # enough for some hundred thousand chunks without a temporary file
    ]
    return ConnectionPool(
        kwargs=parameters | {"autocommit": True, "options": " ".join(f"-c {option}" for option in options)},
        min_size=1,
        max_size=8,
        max_waiting=0,
        timeout=settings.LECTERN_SEARCH_DEADLINE_MS / 1000,
        configure=register_vector,
        name="searches",
        open=True,
    )
