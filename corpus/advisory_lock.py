"""Advisory locks of PostgreSQL. They are released when the session ends."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from django.db import connection


@contextmanager
def advisory_lock(number: int) -> Iterator[bool]:
    """Try to hold the advisory lock with this 64-bit number. Yields whether it was acquired; does not wait."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_try_advisory_lock(%s)", [number])
        (held,) = cursor.fetchone() or (False,)
    try:
        yield bool(held)
    finally:
        if held:
            with connection.cursor() as cursor:
                cursor.execute("SELECT pg_advisory_unlock(%s)", [number])
