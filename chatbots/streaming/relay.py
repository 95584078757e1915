"""Carry the events of answers to readers in other processes: a Redis stream for each answer, kept for a minute.

Readers begin with the database row and read it again when events do not fit. Without Redis they read it three times a
second. A process reads the streams of all its readers with one command ten times a second.
"""

from __future__ import annotations

import asyncio
import hashlib
import json
import logging
import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import Future
from contextlib import contextmanager
from functools import cache
from typing import cast
from uuid import UUID

import redis.asyncio as redis
from django.conf import settings

from chatbots.answering.draft import Event, Kind
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

Arrivals = asyncio.Queue[list[Event]]
_Found = list[tuple[str, list[tuple[str, dict[str, str]]]]]
_Streams = dict[bytes | str | memoryview, int | bytes | str | memoryview]

_readers: dict[str, set[tuple[asyncio.AbstractEventLoop, Arrivals]]] = {}
_positions: dict[str, str] = {}
_lock = threading.Lock()
_reading: Future[None] | None = None
_is_connected = False
_failed_at = -_AGAIN


async def send(events: Mapping[UUID, Sequence[Event]]) -> None:
    """Publish in the background loop, without a delivery guarantee. After a failure of Redis, not for a while."""
    global _failed_at
    if not any(events.values()) or not settings.REDIS_URL or time.monotonic() - _failed_at < _AGAIN:
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


@contextmanager
def subscribe(message: UUID) -> Iterator[Arrivals]:
    """The events of an answer that another process writes, from the first on, for the running event loop."""
    global _reading
    key, reader = _key(message), (asyncio.get_running_loop(), Arrivals())
    with _lock:
        _readers.setdefault(key, set()).add(reader)
        _positions[key] = "0"  # whoever has an event already leaves it out
        if settings.REDIS_URL and _reading is None:
            _reading = background.run(_read())
    try:
        yield reader[1]
    finally:
        with _lock:
            _readers[key].discard(reader)
            if not _readers[key]:
                del _readers[key], _positions[key]


def event_timeout() -> float:
    """Seconds to wait for an event before reading the row."""
    return FALLBACK_SECONDS if _is_connected else POLL_SECONDS


async def _read() -> None:
    """Pass events to the readers of this process, as long as there are any."""
    global _reading, _is_connected
    while True:
        with _lock:
            if not _positions:
                _reading, _is_connected = None, False
                return
            positions = dict(_positions)
        try:
            found = await _client().xread(cast("_Streams", positions))
            for key, entries in cast("_Found", found):
                _deliver(key, positions[key], entries)
            _is_connected = True
        except Exception as lost:
            if _is_connected:
                logger.warning("No events from other processes: %s", type(lost).__name__)
            _is_connected = False
        await asyncio.sleep(READ_SECONDS if _is_connected else _AGAIN)


def _deliver(key: str, position: str, entries: Sequence[tuple[str, Mapping[str, str]]]) -> None:
    events = [
        Event(Kind(kind), text, offset, sequence, unverified=unverified)
        for _, entry in entries
        for kind, text, offset, sequence, unverified in json.loads(entry["events"])
    ]
    with _lock:
        readers = list(_readers.get(key, ()))
        if _positions.get(key) == position:
            _positions[key] = entries[-1][0]
    for loop, queue in readers:
        if not loop.is_closed():
            loop.call_soon_threadsafe(queue.put_nowait, events)


def _key(message: UUID) -> str:
    """The stream of an answer of this installation, which may share its Redis with others."""
    return f"lectern:{_installation()}:answer:{message}"


@cache
def _installation() -> str:
    return hashlib.sha256(settings.SECRET_KEY.encode()).hexdigest()[:16]


@cache
def _client() -> redis.Redis:
    """A client of the background loop."""
    return redis.Redis.from_url(
        settings.REDIS_URL, socket_timeout=_REDIS_TIMEOUT, socket_connect_timeout=_REDIS_TIMEOUT, decode_responses=True
    )
