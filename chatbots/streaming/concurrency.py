"""How many questions are prepared at a time in a process, and waiting for it."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager

from django.db import connection

PREPARED_AT_ONCE = 2
"""Questions for which a process finds passages at a time. More than two slow streaming down: with 100 questions in two
seconds the limit cuts the 95th percentile of the delay of a token to a quarter, that of the end of an answer to 40 %,
and the first sources come as soon (`python -m benchmarks.streams`). A limit of four has half of that gain."""

_slots = threading.BoundedSemaphore(PREPARED_AT_ONCE)


class PreparationSlot:
    """The right of a question to be prepared. No connection is held while it is waited for."""

    def __init__(self) -> None:
        self._is_held = False

    def acquire(self) -> None:
        connection.close()
        _slots.acquire()
        self._is_held = True

    def release(self) -> None:
        if self._is_held:
            self._is_held = False
            _slots.release()

    @contextmanager
    def left(self) -> Iterator[None]:
        """Leave it to another question while a model is waited for."""
        self.release()
        connection.close()
        try:
            yield
        finally:
            self.acquire()
