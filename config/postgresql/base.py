"""Django's backend for PostgreSQL with checks by idle time.

Django's own pool sends an empty statement before each use of a connection. A question takes some twenty connections
from the pool, so these made up a tenth of its statements.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any
from weakref import WeakKeyDictionary

from django.db.backends.base.base import NO_DB_ALIAS
from django.db.backends.postgresql import base
from psycopg import Connection, Error
from psycopg.rows import TupleRow
from psycopg_pool import ConnectionPool

IDLE_SECONDS = 2.0
"""A connection that was used less than so many seconds ago is lent without a check."""

_used: WeakKeyDictionary[Connection[TupleRow], float] = WeakKeyDictionary()


class Pool(ConnectionPool[Connection[TupleRow]]):
    """Tries every second to connect. psycopg doubles the pause each time, and is away for long after an outage."""

    def putconn(self, conn: Connection[TupleRow]) -> None:
        """Take a connection back and note when. As psycopg's `reset` this would wake a thread for each."""
        _used[conn] = time.monotonic()
        super().putconn(conn)

    def _add_connection(self, attempt: Any, growing: bool = False) -> None:
        if attempt:
            attempt.delay = 0.0  # as before the first pause
        super()._add_connection(attempt, growing)


class DatabaseWrapper(base.DatabaseWrapper):
    """Django's connection, whose pool checks connections that have been idle."""

    _connection_pools: dict[str, ConnectionPool[Connection[TupleRow]]]
    _configure_connection: Callable[[Connection[TupleRow]], None]

    @property
    def pool(self) -> Any:
        options = self.settings_dict["OPTIONS"].get("pool")
        if options and self.alias != NO_DB_ALIAS and self.alias not in self._connection_pools:
            pool = Pool(
                kwargs=self.get_connection_params() | {"autocommit": True},
                open=False,
                configure=self._configure_connection,
                check=lambda one: check_after_idle_time(one, pool),
                **options,
            )
            self._connection_pools.setdefault(self.alias, pool)
        return super().pool  # type: ignore[misc]  # the stubs do not know it


def check_after_idle_time(connection: Connection[TupleRow], pool: ConnectionPool[Connection[TupleRow]]) -> None:
    """Check a connection that has been idle. Raises psycopg.Error if it is broken.

    Then the others are checked at once: when PostgreSQL was restarted, all are broken, and the pool would pause longer
    after each that it tries.
    """
    if time.monotonic() - _used.get(connection, float("-inf")) > IDLE_SECONDS:
        try:
            ConnectionPool.check_connection(connection)
        except Error:
            pool.check()
            raise
