"""Carry the states of answers to readers in other processes: a key of Redis for each answer, kept for a minute.

Readers of an answer share a copy of its job. They read the database row when nothing comes, without Redis three times a
second. A process reads the keys of all its copies with one command ten times a second.
"""

from __future__ import annotations

import asyncio
import hashlib
import json
import logging
import time
from collections.abc import Mapping
from concurrent.futures import Future
from functools import cache
from uuid import UUID
from weakref import WeakValueDictionary

import redis.asyncio as redis
from django.conf import settings

from chatbots.streaming import registry
from chatbots.streaming.registry import AnswerJob, AnswerState
from engines import background

logger = logging.getLogger(__name__)

FALLBACK_SECONDS, POLL_SECONDS = 1.0, 0.3
"""Seconds without a change after which a reader reads the row; the second value applies without Redis."""

READ_SECONDS = 0.1
"""Seconds between two looks at the keys."""

TERM_SECONDS = 60
"""Seconds for which a state is kept."""

_REDIS_TIMEOUT = 0.5
"""Timeout of Redis in seconds."""

_AGAIN = 2.0
"""Seconds before a retry after a lost connection."""

_sending = asyncio.Lock()  # in order: an older state must not come after a newer one
_copies = WeakValueDictionary[UUID, AnswerJob]()
_reading: Future[None] | None = None
_is_connected = False
_failed_at = -_AGAIN


def publish_states(states: Mapping[UUID, AnswerState]) -> None:
    """Tell other processes, without a delivery guarantee. After a failure of Redis, not for a while."""
    if states and settings.REDIS_URL and time.monotonic() - _failed_at > _AGAIN:
        background.run(_send(states))


async def _send(states: Mapping[UUID, AnswerState]) -> None:
    global _failed_at
    try:
        async with _sending, _client().pipeline(transaction=False) as pipeline:
            for message, state in states.items():
                fields = [state.text, state.reasoning, state.dropped, state.has_sources, state.is_done]
                pipeline.set(_key(message), json.dumps(fields), ex=TERM_SECONDS)
            await pipeline.execute()
    except redis.RedisError as problem:
        _failed_at = time.monotonic()
        logger.debug("Not published to other processes: %s", type(problem).__name__)


def get_copy(message: UUID) -> AnswerJob:
    """A job with the state of an answer that another process writes, brought up to date as long as it is held."""
    global _reading
    with registry.lock:
        job = _copies.setdefault(message, AnswerJob(message, is_elsewhere=True))
        if settings.REDIS_URL and _reading is None:
            _reading = background.run(_read())
    return job


def get_patience() -> float:
    """Seconds to wait for a change before reading the row."""
    return FALLBACK_SECONDS if _is_connected else POLL_SECONDS


async def _read() -> None:
    """Bring the copies up to date, as long as there are any."""
    global _reading, _is_connected
    known: dict[UUID, str] = {}
    while True:
        with registry.lock:
            copies = list(_copies.values())
            if not copies:
                _reading, _is_connected = None, False
                return
        try:
            known = await _read_once(copies, known)
            _is_connected = True
        except Exception as lost:
            if _is_connected:
                logger.warning("No news from other processes: %s", type(lost).__name__)
            _is_connected = False
        del copies
        await asyncio.sleep(READ_SECONDS if _is_connected else _AGAIN)


async def _read_once(copies: list[AnswerJob], known: Mapping[UUID, str]) -> dict[UUID, str]:
    """Return what the keys of these copies say. Only what is not known yet is decoded."""
    values = await _client().mget([_key(job.id) for job in copies])
    said = {job.id: str(value) for job, value in zip(copies, values, strict=True) if value}
    changed = [job for job in copies if job.id in said and said[job.id] != known.get(job.id)]
    for job in changed:
        job.state = AnswerState(*json.loads(said[job.id]))
    registry.wake(changed)
    return said


def _key(message: UUID) -> str:
    """The key of an answer of this installation, which may share its Redis with others."""
    installation = hashlib.sha256(settings.SECRET_KEY.encode()).hexdigest()[:16]
    return f"lectern:{installation}:answer:{message}"


@cache
def _client() -> redis.Redis:
    """A client of the background loop."""
    return redis.Redis.from_url(
        settings.REDIS_URL, socket_timeout=_REDIS_TIMEOUT, socket_connect_timeout=_REDIS_TIMEOUT, decode_responses=True
    )
