"""Empties the test database after a test that has committed something.

Django's flush truncates every table, whatever is in it, and has content types and permissions written anew, which
takes longer than most tests do. This one deletes what is there, in a millisecond or two for each full table, and
leaves those two as the migrations made them.
"""

from __future__ import annotations

from functools import cache
from typing import Any

from django.contrib.auth.models import Permission
from django.contrib.contenttypes.models import ContentType
from django.db import connection, transaction
from django.test import TransactionTestCase


def delete_what_was_written(_: Any = None) -> None:
    """Like TRUNCATE it waits for whoever is still writing, so that nothing of a test appears in the next one."""
    with transaction.atomic(), connection.cursor() as cursor:
        cursor.execute(f"LOCK {', '.join(_tables())} IN EXCLUSIVE MODE")
        cursor.execute(
            " UNION ALL ".join(f"SELECT '{table}' WHERE EXISTS (SELECT FROM {table})" for table in _tables())
        )
        full = [table for (table,) in cursor.fetchall()]
        # All of them go, so foreign keys need no checking, and their order does not matter.
        cursor.execute("SET LOCAL session_replication_role = replica")
        for table in full:
            cursor.execute(f"DELETE FROM {table}")


@cache
def _tables() -> list[str]:
    names = connection.introspection.django_table_names(only_existing=True, include_views=False)
    kept = {ContentType._meta.db_table, Permission._meta.db_table}
    return [connection.ops.quote_name(name) for name in names if name not in kept]


def install() -> None:
    TransactionTestCase._fixture_teardown = delete_what_was_written  # type: ignore[attr-defined]
