"""Publish growing answers through Redis to readers in other processes.

Ten times a second a process publishes what its answers gained since they were last saved, in one message. Readers start
from the database row and re-read it when a delta does not match. Without Redis they poll the row three times a second.
"""

from __future__ import annotations

import asyncio
import hashlib
import json
import logging
import threading
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import Future
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from functools import cache
from typing import Any
from uuid import UUID

import redis.asyncio as redis
from django.conf import settings

from chatbots.streaming import registry
from chatbots.streaming.registry import AnswerJob, Snapshot
from engines import background

logger = logging.getLogger(__name__)

FALLBACK_SECONDS, POLL_SECONDS = 1.0, 0.3
"""Seconds without a delta after which a reader reads the row; the second value applies without Redis."""

_REDIS_TIMEOUT = 0.5
"""Timeout of Redis in seconds."""

_AGAIN = 2.0
"""Seconds before a retry after a lost connection."""


@dataclass(frozen=True)
class Delta:
    """The progress of an answer: `text` follows its first `offset` characters, which are in its row."""

    id: str
    revision: int
    offset: int
    text: str
    has_sources: bool
    is_finished: bool
    is_verified: bool = False

    def after(self, known: Snapshot) -> Snapshot | None:
        """The new snapshot for a reader who has `known`; None if the row must be read."""
        is_same = self.revision == known.revision and self.offset <= len(known.text)
        if self.offset and not is_same:
            return None
        text = known.text[: self.offset] + self.text
        return Snapshot(text, self.has_sources, self.is_finished, self.revision, is_verified=self.is_verified)


Deltas = asyncio.Queue[Delta]

_readers: dict[str, set[tuple[asyncio.AbstractEventLoop, Deltas]]] = {}
_lock = threading.Lock()
_listener: Future[None] | None = None
_is_connected = False
_failed_at = -_AGAIN


def delta_of(job: AnswerJob) -> Delta:
    """The delta to publish of an answer, which is marked as published."""
    with registry.lock:
        job.published, offset = job.snapshot(), job.saved
    now = job.published
    states = (now.has_sources, now.is_finished, now.is_verified)
    return Delta(str(job.id), job.revision, offset, now.text[offset:], *states)


def end_of(message_id: UUID) -> Delta:
    """The delta for an answer that has ended, without its text."""
    return Delta(str(message_id), 0, 0, "", has_sources=True, is_finished=True, is_verified=True)


def publish(deltas: Sequence[Delta]) -> None:
    """Publish without a delivery guarantee and without waiting."""
    background.run(send(deltas))


async def send(deltas: Sequence[Delta]) -> None:
    """Publish in the background loop. After a failure of Redis, nothing is published for a while."""
    global _failed_at
    if not deltas or not settings.REDIS_URL or time.monotonic() - _failed_at < _AGAIN:
        return
    try:
        await _client(_REDIS_TIMEOUT).publish(_channel(), json.dumps([asdict(one) for one in deltas]))
    except redis.RedisError as problem:
        _failed_at = time.monotonic()
        logger.debug("Not published to other processes: %s", type(problem).__name__)


@contextmanager
def subscribed(message: UUID) -> Iterator[Deltas]:
    """The deltas of an answer that another process writes, for the running event loop."""
    global _listener
    deltas, loop = Deltas(), asyncio.get_running_loop()
    with _lock:
        _readers.setdefault(str(message), set()).add((loop, deltas))
        if settings.REDIS_URL and _listener is None:
            _listener = background.run(_listen())
    try:
        yield deltas
    finally:
        with _lock:
            _readers[str(message)].discard((loop, deltas))
            if not _readers[str(message)]:
                del _readers[str(message)]


def delta_timeout() -> float:
    """Seconds to wait for a delta before reading the row."""
    return FALLBACK_SECONDS if _is_connected else POLL_SECONDS


async def _listen() -> None:
    """Pass published deltas to the readers of this process. Reconnect as long as there are any."""
    global _listener, _is_connected
    while True:
        problem: Exception | None = None
        try:
            async with _client(None).pubsub() as channel:
                await channel.subscribe(_channel())
                async for message in channel.listen():
                    _is_connected = True
                    if message["type"] == "message":
                        _deliver(json.loads(message["data"]))
        except Exception as lost:
            problem = lost
        with _lock:
            was_connected, _is_connected = _is_connected, False
            if not _readers:
                _listener = None
                return
        if was_connected:
            logger.warning("No deltas from other processes: %s", type(problem).__name__)
        await asyncio.sleep(_AGAIN)


def _deliver(deltas: list[dict[str, Any]]) -> None:
    for one in deltas:
        with _lock:
            readers = list(_readers.get(one["id"], ()))
        for loop, queue in readers:
            if not loop.is_closed():
                loop.call_soon_threadsafe(queue.put_nowait, Delta(**one))


@cache
def _channel() -> str:
    """The channel of this installation, which may share its Redis with others."""
    return f"lectern:{hashlib.sha256(settings.SECRET_KEY.encode()).hexdigest()[:16]}:answers"


@cache
def _client(timeout: float | None) -> redis.Redis:
    """A client of the background loop."""
    return redis.Redis.from_url(settings.REDIS_URL, socket_timeout=timeout, socket_connect_timeout=_REDIS_TIMEOUT)
