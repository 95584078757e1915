"""One ticker for the answers that this process writes: it publishes and saves their texts and learns which are over.

An answer is over when its row says so: it was stopped or swept, perhaps by another process, or deleted. Its writer, who
may be waiting for a silent model, sees that with the next piece; its readers see it at once.
"""

from __future__ import annotations

import logging
import threading
import time

from django.db import connection

from chatbots.answering import finalize
from chatbots.models import Message, MessageStatus
from chatbots.streaming import pubsub, registry
from chatbots.streaming.registry import AnswerJob

logger = logging.getLogger(__name__)

TICK_SECONDS = 0.1
"""Seconds between two ticks: how far behind readers in other processes are."""

SAVES = 5
"""Every so many ticks the texts are saved: how far behind a row is, how soon a stopped answer is over everywhere."""

ABANDONED = 30.0
"""Seconds without a heartbeat after which an answer counts as interrupted."""

_SAVE = """UPDATE {table} SET answer = job.text, heartbeat_at = statement_timestamp()
FROM unnest(%s::uuid[], %s::text[]) AS job(id, text)
WHERE {table}.id = job.id AND status = %s RETURNING {table}.id"""

_ticker: threading.Thread | None = None


def start() -> None:
    """Have the ticker run as long as there are answers of this process."""
    global _ticker
    with registry.lock:
        if _ticker is None:
            _ticker = threading.Thread(target=_run, name="answers-ticker", daemon=True)
            _ticker.start()


def _run() -> None:
    global _ticker
    tick = 0
    while True:
        time.sleep(TICK_SECONDS)
        tick += 1
        with registry.lock:
            jobs = registry.ours()
            if not jobs:
                _ticker = None
                return
        try:
            pubsub.publish([pubsub.delta_of(job) for job in jobs if job.published != job.snapshot()])
            if tick % SAVES == 0:
                _save([job for job in jobs if not job.over])
        except Exception:  # whatever it is: without this thread every answer would be given up for dead
            logger.exception("No heartbeat could be given for %s answers", len(jobs))
        finally:
            connection.close()


def _save(jobs: list[AnswerJob]) -> None:
    """Save the texts of the answers that are still being written, and end the jobs of the others."""
    if not jobs:
        return
    snapshots = {job: job.snapshot() for job in jobs}
    keys, texts = [job.id for job in jobs], [snapshots[job].text for job in jobs]
    with connection.cursor() as cursor:
        statement = _SAVE.format(table=Message._meta.db_table)
        cursor.execute(statement, [keys, texts, MessageStatus.WRITING.value])
        alive = {key for (key,) in cursor.fetchall()}
    for job, snapshot in snapshots.items():
        if job.id not in alive:
            _end(job)
        with registry.lock:
            if job.revision == snapshot.revision:
                job.saved = len(snapshot.text)


def _end(job: AnswerJob) -> None:
    """One that fails must not keep the others from being saved."""
    try:
        finalize.keep_seen(job.id, job.text)
    except Exception:
        logger.exception("What readers have seen of answer %s could not be kept", job.id)
    job.end()
