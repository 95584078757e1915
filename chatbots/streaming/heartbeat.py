"""Mark the answers of this process as alive, also those that wait for a slot.

This has a thread and a database connection of its own: in the pools it would wait behind the answers it vouches for.
"""

from __future__ import annotations

import logging
import threading
import time
from typing import Any

from django.db import connection

from chatbots.models import Message, MessageStatus
from chatbots.streaming import registry

logger = logging.getLogger(__name__)

SECONDS = 5.0
"""Seconds between two heartbeats."""

ABANDONED = 30.0
"""Seconds without a heartbeat after which an answer counts as interrupted."""

# Whoever holds a row is changing it. Waiting for one row would let all others die.
_BEAT = """UPDATE {table} SET heartbeat_at = statement_timestamp() WHERE id IN (
SELECT id FROM {table} WHERE id = ANY(%s) AND status = %s OR id = ANY(%s) AND status = %s
FOR NO KEY UPDATE SKIP LOCKED)"""

_TIMEOUTS = {"connect_timeout": 5, "tcp_user_timeout": 10_000}

_thread: threading.Thread | None = None


def start() -> None:
    """Beat while this process has answers to write."""
    global _thread
    with registry.lock:
        if _thread is None:
            _thread = threading.Thread(target=_run, name="answers-heartbeat", daemon=True)
            _thread.start()


def _run() -> None:
    global _thread
    own = connection.copy()
    own.settings_dict["OPTIONS"].pop("pool", None)
    own.settings_dict["OPTIONS"] |= _TIMEOUTS
    while True:
        time.sleep(SECONDS)
        with registry.lock:
            ours = [job.id for job in registry.jobs.values() if job.is_ours]
            waiting = [key for key in registry.jobs if key not in ours]
            if not registry.jobs:
                _thread = None
                break
        try:
            with own.cursor() as cursor:
                of_each: list[Any] = [ours, MessageStatus.WRITING.value, waiting, MessageStatus.PENDING.value]
                cursor.execute(_BEAT.format(table=Message._meta.db_table), of_each)
        except Exception:  # any error: without this thread every answer would count as abandoned
            logger.exception("No heartbeat could be given for %s answers", len(ours + waiting))
            own.close()  # the next beat connects anew
    own.close()
