"""Answers being written in this process, and the readers who follow them.

An answer is written by a thread of its own, started when the question is asked. It does not know its readers: they
come, leave and come back, and each is brought from what it has to what there is. A reader of an answer that another
process writes follows the row and what that process tells. For readers a stopped answer is over at once, even while its
writer waits.
"""

from __future__ import annotations

import asyncio
import copy
import logging
import threading
from collections.abc import AsyncIterator
from dataclasses import dataclass, field, replace
from datetime import timedelta
from uuid import UUID

from asgiref.sync import sync_to_async
from django.db import connection, transaction
from django.utils import timezone

from chatbots.answering import finalize
from chatbots.answering.generation import TextAdded, TextDropped
from chatbots.answering.pipeline import Finished, SourcesFound, answer
from chatbots.models import Message, MessageStatus
from chatbots.streaming import heartbeat, pubsub

logger = logging.getLogger(__name__)

ABANDONED = 30.0
"""Seconds without a sign of life after which an answer counts as interrupted."""

EVENTS = 1000
"""Events a second for all readers of a process together, who are brought more text at a time the more they are: one
reader gets each word, a hundred get some words ten times a second."""


@dataclass(frozen=True)
class State:
    """How far an answer is: `drafts` counts how often its text was begun.

    `found` is the message with its sources as its writer has them; None when another process writes it.
    """

    has_sources: bool
    text: str
    drafts: int
    is_finished: bool
    found: Message | None = None


@dataclass
class _Writing:
    state: State = State(has_sources=False, text="", drafts=1, is_finished=False)
    is_over: bool = False  # whatever its writer, which may wait for the model, publishes
    has_begun: bool = False  # before, there is nothing to tell; it may be another process that writes it
    is_elsewhere: bool = False  # it is
    told: State | None = None  # to other processes
    readers: set[tuple[asyncio.AbstractEventLoop, asyncio.Event]] = field(default_factory=set)


_writings: dict[UUID, _Writing] = {}
_lock = threading.Lock()
_reading = 0  # readers who follow answers of this process


def start(message_id: UUID, asked: Message | None = None) -> None:
    """Have a pending message answered by a thread of this process, once the transaction is committed.

    `asked` is the message as it was stored a moment ago, with its chat and chatbot, where whoever calls has it; the
    thread gets a copy, so that it stays as it is while it is shown.
    """
    copied = copy.copy(asked)
    transaction.on_commit(lambda: _start(message_id, copied))


async def follow(message_id: UUID) -> AsyncIterator[State]:
    """The answer's state now and after every change, the last one finished. Holds no database connection."""
    if writing := _writings.get(message_id):
        async for state in _follow_writing(writing):
            yield state
        if not writing.is_elsewhere:
            return
    async for state in _follow_row(message_id):
        yield state


async def _follow_writing(writing: _Writing) -> AsyncIterator[State]:
    global _reading
    changed = asyncio.Event()
    reader = (asyncio.get_running_loop(), changed)
    with _lock:
        _reading += 1
        writing.readers.add(reader)
    try:
        while True:
            changed.clear()
            if writing.is_elsewhere:
                return
            state = _state_of(writing)
            yield state
            if state.is_finished:
                return
            await asyncio.sleep(_reading / EVENTS)
            await changed.wait()
    finally:
        with _lock:
            _reading -= 1
            writing.readers.discard(reader)


def stop(message_id: UUID) -> None:
    """End an answer by the wish of its reader, whatever its writer waits for and wherever that is."""
    writing = _writings.get(message_id)
    is_here = writing is not None and writing.has_begun
    finalize.stop(message_id, seen=writing.state.text if writing and is_here else None)
    _tell_over(message_id)
    if not is_here:  # for its readers here and elsewhere; its writer learns it by the pulse
        pubsub.tell([pubsub.told(message_id, "", "", drafts=0, has_sources=True, is_finished=True)])


def interrupt_abandoned() -> int:
    """End answers whose writer gives no sign of life any more, and say how many there were."""
    latest = timezone.now() - timedelta(seconds=ABANDONED)
    abandoned = Message.objects.unfinished().filter(heartbeat_at__lt=latest)
    found = list(abandoned.select_related("chat__chatbot"))
    return sum(finalize.interrupt(message, abandoned) for message in found)


def _start(message_id: UUID, asked: Message | None) -> None:
    with _lock:
        if message_id in _writings:
            return
        _writings[message_id] = _Writing()
    threading.Thread(
        target=_write, args=[message_id, asked], name=f"answer-{message_id}", daemon=True
    ).start()
    pubsub.tell_on(_news)


def _write(message_id: UUID, asked: Message | None) -> None:
    writing = _writings[message_id]
    try:
        for event in answer(message_id, asked):
            writing.has_begun = True
            state = writing.state
            match event:
                case SourcesFound(message):
                    state = replace(state, has_sources=True, found=message)
                case TextAdded(text):
                    state = replace(state, text=state.text + text)
                case TextDropped():
                    state = replace(state, text="", drafts=state.drafts + 1)
                case Finished():
                    state = replace(state, is_finished=True)
            _publish(writing, state)
    except Exception:
        logger.exception("Answer %s could not be written", message_id)
    finally:
        writing.is_elsewhere = not writing.has_begun
        connection.close()
        with _lock:
            del _writings[message_id]
        if writing.is_elsewhere:
            _wake(writing)
        else:
            _publish(writing, replace(writing.state, has_sources=True, is_finished=True))
            pubsub.tell([_told(message_id, writing)])


def _state_of(writing: _Writing) -> State:
    return replace(writing.state, is_finished=writing.is_over or writing.state.is_finished)


def _news() -> list[pubsub.Told] | None:
    """What other processes have not been told yet; None if nothing is written here any more."""
    with _lock:
        writings = dict(_writings)
    new = [item for item in writings.items() if item[1].has_begun and item[1].told != _state_of(item[1])]
    return [_told(*item) for item in new] if writings else None


def _told(message_id: UUID, writing: _Writing) -> pubsub.Told:
    writing.told = state = _state_of(writing)
    return pubsub.told(
        message_id,
        state.text,
        heartbeat.saved(message_id),
        drafts=state.drafts,
        has_sources=state.has_sources,
        is_finished=state.is_finished,
    )


def _publish(writing: _Writing, state: State) -> None:
    writing.state = state
    _wake(writing)


def _wake(writing: _Writing) -> None:
    with _lock:
        readers = list(writing.readers)
    for loop, changed in readers:
        if not (changed.is_set() or loop.is_closed()):  # one that is set will look by itself
            loop.call_soon_threadsafe(changed.set)


def _tell_over(message_id: UUID) -> None:
    if writing := _writings.get(message_id):
        writing.is_over = True
        _wake(writing)


def _ended_elsewhere(message_id: UUID) -> None:
    """What another process has ended is over for the readers here, who may have seen more of it."""
    if writing := _writings.get(message_id):
        finalize.keep_seen(message_id, writing.state.text)
        _tell_over(message_id)


heartbeat.when_over(_ended_elsewhere)


async def _follow_row(message_id: UUID) -> AsyncIterator[State]:
    with pubsub.listening(message_id) as news:
        state = await sync_to_async(_row_state)(message_id)
        while True:
            yield state
            if state.is_finished:
                return
            state = await _after(state, message_id, news)


async def _after(state: State, message_id: UUID, news: pubsub.News) -> State:
    """What its writer tells of an answer, if it does soon and it fits what its reader has; else what its row says."""
    try:
        told = await asyncio.wait_for(news.get(), pubsub.patience())
        text = told.after(state.text)
    except TimeoutError:
        text = None
    if text is None:
        row = await sync_to_async(_row_state)(message_id)
        is_behind = not row.is_finished and state.text.startswith(row.text)
        return replace(row, text=state.text if is_behind else row.text, drafts=state.drafts)
    return State(told.has_sources, text, told.drafts, told.is_finished)


def _row_state(message_id: UUID) -> State:
    try:
        message = Message.objects.filter(pk=message_id).first()
        if (
            message
            and not message.is_finished
            and message.heartbeat_at < timezone.now() - timedelta(seconds=ABANDONED)
        ):
            interrupt_abandoned()  # whoever waits for it need not wait for a worker that may be busy
            message = Message.objects.filter(pk=message_id).first()
        if message is None:
            return State(False, "", 1, True)
        searched = message.status != MessageStatus.PENDING and (message.timings or message.is_finished)
        return State(bool(searched), message.answer, 1, message.is_finished)
    finally:
        connection.close()
