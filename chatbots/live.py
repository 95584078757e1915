"""Answers being written in this process, and the readers who follow them.

An answer is written by a thread of its own, started when the question is asked. It does not know its readers: they
come, leave and come back, and each is brought from what it has to what there is. A reader of an answer that another
process writes follows the row instead.
"""

from __future__ import annotations

import asyncio
import logging
import threading
import time
from collections.abc import AsyncIterator
from dataclasses import dataclass, field
from datetime import timedelta
from uuid import UUID

from asgiref.sync import sync_to_async
from django.db import DatabaseError, connection, transaction
from django.utils import timezone

from chatbots.answering import Finished, SourcesFound, TextAdded, TextDropped, answer
from chatbots.models import Message, MessageStatus

logger = logging.getLogger(__name__)

HEARTBEAT = 5.0
"""Seconds between two signs of life of an answer's writer."""

ABANDONED = 30.0
"""Seconds without a sign of life after which an answer counts as interrupted."""

_ROW_EVERY = 0.3


@dataclass(frozen=True)
class State:
    """How far an answer is: `drafts` counts how often its text was begun."""

    has_sources: bool
    text: str
    drafts: int
    is_finished: bool


@dataclass
class _Writing:
    state: State = State(has_sources=False, text="", drafts=1, is_finished=False)
    readers: set[tuple[asyncio.AbstractEventLoop, asyncio.Event]] = field(default_factory=set)


_writings: dict[UUID, _Writing] = {}
_lock = threading.Lock()
_heart: threading.Thread | None = None


def start(message_id: UUID) -> None:
    """Have a pending message answered by a thread of this process, once the transaction is committed."""
    transaction.on_commit(lambda: _start(message_id))


async def follow(message_id: UUID) -> AsyncIterator[State]:
    """The answer's state now and after every change, the last one finished. Holds no database connection."""
    writing = _writings.get(message_id)
    if writing is None:
        async for state in _follow_row(message_id):
            yield state
        return
    changed = asyncio.Event()
    reader = (asyncio.get_running_loop(), changed)
    with _lock:
        writing.readers.add(reader)
    try:
        while True:
            changed.clear()
            state = writing.state
            yield state
            if state.is_finished:
                return
            await changed.wait()
    finally:
        with _lock:
            writing.readers.discard(reader)


def interrupt_abandoned() -> int:
    """End answers whose writer gives no sign of life any more, and say how many there were."""
    latest = timezone.now() - timedelta(seconds=ABANDONED)
    return (
        Message.objects.unfinished()
        .filter(heartbeat_at__lt=latest)
        .update(
            status=MessageStatus.INTERRUPTED,
            notice="The answer was interrupted. Your question is kept: please try again.",
            finished_at=timezone.now(),
        )
    )


def _start(message_id: UUID) -> None:
    global _heart
    with _lock:
        if message_id in _writings:
            return
        _writings[message_id] = _Writing()
        if _heart is None or not _heart.is_alive():
            _heart = threading.Thread(target=_beat, name="answers-heartbeat", daemon=True)
            _heart.start()
    threading.Thread(target=_write, args=[message_id], name=f"answer-{message_id}", daemon=True).start()


def _write(message_id: UUID) -> None:
    writing = _writings[message_id]
    try:
        for event in answer(message_id):
            state = writing.state
            match event:
                case SourcesFound():
                    state = State(True, state.text, state.drafts, False)
                case TextAdded(text):
                    state = State(state.has_sources, state.text + text, state.drafts, False)
                case TextDropped():
                    state = State(state.has_sources, "", state.drafts + 1, False)
                case Finished():
                    state = State(state.has_sources, state.text, state.drafts, True)
            _publish(writing, state)
    finally:
        connection.close()
        with _lock:
            del _writings[message_id]
        _publish(writing, State(True, writing.state.text, writing.state.drafts, True))


def _publish(writing: _Writing, state: State) -> None:
    writing.state = state
    with _lock:
        readers = list(writing.readers)
    for loop, changed in readers:
        if not loop.is_closed():
            loop.call_soon_threadsafe(changed.set)


def _beat() -> None:
    """Say again and again for all answers of this process that their writer lives."""
    while True:
        time.sleep(HEARTBEAT)
        with _lock:
            alive = list(_writings)
        try:
            if alive:
                Message.objects.filter(pk__in=alive).update(heartbeat_at=timezone.now())
        except DatabaseError:
            logger.exception("No sign of life could be given for %s answers", len(alive))
        finally:
            connection.close()


async def _follow_row(message_id: UUID) -> AsyncIterator[State]:
    while True:
        state = await sync_to_async(_row_state)(message_id)
        yield state
        if state.is_finished:
            return
        await asyncio.sleep(_ROW_EVERY)


def _row_state(message_id: UUID) -> State:
    try:
        message = Message.objects.filter(pk=message_id).first()
        if message is None:
            return State(False, "", 1, True)
        searched = message.status != MessageStatus.PENDING and (message.timings or message.is_finished)
        return State(bool(searched), message.answer, 1, message.is_finished)
    finally:
        connection.close()
