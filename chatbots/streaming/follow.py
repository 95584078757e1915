"""Follow an answer: send each reader the text so far, then every change.

If another process writes the answer, the reader follows its row and its published deltas. For readers a stopped answer
ends at once, even while its writer waits for the model. No database connection is held in between.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Iterator
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from uuid import UUID

from asgiref.sync import sync_to_async
from django.db import connection
from django.utils import timezone

from chatbots.models import Message, MessageStatus
from chatbots.streaming import jobs, pubsub, registry
from chatbots.streaming.access import Subscriber, Watch, watching
from chatbots.streaming.heartbeat import ABANDONED
from chatbots.streaming.pubsub import Delta, Deltas
from chatbots.streaming.registry import AnswerJob, Snapshot

READER_CHECK_SECONDS = 1.0
"""Seconds between two access checks while the model is silent."""


@dataclass(frozen=True)
class Sources:
    """The sources are stored: they can be shown. `message` has them if it is written in this process."""

    message: Message | None


@dataclass(frozen=True)
class Queued:
    """So many other questions are prepared first."""

    before: int


@dataclass(frozen=True)
class Text:
    """The whole text so far, which replaces what the reader has."""

    text: str


@dataclass(frozen=True)
class Token:
    """Text to append."""

    text: str


@dataclass(frozen=True)
class Reasoning:
    """The model's reasoning: text to append, or all of it if `is_whole`."""

    text: str
    is_whole: bool


@dataclass(frozen=True)
class Done:
    """The answer has ended: its row has the outcome. `message` has it, too, if all went well in this process.

    `Verified` follows where its claims are compared with the passages after the end.
    """

    message: Message | None


@dataclass(frozen=True)
class VerdictsReady:
    """The row of an answer that was done has the verdicts now."""


Event = Queued | Sources | Text | Token | Reasoning | Done | VerdictsReady


async def follow(message_id: UUID, reader: Subscriber) -> AsyncIterator[Event]:
    """Yield the answer so far, then each change. Raises AccessLost.

    It ends without `Done`, or without the `Verified` that follows, if this process shuts down: the reader must
    reconnect.
    """
    known: Snapshot | None = None
    with watching(reader) as watch:
        async for now in snapshots(message_id, watch):
            if known and known.is_finished:
                if now.is_verified:
                    yield VerdictsReady()
                continue
            if now.before != (known.before if known else 0):
                yield Queued(now.before)
            if now.has_sources and not (known and known.has_sources) and not now.is_finished:
                yield Sources(now.message)
            if not now.is_finished or (known and known.has_sources):  # else the end brings everything
                for event in _added(known, now):
                    yield event
            if now.is_finished:
                whole = now.message if now.message and now.message.status == MessageStatus.DONE else None
                yield Done(whole)
                if now.is_verified and whole and whole.unverified:  # it was verified meanwhile
                    yield VerdictsReady()
            known = now


def _added(known: Snapshot | None, now: Snapshot) -> Iterator[Event]:
    """What a reader who has `known` lacks of the reasoning and of the text."""
    thought = known.reasoning if known else ""
    if now.reasoning and now.reasoning != thought:
        is_whole = not thought or not now.reasoning.startswith(thought)
        yield Reasoning(now.reasoning if is_whole else now.reasoning[len(thought) :], is_whole)
    if known is None or not now.text.startswith(known.text):
        if not now.is_finished:
            yield Text(now.text)
    elif len(now.text) > len(known.text):
        yield Token(now.text[len(known.text) :])


async def snapshots(message_id: UUID, watch: Watch) -> AsyncIterator[Snapshot]:
    """Yield the state of the answer now and after every change, until it is finished and verified."""
    if job := registry.jobs.get(message_id):
        async for snapshot in _of_job(job, watch):
            yield snapshot
        if not job.is_elsewhere:
            return
    async for snapshot in of_row(message_id, watch):
        yield snapshot


async def _of_job(job: AnswerJob, watch: Watch) -> AsyncIterator[Snapshot]:
    changed = asyncio.Event()
    with job.read_by(changed):
        while True:
            changed.clear()
            if job.is_elsewhere:
                return
            snapshot = job.snapshot()
            yield snapshot
            if snapshot.is_verified:
                return
            with suppress(TimeoutError):
                async with asyncio.timeout(READER_CHECK_SECONDS):  # `wait_for` may swallow a cancellation
                    await changed.wait()
            watch.check()


async def of_row(message_id: UUID, watch: Watch) -> AsyncIterator[Snapshot]:
    """Yield the states of an answer that another process writes."""
    with pubsub.subscribed(message_id) as deltas:
        snapshot = await sync_to_async(_row)(message_id)
        while True:
            yield snapshot
            if snapshot.is_verified or jobs.is_closing():
                return
            snapshot = await _next(snapshot, message_id, deltas)
            watch.check()


async def _next(known: Snapshot, message_id: UUID, deltas: Deltas) -> Snapshot:
    """The next state: from a delta if one arrives in time and matches, else from the row."""
    delta: Delta | None = None
    with suppress(TimeoutError):
        async with asyncio.timeout(pubsub.delta_timeout()):
            delta = await deltas.get()
    now = delta.after(known) if delta and (delta.is_finished or not known.is_finished) else None
    if now is None:
        now = await sync_to_async(_row)(message_id)
        if delta and len(now.text) >= delta.offset and not now.is_finished:
            # A text is saved before a delta builds on it, so the row matches the delta.
            now = delta.after(replace(now, revision=delta.revision)) or now
    if known.is_finished and not now.is_verified:
        return known
    if not now.is_finished and known.text.startswith(now.text) and _is_same(known, now):
        return replace(now, text=known.text, revision=known.revision)  # the reader already has more text
    return now


def _is_same(known: Snapshot, now: Snapshot) -> bool:
    """Whether both may be of the same revision of the text."""
    return None in (known.revision, now.revision) or known.revision == now.revision


def _row(message_id: UUID) -> Snapshot:
    try:
        message = Message.objects.filter(pk=message_id).first()
        if message and not message.is_finished and _is_late(message.heartbeat_at):
            jobs.interrupt_abandoned()  # do not wait for the periodic task
            message = Message.objects.filter(pk=message_id).first()
        if message and message.unverified and _is_late(message.finished_at):
            jobs.verify_abandoned()
            message = Message.objects.filter(pk=message_id).first()
        if message is None:
            return Snapshot("", False, True, is_verified=True)
        searched = message.status != MessageStatus.PENDING and (message.timings or message.is_finished)
        is_verified = message.is_finished and not message.unverified
        return Snapshot(message.answer, bool(searched), message.is_finished, is_verified=is_verified)
    finally:
        connection.close()


def _is_late(since: datetime | None) -> bool:
    return since is None or since < timezone.now() - timedelta(seconds=ABANDONED)
