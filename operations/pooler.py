"""Find out whether a connection pooler lends its connections for a transaction at a time, which Lectern cannot use."""

from __future__ import annotations

import psycopg
from django.db import connection

ADVICE = (
    "DATABASE_URL leads to a connection pooler in transaction mode. Lectern prepares its statements and holds advisory "
    "locks, which last as long as a session. With PgBouncer set pool_mode = session for this database, or let "
    "DATABASE_URL lead to PostgreSQL itself: Lectern has a pool of its own in each process (LECTERN_DATABASE_POOL)."
)


def shares_sessions() -> bool:
    """Whether two open connections get the same session of PostgreSQL in turn. Raises psycopg.OperationalError."""
    parameters = connection.get_connection_params()
    wanted = {key: parameters[key] for key in ("dbname", "user", "password", "host", "port") if parameters.get(key)}
    with (
        psycopg.connect(**wanted, autocommit=True, prepare_threshold=None) as one,
        psycopg.connect(**wanted, autocommit=True, prepare_threshold=None) as other,
    ):
        # Others may take the free session between two steps.
        sessions = [_session(client) for _ in range(5) for client in (one, other)]
    return bool(set(sessions[::2]) & set(sessions[1::2]))


def _session(client: psycopg.Connection) -> int:
    row = client.execute("SELECT pg_backend_pid()").fetchone()
    assert row
    return int(row[0])
