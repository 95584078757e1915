"""Signs of life of the answers that this process writes: one thread saves their texts and learns which are over.

An answer is over when its row says so: it was stopped or swept, perhaps from another process, or deleted. Its writer,
who may be waiting for a silent model, sees that with the next piece; who has asked for it with `when_over` at once.
"""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from uuid import UUID

from django.db import connection

from chatbots.models import Message, MessageStatus

logger = logging.getLogger(__name__)

EVERY = 0.5
"""Seconds between two beats: how far behind a reader elsewhere is, how soon a stopped answer is over everywhere."""

AT_LEAST = 5.0
"""Seconds between two signs of life of an answer whose text does not grow, such as that of a model that thinks."""

_SAVE = """UPDATE {table} SET answer = life.text, heartbeat_at = statement_timestamp()
FROM unnest(%s::uuid[], %s::text[]) AS life(id, text)
WHERE {table}.id = life.id AND status = %s RETURNING {table}.id"""


@dataclass
class Life:
    """Of an answer that is being written: its writer sets `text`, and stops when it `is_over`."""

    text: str = ""
    is_over: bool = False
    saved: str = ""
    signed: float = field(default_factory=time.monotonic)


_lives: dict[UUID, Life] = {}
_told: list[Callable[[UUID], None]] = []
_lock = threading.Lock()
_heart: threading.Thread | None = None


@contextmanager
def beating(message_id: UUID) -> Iterator[Life]:
    """While an answer is written. Within a transaction, where nobody else sees the row, it is left alone."""
    global _heart
    life = Life()
    if connection.in_atomic_block:
        yield life
        return
    with _lock:
        _lives[message_id] = life
        if _heart is None:
            _heart = threading.Thread(target=_beat_on, name="answers-pulse", daemon=True)
            _heart.start()
    try:
        yield life
    finally:
        with _lock:
            del _lives[message_id]


def when_over(tell: Callable[[UUID], None]) -> None:
    """Have this called, in the thread of the pulse, with every answer that is over before its writer knows it."""
    _told.append(tell)


def saved(message_id: UUID) -> str:
    """The text of an answer that is surely in its row."""
    life = _lives.get(message_id)
    return life.saved if life else ""


def mark_over(message_id: UUID) -> None:
    """Say to a writer in this process that its answer is over."""
    if life := _lives.get(message_id):
        life.is_over = True


def _beat_on() -> None:
    global _heart
    while True:
        time.sleep(EVERY)
        with _lock:
            lives = {key: life for key, life in _lives.items() if not life.is_over}
            if not _lives:
                _heart = None
                return
        try:
            _beat(lives)
        except Exception:  # whatever it is: without this thread every answer would be given up for dead
            logger.exception("No sign of life could be given for %s answers", len(lives))
        finally:
            connection.close()


def _beat(lives: dict[UUID, Life]) -> None:
    now = time.monotonic()
    due = {
        key: life.text
        for key, life in lives.items()
        if life.text != life.saved or now - life.signed >= AT_LEAST
    }
    alive = _save(due) if due else set()
    for key in alive:
        lives[key].saved, lives[key].signed = due[key], now
    rest = lives.keys() - due.keys()
    if rest:
        alive |= set(Message.objects.unfinished().filter(pk__in=rest).values_list("pk", flat=True))
    for key in lives.keys() - alive:
        lives[key].is_over = True
        _tell(key)


def _tell(message_id: UUID) -> None:
    """Tell it once, as this answer has no more beats; who fails to listen keeps nobody else from being told."""
    for tell in _told:
        try:
            tell(message_id)
        except Exception:
            logger.exception("The end of answer %s could not be told", message_id)


def _save(texts: dict[UUID, str]) -> set[UUID]:
    """Save the texts of the answers that are still being written, all in one statement, and say which these are."""
    keys = sorted(texts)
    with connection.cursor() as cursor:
        statement = _SAVE.format(table=Message._meta.db_table)
        cursor.execute(statement, [keys, [texts[key] for key in keys], MessageStatus.WRITING.value])
        return {key for (key,) in cursor.fetchall()}
