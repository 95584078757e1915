"""One thread a process vouches for its answers, saves their texts, tells readers what they gained, and detects which
have been ended.

An answer has been ended if its row says so: another process may have stopped, interrupted or deleted it. Its readers
see that at once, its writer with the next piece of text. The thread has a database connection of its own: in the pools
it would wait behind the answers it vouches for.
"""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Iterable, Sequence
from itertools import count

from django.db import connection, connections

from chatbots.answering import finalize
from chatbots.models import Message, MessageStatus
from chatbots.streaming import registry, relay
from chatbots.streaming.registry import AnswerJob
from engines import background

logger = logging.getLogger(__name__)

TICK_SECONDS = 0.1
"""Seconds between two ticks: the delay of text for readers."""

SAVES, BEATS = 5, 50
"""Ticks between two saves, the delay of a row and of a stop in other processes; and between two heartbeats of all."""

ABANDONED = 30.0
"""Seconds without a heartbeat after which an answer counts as interrupted."""

# Whoever holds a row is changing it. Waiting for one row would let all others die.
_SAVE = """UPDATE {table} SET heartbeat_at = statement_timestamp(), answer = job.text FROM (
SELECT id, job.text FROM {table} JOIN unnest(%s::uuid[], %s::text[], %s::text[]) AS job(id, text, status)
USING (id, status) FOR NO KEY UPDATE OF {table} SKIP LOCKED) AS job
WHERE {table}.id = job.id RETURNING {table}.id"""

_TIMEOUTS = {"connect_timeout": 5, "tcp_user_timeout": 10_000}
# Readers wait as long for their text while somebody holds the whole table, as an upgrade does.
_SET_LOCK_TIMEOUT = "SET lock_timeout = 1000"

_thread: threading.Thread | None = None


def start() -> None:
    """Tick while this process has answers to write."""
    global _thread
    with registry.lock:
        if _thread is None or not _thread.is_alive():
            _thread = threading.Thread(target=_run, name="answers-ticker", daemon=True)
            _thread.start()


def publish(jobs: Iterable[AnswerJob]) -> None:
    """Tell the readers of these answers what is new, in this process and in others."""
    changed = [job for job in jobs if job.published is not job.state]
    for job in changed:
        job.published = job.state
    registry.wake(changed)
    relay.publish_states({job.id: job.published for job in changed})


def _run() -> None:
    global _thread
    own = connections["default"] = connection.copy()
    own.settings_dict["OPTIONS"].pop("pool", None)
    own.settings_dict["OPTIONS"] |= _TIMEOUTS
    has_failed = False
    for tick in count(1):
        time.sleep(TICK_SECONDS)
        is_beat = tick % BEATS == 0
        with registry.lock:
            jobs = list(registry.jobs.values())
            if not jobs and is_beat:
                _thread = None
                break
        try:
            publish(job for job in jobs if job.is_ours)
            due = [job for job in jobs if not job.state.is_done and (is_beat or job.waits_for_model)]
            if due and (is_beat or (tick % SAVES == 0 and not has_failed)):
                _save(due)
                has_failed = False
        except Exception:  # any error: without this thread every answer would count as abandoned
            logger.exception("No heartbeat could be given for %s answers", len(jobs))
            has_failed = True
            own.close()  # the next beat connects anew
    own.close()


def _save(jobs: Sequence[AnswerJob]) -> None:
    """Save the texts of these answers with a heartbeat, and end the jobs of those that have been ended."""
    states = [MessageStatus.WRITING if job.is_ours else MessageStatus.PENDING for job in jobs]
    rows = [job.id for job in jobs], [job.state.text for job in jobs], [state.value for state in states]
    with connection.cursor() as cursor:
        cursor.execute(_SET_LOCK_TIMEOUT)
        cursor.execute(_SAVE.format(table=Message._meta.db_table), rows)
        alive = {key for (key,) in cursor.fetchall()}
    if gone := {job.id for job in jobs if job.is_ours} - alive:
        # One that is being changed is looked at again; the writer of one that is done is about to say so.
        states = [MessageStatus.WRITING, MessageStatus.DONE]
        alive |= set(Message.objects.filter(pk__in=gone, status__in=states).values_list("pk", flat=True))
    for job in jobs:
        if job.id in gone - alive:
            background.get_pool("after").submit(_end, job)  # it may wait for others


def _end(job: AnswerJob) -> None:
    try:
        finalize.keep_seen(job.id, job.state.text)
    except Exception:
        logger.exception("What readers have seen of answer %s could not be kept", job.id)
    finally:
        connection.close()
    job.end()
