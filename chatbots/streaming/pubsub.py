"""Answers passed on to readers whom other processes serve, by Redis as they grow.

What an answer has gained since its text was last saved is published ten times a second, all answers of a process in one
message, and nothing is kept: the row is the truth, with which a reader begins and to which it returns whenever what it
is told does not fit. Without Redis readers look at the row alone, three times a second.
"""

from __future__ import annotations

import asyncio
import hashlib
import json
import logging
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from functools import cache
from typing import Any
from uuid import UUID
from zlib import crc32

import redis
from django.conf import settings

logger = logging.getLogger(__name__)

EVERY = 0.1
"""Seconds between two messages of a process: how far behind its readers elsewhere are."""

LOOK, LOOK_ALONE = 1.0, 0.3
"""Seconds after which a reader who is told nothing looks at the row; less where nothing can be told."""

_PATIENCE = 0.5
"""Seconds that Redis has to take a message."""

_AGAIN = 2.0
"""Seconds until a lost connection is tried again."""


@dataclass(frozen=True)
class Told:
    """How far an answer is: its text is the first `begin` characters that a reader has, and `rest`.

    `check` is the CRC-32 of that beginning, by which a reader knows whether it has the same.
    """

    message: str
    begin: int
    check: int
    rest: str
    drafts: int
    has_sources: bool
    is_finished: bool

    def after(self, text: str) -> str | None:
        """The whole text for a reader who has this much of it; None if it has something else."""
        known = text[: self.begin]
        fits = len(known) == self.begin and crc32(known.encode()) == self.check
        return known + self.rest if fits else None


def told(message: UUID, text: str, saved: str, *, drafts: int, has_sources: bool, is_finished: bool) -> Told:
    """What to pass on of an answer of which `saved` stands in its row."""
    begin = len(saved) if text.startswith(saved) else 0
    check = crc32(text[:begin].encode())
    return Told(str(message), begin, check, text[begin:], drafts, has_sources, is_finished)


News = asyncio.Queue[Told]

_readers: dict[str, set[tuple[asyncio.AbstractEventLoop, News]]] = {}
_lock = threading.Lock()
_telling = _hearing = _heard = False


def tell_on(news: Callable[[], list[Told] | None]) -> None:
    """Have a thread ask for news and publish them, as long as there are any: None is the end."""
    global _telling
    with _lock:
        if _telling or not settings.REDIS_URL:
            return
        _telling = True
    threading.Thread(target=_tell_on, args=[news], name="answers-telling", daemon=True).start()


def tell(news: Iterable[Told]) -> None:
    """Publish this now. Who does not hear it looks at the row before long."""
    message = json.dumps([asdict(one) for one in news])
    try:
        if settings.REDIS_URL and message != "[]":
            _client(_PATIENCE).publish(_channel(), message)
    except redis.RedisError as problem:
        logger.debug("Not passed on to other processes: %s", type(problem).__name__)


@contextmanager
def listening(message: UUID) -> Iterator[News]:
    """What other processes tell of an answer, for a reader in a running event loop."""
    global _hearing
    news, loop = News(), asyncio.get_running_loop()
    with _lock:
        _readers.setdefault(str(message), set()).add((loop, news))
        begins = bool(settings.REDIS_URL) and not _hearing
        _hearing = _hearing or begins
    if begins:
        threading.Thread(target=_hear_on, name="answers-hearing", daemon=True).start()
    try:
        yield news
    finally:
        with _lock:
            _readers[str(message)].discard((loop, news))
            if not _readers[str(message)]:
                del _readers[str(message)]


def patience() -> float:
    """Seconds for which a reader waits to be told something before it looks at the row."""
    return LOOK if _heard else LOOK_ALONE


def _tell_on(news: Callable[[], list[Told] | None]) -> None:
    global _telling
    while True:
        time.sleep(EVERY)
        try:
            with _lock:
                found = news()
                if found is None:
                    _telling = False
                    return
            tell(found)
        except Exception:
            logger.exception("Nothing could be passed on to other processes")


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
            logger.warning("Answers of other processes are not heard: %s", type(problem).__name__)
        time.sleep(_AGAIN)


def _hand_out(news: list[dict[str, Any]]) -> None:
    for one in news:
        with _lock:
            readers = list(_readers.get(one["message"], ()))
        for loop, queue in readers:
            if not loop.is_closed():
                loop.call_soon_threadsafe(queue.put_nowait, Told(**one))


@cache
def _channel() -> str:
    """Of this installation: channels are shared by all who share a Redis."""
    return f"lectern:{hashlib.sha256(settings.SECRET_KEY.encode()).hexdigest()[:16]}:answers"


@cache
def _client(patience: float | None) -> redis.Redis:
    return redis.Redis.from_url(settings.REDIS_URL, socket_timeout=patience, socket_connect_timeout=_PATIENCE)
