"""Limit how many questions a process prepares at a time."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager

from django.db import connection

PREPARED_AT_ONCE = 2
"""Questions for which a process searches at a time; more slow streaming down. With 100 questions in two seconds it
cuts the p95 token delay to 25 % and that of the end of an answer to 40 %, and the first sources come as soon
(`python -m benchmarks.streams`). A limit of four has half of that gain."""

_slots = threading.BoundedSemaphore(PREPARED_AT_ONCE)


class PreparationSlot:
    """A slot for preparing a question. No database connection is held while waiting for it."""

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
    def released(self) -> Iterator[None]:
        """Release the slot while waiting for the model."""
        self.release()
        connection.close()
        try:
            yield
        finally:
            self.acquire()
