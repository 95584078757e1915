"""Carry the events of answers to readers in other processes: a Redis stream for each answer, kept for a minute.

Readers of an answer share a copy of its job. They read the database row when events are missing, without Redis three
times a second. A process reads the streams of all its copies with one command ten times a second.
"""

from __future__ import annotations

import asyncio
import hashlib
import json
import logging
import time
from collections.abc import Mapping, Sequence
from concurrent.futures import Future
from functools import cache
from typing import Any
from uuid import UUID
from weakref import WeakValueDictionary

import redis.asyncio as redis
from django.conf import settings

from chatbots.answering.draft import Event, Kind
from chatbots.streaming import registry
from chatbots.streaming.registry import AnswerJob, JobStage
from engines import background

logger = logging.getLogger(__name__)

FALLBACK_SECONDS, POLL_SECONDS = 1.0, 0.3
"""Seconds without an event after which a reader reads the row; the second value applies without Redis."""

READ_SECONDS = 0.1
"""Seconds between two looks at the streams."""

TERM_SECONDS = 60
"""Seconds for which events are kept after the last one."""

_REDIS_TIMEOUT = 0.5
"""Timeout of Redis in seconds."""

_AGAIN = 2.0
"""Seconds before a retry after a lost connection."""

_copies = WeakValueDictionary[UUID, AnswerJob]()
_reading: Future[None] | None = None
_is_connected = False
_failed_at = -_AGAIN


async def send(events: Mapping[UUID, Sequence[Event]]) -> None:
    """Publish in the background loop, without a delivery guarantee. After a failure of Redis, not for a while."""
    global _failed_at
    if not events or not settings.REDIS_URL or time.monotonic() - _failed_at < _AGAIN:
        return
    try:
        async with _client().pipeline(transaction=False) as pipeline:
            for message, new in events.items():
                wire = json.dumps([[one.kind, one.text, one.offset, one.sequence, one.unverified] for one in new])
                pipeline.xadd(_key(message), {"events": wire})
                pipeline.expire(_key(message), TERM_SECONDS)
            await pipeline.execute()
    except redis.RedisError as problem:
        _failed_at = time.monotonic()
        logger.debug("Not published to other processes: %s", type(problem).__name__)


def get_copy(message: UUID) -> AnswerJob:
    """A job with the events of an answer that another process writes, brought up to date as long as it is held."""
    global _reading
    with registry.lock:
        job = _copies.setdefault(message, AnswerJob(message, JobStage.ELSEWHERE))
        if settings.REDIS_URL and _reading is None:
            _reading = background.run(_read())
    return job


def event_timeout() -> float:
    """Seconds to wait for an event before reading the row."""
    return FALLBACK_SECONDS if _is_connected else POLL_SECONDS


async def _read() -> None:
    """Bring the copies up to date, as long as there are any."""
    global _reading, _is_connected
    while True:
        with registry.lock:
            if not _copies:
                _reading, _is_connected = None, False
                return
        try:
            await _read_once()
            _is_connected = True
        except Exception as lost:
            if _is_connected:
                logger.warning("No events from other processes: %s", type(lost).__name__)
            _is_connected = False
        await asyncio.sleep(READ_SECONDS if _is_connected else _AGAIN)


async def _read_once() -> None:
    with registry.lock:
        copies = {_key(job.id): job for job in _copies.values()}
    positions: Any = {key: job.position for key, job in copies.items()}
    streams: Any = await _client().xread(positions) if positions else ()
    for key, entries in streams:
        for position, entry in entries:
            copies[key].position = position
            for kind, text, offset, sequence, unverified in json.loads(entry["events"]):
                copies[key].events.append(Event(Kind(kind), text, offset, sequence, unverified=unverified))
    registry.wake(copies[key] for key, _ in streams)


def _key(message: UUID) -> str:
    """The stream of an answer of this installation, which may share its Redis with others."""
    installation = hashlib.sha256(settings.SECRET_KEY.encode()).hexdigest()[:16]
    return f"lectern:{installation}:answer:{message}"


@cache
def _client() -> redis.Redis:
    """A client of the background loop."""
    return redis.Redis.from_url(
        settings.REDIS_URL, socket_timeout=_REDIS_TIMEOUT, socket_connect_timeout=_REDIS_TIMEOUT, decode_responses=True
    )
