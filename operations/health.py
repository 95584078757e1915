"""What the application needs beside itself, and whether it answers just now."""

import psycopg
from celery import current_app
from django.db import connection
from kombu.exceptions import OperationalError


def missing() -> list[str]:
    """Names of the services that do not answer: "database", "broker". Takes a few seconds at worst."""
    checks = {"database": database_answers, "broker": broker_answers}
    return [name for name, answers in checks.items() if not answers()]


def database_answers() -> bool:
    try:
        with outside_pool() as probe:
            probe.execute("SELECT 1")
    except psycopg.Error:
        return False
    return True


def worker_answers() -> bool:
    """Whether a Celery worker takes part; half a second when none does."""
    try:
        return bool(current_app.control.ping(timeout=0.5))
    except (OperationalError, OSError):
        return False


def outside_pool() -> psycopg.Connection:
    """A connection of its own: waiting for one of the pool's would tell of load, and starts threads."""
    return psycopg.connect(**{**connection.get_connection_params(), "connect_timeout": 3})


def broker_answers() -> bool:
    try:
        with current_app.connection_for_write() as broker:
            broker.ensure_connection(max_retries=1, interval_start=0, interval_step=0, timeout=3)
    except (OperationalError, OSError):
        return False
    return True
