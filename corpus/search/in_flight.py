"""Searches whose statements are in flight side by side, on a connection each, and all in one thread (H1)."""

from __future__ import annotations

import select
import threading
import time
from collections.abc import Callable
from concurrent.futures import Future
from contextlib import ExitStack, suppress
from typing import TYPE_CHECKING, Any, TypeVar

import psycopg
from django.conf import settings
from psycopg_pool import PoolTimeout

from corpus.search import pool
from corpus.search.steps import SearchInSteps, SqlStatement

if TYPE_CHECKING:
    from psycopg.rows import TupleRow

T = TypeVar("T")

_PATIENCE = 0.05
"""Seconds that a thread waits for another connection while it holds one. Then it goes on with the search that holds
it, by turns, so that no two threads wait for each other's connections."""


class Flight(Future[T]):
    """The outcome of a search whose first statement has been sent. Only the thread that began it may wait for it."""

    def __init__(self, search: SearchInSteps[T]) -> None:
        super().__init__()
        self._search = search
        self._lent = ExitStack()
        self._connection: psycopg.Connection[TupleRow] | None = None
        self._begins_again = True
        self._do(self._take_off)

    def settle(self, timeout: float) -> None:
        """Wait until it is done, but at most so many seconds. Other flights of this thread go on meanwhile."""
        until = time.perf_counter() + timeout
        while not self.done():
            ready = _ready(max(until - time.perf_counter(), 0))
            if not ready:
                return
            ready[0]._do(ready[0]._advance)

    def cancel(self) -> bool:
        """Give its connection up: whatever was sent would still answer on it. False if it is done."""
        if self.done():
            return False
        self._land(give_up=True)
        return super().cancel()

    @property
    def descriptor(self) -> int:
        return self._lender.fileno()

    @property
    def has_answer(self) -> bool:
        """Whether an answer was read from the socket already."""
        return self._cursor.pgresult is not None or not self._lender.pgconn.is_busy()

    @property
    def _lender(self) -> psycopg.Connection[TupleRow]:
        assert self._connection is not None
        return self._connection

    def _do(self, step: Callable[[], None]) -> None:
        """Take a step; begin again, once, on a new connection if this one turns out to be broken."""
        try:
            step()
        except Exception as error:
            is_lost = self._connection is not None and pool.is_lost(self._connection, error)
            self._land(give_up=True)
            if is_lost and self._begins_again and isinstance(error, psycopg.OperationalError):
                self._begins_again = False
                self._do(self._take_off_anew)
            else:
                self.set_exception(error)

    def _take_off(self) -> None:
        self._connection = self._borrow()
        self._lent.enter_context(self._connection.pipeline())
        self._steps = self._search.begin()
        self._send(next(self._steps))
        _flights().append(self)

    def _take_off_anew(self) -> None:
        pool.check_search_connections()
        self._take_off()

    def _borrow(self) -> psycopg.Connection[TupleRow]:
        until = time.perf_counter() + settings.LECTERN_SEARCH_DEADLINE_MS / 1000
        while (others := _flights()) and time.perf_counter() < until:
            with suppress(PoolTimeout):
                return self._lent.enter_context(pool.search_connection(_PATIENCE))
            others[0].settle(_PATIENCE)
        return self._lent.enter_context(pool.search_connection())

    def _send(self, statement: SqlStatement) -> None:
        self._cursor = statement.execute(self._lender)
        self._lender.pgconn.send_flush_request()
        self._lender.pgconn.flush()

    def _advance(self) -> None:
        try:
            self._send(self._steps.send(self._cursor.fetchall()))
        except StopIteration as end:
            self._land()
            self.set_result(end.value)

    def _land(self, *, give_up: bool = False) -> None:
        """Give the connection back; a closed one is replaced by the pool."""
        with suppress(ValueError):
            _flights().remove(self)
        if not give_up:
            self._lent.close()
            return
        if self._connection is not None:
            self._connection.close()
        with suppress(psycopg.Error):
            self._lent.close()


def land_all() -> None:
    """Give up the flights of this thread that nobody waits for any more."""
    for flight in list(_flights()):
        flight.cancel()


def _ready(timeout: float) -> list[Flight[Any]]:
    """The flights of this thread that have an answer, waited for so many seconds."""
    flights = _flights()
    if told := [flight for flight in flights if flight.has_answer]:
        return told
    poll = select.poll()
    for flight in flights:
        poll.register(flight.descriptor, select.POLLIN)
    ready = {descriptor for descriptor, _ in poll.poll(1000 * timeout)}
    return [flight for flight in flights if flight.descriptor in ready]


_of_thread = threading.local()


def _flights() -> list[Flight[Any]]:
    flights: list[Flight[Any]] = _of_thread.__dict__.setdefault("flights", [])
    return flights
