"""Following an answer: its readers come, leave and come back, and each is brought from what it has to what there is.

A reader of an answer that another process writes follows the row and what that process publishes. For readers a stopped
answer is over at once, even while its writer waits. No database connection is held in between.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import timedelta
from uuid import UUID

from asgiref.sync import sync_to_async
from django.db import connection
from django.utils import timezone

from chatbots.models import Message, MessageStatus
from chatbots.streaming import jobs, pubsub, registry
from chatbots.streaming.access import Reader, Watch, watching
from chatbots.streaming.heartbeat import ABANDONED
from chatbots.streaming.pubsub import Delta, Deltas
from chatbots.streaming.registry import AnswerJob, Snapshot

EVENTS = 1000
"""Events a second for all readers of a process together, who are brought more text at a time the more they are: one
reader gets each word, a hundred get some words ten times a second."""

READER_CHECK_SECONDS = 1.0
"""Seconds after which a reader who waits for a silent model looks whether it may still read."""


@dataclass(frozen=True)
class Sources:
    """The sources are stored: they can be shown."""


@dataclass(frozen=True)
class Text:
    """The whole text so far, in place of what the reader has."""

    text: str


@dataclass(frozen=True)
class Token:
    """Text to append."""

    text: str


@dataclass(frozen=True)
class Done:
    """The answer has ended, however it did: its row says it all."""


Event = Sources | Text | Token | Done


async def follow(message_id: UUID, reader: Reader) -> AsyncIterator[Event]:
    """What has come of an answer so far, then each change of it. Raises AccessLost.

    It ends without `Done` when this process ends: the reader has to come back to another.
    """
    known: Snapshot | None = None
    with watching(reader) as watch:
        async for now in snapshots(message_id, watch):
            if now.is_finished:
                yield Done()
                return
            if now.has_sources and not (known and known.has_sources):
                yield Sources()
            if known is None or not now.text.startswith(known.text):
                yield Text(now.text)
            elif len(now.text) > len(known.text):
                yield Token(now.text[len(known.text) :])
            known = now


async def snapshots(message_id: UUID, watch: Watch) -> AsyncIterator[Snapshot]:
    """How far the answer is now and after every change, the last one finished."""
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
            if snapshot.is_finished:
                return
            await asyncio.sleep(registry.readers() / EVENTS)
            with suppress(TimeoutError):
                async with asyncio.timeout(READER_CHECK_SECONDS):  # `wait_for` may swallow that the reader leaves
                    await changed.wait()
            watch.check()


async def of_row(message_id: UUID, watch: Watch) -> AsyncIterator[Snapshot]:
    """The same for an answer that another process writes."""
    with pubsub.subscribed(message_id) as deltas:
        snapshot = await sync_to_async(_row)(message_id)
        while True:
            yield snapshot
            if snapshot.is_finished or jobs.is_closing():
                return
            snapshot = await _next(snapshot, message_id, deltas)
            watch.check()


async def _next(known: Snapshot, message_id: UUID, deltas: Deltas) -> Snapshot:
    """What its writer publishes, if it does soon and it fits what the reader has; else what its row says."""
    delta: Delta | None = None
    with suppress(TimeoutError):
        async with asyncio.timeout(pubsub.patience()):
            delta = await deltas.get()
    now = delta.after(known) if delta else None
    if now is None:
        now = await sync_to_async(_row)(message_id)
        if delta and len(now.text) >= delta.offset and not now.is_finished:
            # What it goes on from was in the row before it was published.
            now = delta.after(replace(now, revision=delta.revision)) or now
    if not now.is_finished and known.text.startswith(now.text) and _is_same(known, now):
        return replace(now, text=known.text, revision=known.revision)  # what is new to others is not to it
    return now


def _is_same(known: Snapshot, now: Snapshot) -> bool:
    """Whether both may be of the same beginning of the text."""
    return None in (known.revision, now.revision) or known.revision == now.revision


def _row(message_id: UUID) -> Snapshot:
    try:
        message = Message.objects.filter(pk=message_id).first()
        if message and not message.is_finished and message.heartbeat_at < timezone.now() - timedelta(seconds=ABANDONED):
            jobs.interrupt_abandoned()  # whoever waits for it need not wait for a worker that may be busy
            message = Message.objects.filter(pk=message_id).first()
        if message is None:
            return Snapshot("", False, True)
        searched = message.status != MessageStatus.PENDING and (message.timings or message.is_finished)
        return Snapshot(message.answer, bool(searched), message.is_finished)
    finally:
        connection.close()
