"""Connections to the database: checked after they have been idle, replaced where they are broken."""

from typing import Any

import pytest
from django.db import connection
from psycopg_pool import ConnectionPool

from config.postgresql import base
from schools.models import School

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def checked(monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    """The connections that were checked."""
    seen: list[Any] = []
    check = ConnectionPool.check_connection

    def noted(one: Any) -> None:
        seen.append(one)
        check(one)

    monkeypatch.setattr(ConnectionPool, "check_connection", staticmethod(noted))
    return seen


def ask() -> None:
    connection.close()
    School.objects.count()
    connection.close()


def test_a_connection_that_was_just_used_is_not_checked(checked: list[Any]) -> None:
    ask()
    checked.clear()
    ask()
    assert checked == []


def test_one_that_was_idle_is_checked_and_replaced_if_it_is_broken(
    checked: list[Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(base, "IDLE_SECONDS", -1.0)
    School.objects.count()
    connection.connection.close()
    ask()
    assert checked
