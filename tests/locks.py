"""Who waits for rows of the test database that others hold."""

from django.db import connection

_WAITING = "FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'"


def waiting(connections: int = 1) -> bool:
    """Whether so many wait."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_stat_clear_snapshot()")  # else a transaction sees no new ones
        cursor.execute(f"SELECT count(*) {_WAITING}")
        (count,) = cursor.fetchone() or (0,)
    return bool(count >= connections)


def end_who_waits() -> int:
    """Break their connections, and say how many there were."""
    with connection.cursor() as cursor:
        cursor.execute(f"SELECT count(pg_terminate_backend(pid)) {_WAITING}")
        (count,) = cursor.fetchone() or (0,)
    return int(count)
