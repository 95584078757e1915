"""Checks whether the services that Lectern needs answer."""

import threading

import psycopg
import redis
from celery import current_app
from django.conf import settings
from django.db import connection
from django.db.migrations.executor import MigrationExecutor
from kombu.exceptions import OperationalError
from redis.backoff import NoBackoff
from redis.retry import Retry

_all_applied = threading.Event()


def list_missing_services() -> list[str]:
    """Names of the services that do not answer: "database", "broker". Takes 2.5 s at most, without both."""
    checks = {"database": database_answers, "broker": broker_answers}
    return [name for name, answers in checks.items() if not answers()]


def is_migrated() -> bool:
    """Whether all migrations are applied. Once they are, the database is not asked again."""
    if not _all_applied.is_set():
        executor = MigrationExecutor(connection)
        if not executor.migration_plan(executor.loader.graph.leaf_nodes()):
            _all_applied.set()
    return _all_applied.is_set()


def database_answers() -> bool:
    try:
        with connect_outside_pool() as probe:
            probe.execute("SELECT 1")
    except psycopg.Error:
        return False
    return True


def unserved_queues() -> set[str]:
    """The queues of which no Celery worker answers. Waits half a second."""
    try:
        found = current_app.control.inspect(timeout=0.5).active_queues() or {}
    except (OperationalError, OSError):
        found = {}
    return set(settings.CELERY_TASK_QUEUES) - {queue["name"] for queues in found.values() for queue in queues}


def connect_outside_pool() -> psycopg.Connection:
    """A new connection. One from the pool may have to wait under load, and the pool starts threads."""
    return psycopg.connect(**{**connection.get_connection_params(), "connect_timeout": 2})


def broker_answers() -> bool:
    if settings.REDIS_URL:
        return redis_answers(settings.REDIS_URL)
    try:
        with current_app.connection_for_write() as broker:
            broker.ensure_connection(max_retries=1, interval_start=0, interval_step=0, timeout=3)
    except (OperationalError, OSError):
        return False
    return True


def redis_answers(url: str) -> bool:
    """Whether the Redis at this address answers; not while it still loads its file."""
    client = redis.Redis.from_url(url, socket_timeout=0.5, socket_connect_timeout=0.5, retry=Retry(NoBackoff(), 0))
    try:
        with client:
            return bool(client.ping())
    except redis.RedisError:
        return False
