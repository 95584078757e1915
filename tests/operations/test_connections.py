"""Connections to the database: checked after they have been idle, replaced where they are broken."""

from typing import Any

import pytest
from django.db import connection
from psycopg_pool import ConnectionPool

from config.postgresql import base
from schools.models import School
from tests.running import wait_for

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


def test_a_connection_comes_back_without_another_thread(monkeypatch: pytest.MonkeyPatch) -> None:
    School.objects.count()
    lent, tasks = connection.connection, list[Any]()
    pool = connection.pool  # type: ignore[attr-defined]
    monkeypatch.setattr(pool, "run_task", tasks.append)
    connection.close()
    assert tasks == [] and lent in pool._pool


def test_after_a_restart_of_the_database_all_that_are_broken_are_replaced_at_once(
    checked: list[Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    """psycopg's pool pauses after each that it tries, longer each time."""
    monkeypatch.setattr(base, "IDLE_SECONDS", -1.0)
    connection.close()
    pool = connection.pool  # type: ignore[attr-defined]
    lent = [pool.getconn(60) for _ in range(6)]
    for one in lent:
        one.execute("SELECT")
        pool.putconn(one)
    wait_for(lambda: pool.get_stats()["pool_available"] >= 6)
    for one in lent:
        one.close()
    checked.clear()
    ask()
    assert set(lent) <= set(checked)
    assert not set(lent) & set(pool._pool)


def test_an_outage_does_not_make_the_pool_slower_to_connect() -> None:
    delays: list[Any] = []
    pool = base.Pool("host=127.0.0.1 port=1", min_size=0, max_size=1, open=False)
    pool.schedule_task = lambda task, delay: delays.append((task, delay))  # type: ignore[method-assign]
    pool._add_connection(None)
    for _ in range(5):
        pool._add_connection(delays[-1][0].attempt)
    assert [delay for _, delay in delays if not 0.5 < delay < 1.5] == []
    assert len(delays) == 6
