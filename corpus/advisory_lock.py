"""The right to work on something alone, which PostgreSQL takes back the moment that its holder dies."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from django.db import connection


@contextmanager
def advisory_lock(number: int) -> Iterator[bool]:
    """Hold the advisory lock of this number (64 bits), or learn that somebody else does."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_try_advisory_lock(%s)", [number])
        (held,) = cursor.fetchone() or (False,)
    try:
        yield bool(held)
    finally:
        if held:
            with connection.cursor() as cursor:
                cursor.execute("SELECT pg_advisory_unlock(%s)", [number])
