"""Answers passed on to readers whom other processes serve, by Redis as they grow.

What an answer has gained since its text was last saved is published ten times a second, all answers of a process in one
message, and nothing is kept. Readers start from the database row and re-read it when a delta does not match. Without
Redis they look at the row alone, three times a second.
"""

from __future__ import annotations

import asyncio
import hashlib
import json
import logging
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from functools import cache
from typing import Any
from uuid import UUID

import redis
from django.conf import settings

from chatbots.streaming import registry
from chatbots.streaming.registry import AnswerJob, Snapshot

logger = logging.getLogger(__name__)

FALLBACK_SECONDS, POLL_SECONDS = 1.0, 0.3
"""Seconds after which a reader who hears nothing looks at the row; less where nothing can be heard."""

_PATIENCE = 0.5
"""Seconds that Redis has to take a message."""

_AGAIN = 2.0
"""Seconds until a lost connection is tried again."""


@dataclass(frozen=True)
class Delta:
    """How far an answer is: `text` stands after its first `offset` characters, which are in its row."""

    id: str
    revision: int
    offset: int
    text: str
    has_sources: bool
    is_finished: bool

    def after(self, known: Snapshot) -> Snapshot | None:
        """How far the answer is for a reader who knows this much of it; None where the row has to say it."""
        is_same = self.revision == known.revision and self.offset <= len(known.text)
        if self.offset and not is_same:
            return None
        text = known.text[: self.offset] + self.text
        return Snapshot(text, self.has_sources, self.is_finished, self.revision)


Deltas = asyncio.Queue[Delta]

_readers: dict[str, set[tuple[asyncio.AbstractEventLoop, Deltas]]] = {}
_lock = threading.Lock()
_hearing = _heard = False
_failed_at = -_AGAIN


def delta_of(job: AnswerJob) -> Delta:
    """What to publish of an answer; it is noted as published."""
    with registry.lock:
        job.published, offset = job.snapshot(), job.saved
    now = job.published
    return Delta(str(job.id), job.revision, offset, now.text[offset:], now.has_sources, now.is_finished)


def end_of(message_id: UUID) -> Delta:
    """That an answer is over, of which this process knows no text."""
    return Delta(str(message_id), 0, 0, "", has_sources=True, is_finished=True)


def publish(deltas: Sequence[Delta]) -> None:
    """Publish this now. Who does not hear it looks at the row before long; a Redis that fails is left alone a while."""
    global _failed_at
    if not deltas or not settings.REDIS_URL or time.monotonic() - _failed_at < _AGAIN:
        return
    try:
        _client(_PATIENCE).publish(_channel(), json.dumps([asdict(one) for one in deltas]))
    except redis.RedisError as problem:
        _failed_at = time.monotonic()
        logger.debug("Not passed on to other processes: %s", type(problem).__name__)


@contextmanager
def subscribed(message: UUID) -> Iterator[Deltas]:
    """What other processes publish of an answer, for a reader in a running event loop."""
    global _hearing
    deltas, loop = Deltas(), asyncio.get_running_loop()
    with _lock:
        _readers.setdefault(str(message), set()).add((loop, deltas))
        begins = bool(settings.REDIS_URL) and not _hearing
        _hearing = _hearing or begins
    if begins:
        threading.Thread(target=_hear_on, name="answers-hearing", daemon=True).start()
    try:
        yield deltas
    finally:
        with _lock:
            _readers[str(message)].discard((loop, deltas))
            if not _readers[str(message)]:
                del _readers[str(message)]


def patience() -> float:
    """Seconds for which a reader waits for a delta before it looks at the row."""
    return FALLBACK_SECONDS if _heard else POLL_SECONDS


def _hear_on() -> None:
    """Give the readers here what is published. A lost connection is tried again as long as there are any."""
    global _hearing, _heard
    while True:
        problem: Exception | None = None
        try:
            with _client(None).pubsub() as channel:  # type: ignore[no-untyped-call]
                channel.subscribe(_channel())
                for message in channel.listen():
                    _heard = True
                    if message["type"] == "message":
                        _hand_out(json.loads(message["data"]))
        except Exception as lost:
            problem = lost
        with _lock:
            had_heard, _heard = _heard, False
            if not _readers:
                _hearing = False
                return
        if had_heard:
            logger.warning("Answers of other processes are not heard of: %s", type(problem).__name__)
        time.sleep(_AGAIN)


def _hand_out(deltas: list[dict[str, Any]]) -> None:
    for one in deltas:
        with _lock:
            readers = list(_readers.get(one["id"], ()))
        for loop, queue in readers:
            if not loop.is_closed():
                loop.call_soon_threadsafe(queue.put_nowait, Delta(**one))


@cache
def _channel() -> str:
    """Of this installation: channels are shared by all who share a Redis."""
    return f"lectern:{hashlib.sha256(settings.SECRET_KEY.encode()).hexdigest()[:16]}:answers"


@cache
def _client(patience: float | None) -> redis.Redis:
    return redis.Redis.from_url(settings.REDIS_URL, socket_timeout=patience, socket_connect_timeout=_PATIENCE)
