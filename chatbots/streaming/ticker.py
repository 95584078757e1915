"""One task a process tells readers what answers gained, saves their texts, and detects which have been ended.

An answer has been ended if its row says so: another process may have stopped, interrupted or deleted it. Its readers
see that at once, its writer with the next piece of text.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Iterable
from concurrent.futures import Future
from itertools import count

from django.db import connection

from chatbots.answering import execution, finalize
from chatbots.models import Message, MessageStatus
from chatbots.streaming import registry, relay
from chatbots.streaming.registry import AnswerJob
from engines import background

logger = logging.getLogger(__name__)

TICK_SECONDS = 0.1
"""Seconds between two ticks: the delay of text for readers."""

SAVES = 5
"""Ticks between two saves: the delay of a row, and of a stop in other processes."""

_SAVE = """UPDATE {table} SET answer = job.text
FROM unnest(%s::uuid[], %s::text[]) AS job(id, text)
WHERE {table}.id = job.id AND status = %s RETURNING {table}.id"""

_ticker: Future[None] | None = None


def start() -> None:
    """Run the ticker while this process writes answers."""
    global _ticker
    with registry.lock:
        if _ticker is None:
            _ticker = background.run(_run())


async def _run() -> None:
    global _ticker
    for tick in count(1):
        await asyncio.sleep(TICK_SECONDS)
        with registry.lock:
            jobs = registry.list_own_jobs()
            if not jobs:
                _ticker = None
                return
        try:
            registry.wake([job for job in jobs if job.log_text()])
            await publish(jobs)
            if tick % SAVES == 0 and (growing := [job for job in jobs if not job.is_finished]):
                await background.run_in_pool("requests", execution.do_patiently, _save, growing)
        except Exception:  # any error: without this task no reader would get more text
            logger.exception("%s answers could not be saved", len(jobs))


async def publish(jobs: Iterable[AnswerJob]) -> None:
    """Publish the events of these answers that other processes have not got yet."""
    new = {}
    for job in jobs:
        new[job.id] = job.events[job.published :]
        job.published += len(new[job.id])
    await relay.send(new)


def _save(jobs: list[AnswerJob]) -> None:
    """Save the texts of the answers that are being written, and end the jobs of the others."""
    texts = {job: job.text for job in jobs}
    keys = [job.id for job in jobs]
    with connection.cursor() as cursor:
        statement = _SAVE.format(table=Message._meta.db_table)
        cursor.execute(statement, [keys, list(texts.values()), MessageStatus.WRITING.value])
        alive = {key for (key,) in cursor.fetchall()}
    if gone := set(keys) - alive:  # one that was done at this moment is still to be verified by its writer
        alive |= set(Message.objects.filter(pk__in=gone, status=MessageStatus.DONE).values_list("pk", flat=True))
    for job in jobs:
        if job.id not in alive:
            _end(job)


def _end(job: AnswerJob) -> None:
    """End a job; a failure must not stop the other saves."""
    try:
        finalize.keep_seen(job.id, job.text)
    except Exception:
        logger.exception("What readers have seen of answer %s could not be kept", job.id)
    job.end()
