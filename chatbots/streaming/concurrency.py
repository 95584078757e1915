"""Questions take turns: how many are prepared at a time in a process, and waiting for it."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager

from django.db import connection

PREPARED_AT_ONCE = 2
"""Questions for which a process finds passages at a time. More get in each other's way, and in that of the answers that
are being written: of 100 asked within two seconds, words are late by a quarter of the time that they are late without a
limit, ends of answers by two fifths (95th percentiles), and the first sources come as soon (`python -m
benchmarks.streams`). Four at a time have half of that gain."""

_turns = threading.BoundedSemaphore(PREPARED_AT_ONCE)


class Turn:
    """One of the questions that are prepared at a time; whoever waits for it holds nothing that those need."""

    def __init__(self) -> None:
        self._has_it = False

    def begin(self) -> None:
        if not connection.in_atomic_block:
            connection.close()
        _turns.acquire()
        self._has_it = True

    def end(self) -> None:
        if self._has_it:
            self._has_it = False
            _turns.release()

    @contextmanager
    def left(self) -> Iterator[None]:
        """Leave it to another question while a model is waited for."""
        self.end()
        try:
            yield
        finally:
            self.begin()
