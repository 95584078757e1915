"""Mark the answers of this process as alive, also those that wait for a slot.

This has a thread and a database connection of its own: in the pools it would wait behind the answers it vouches for.
"""

from __future__ import annotations

import logging
import threading
import time

from django.db import connection

from chatbots.models import Message
from chatbots.models.message import UNFINISHED
from chatbots.streaming import registry

logger = logging.getLogger(__name__)

SECONDS = 5.0
"""Seconds between two heartbeats."""

ABANDONED = 30.0
"""Seconds without a heartbeat after which an answer counts as interrupted."""

# Whoever holds a row is changing it. Waiting for one row would let all others die.
_BEAT = """UPDATE {table} SET heartbeat_at = statement_timestamp() WHERE id IN (
SELECT id FROM {table} WHERE id = ANY(%s) AND status = ANY(%s) FOR NO KEY UPDATE SKIP LOCKED)"""

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
            keys = [job.id for job in registry.jobs.values() if not job.is_elsewhere]
            if not keys:
                _thread = None
                break
        try:
            with own.cursor() as cursor:
                cursor.execute(_BEAT.format(table=Message._meta.db_table), [keys, [*UNFINISHED]])
        except Exception:  # any error: without this thread every answer would count as abandoned
            logger.exception("No heartbeat could be given for %s answers", len(keys))
            own.close()  # the next beat connects anew
    own.close()
