"""Follow an answer: give each reader the state it is in, then every change.

If another process writes the answer, the reader follows a copy of its state, and its row. For readers a stopped answer
ends at once, even while its writer waits for the model. No thread and no database connection is held in between.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator
from contextlib import suppress
from dataclasses import replace
from datetime import timedelta
from uuid import UUID

from django.utils import timezone

from chatbots.answering import execution
from chatbots.answering.draft import Event, Kind
from chatbots.models import Message, MessageStatus
from chatbots.streaming import jobs, registry, relay
from chatbots.streaming.access import Watch
from chatbots.streaming.registry import AnswerJob, AnswerState
from chatbots.streaming.ticker import ABANDONED
from engines import background

READER_CHECK_SECONDS = 1.0
"""Seconds between two access checks while the model is silent."""


def compare_states(known: AnswerState, new: AnswerState) -> list[Event]:
    """What is new to a reader, each text in one piece."""
    changes = [Event(Kind.QUEUED, queued=new.queued)] if new.queued != known.queued else []
    if new.has_sources and not known.has_sources:
        changes.append(Event(Kind.SOURCES, message=new.row))
    if not (new.text.startswith(known.text) and new.reasoning.startswith(known.reasoning)):
        changes.append(Event(Kind.DROPPED))
        known = replace(known, text="", reasoning="")
    for kind, before, whole in (
        (Kind.REASONING, known.reasoning, new.reasoning),
        (Kind.TEXT, known.text, new.text),
    ):
        changes += [Event(kind, whole[len(before) :], len(before))] if whole != before else []
    return [*changes, Event(Kind.DONE, message=new.row)] if new.is_done else changes


async def follow(message_id: UUID, watch: Watch, job: AnswerJob | None = None) -> AsyncGenerator[AnswerState]:
    """Yield the state of the answer, again and again, until it is done. Raises AccessLost.

    Readers of another process's answer may get less: it ends when this process shuts down, and they must reconnect.
    `job` is the one that writes the answer, if it was just begun.
    """
    job = job or registry.jobs.get(message_id) or relay.get_copy(message_id)
    changed, state, seen = asyncio.Event(), AnswerState(), AnswerState()
    while True:
        job = relay.get_copy(message_id) if job.is_elsewhere else job
        with job.read_by(changed):
            changed.clear()
            if job.is_elsewhere and job.state == seen:
                row = await background.run_in_pool("requests", _read_row, message_id)
                state = _merge(state, replace(row, dropped=state.dropped))
            else:
                seen = job.state
                state = _merge(state, seen)
            yield state
            if state.is_done or (job.is_elsewhere and execution.closing.is_set()):
                return
            with suppress(TimeoutError):
                # `wait_for` may swallow a cancellation
                async with asyncio.timeout(relay.get_patience() if job.is_elsewhere else READER_CHECK_SECONDS):
                    await changed.wait()
        watch.check()


def _merge(known: AnswerState, new: AnswerState) -> AnswerState:
    """The later state. A row that is behind takes nothing away."""

    def choose(before: str, after: str) -> str:
        return before if new.dropped <= known.dropped and before.startswith(after) else after

    text, reasoning = choose(known.text, new.text), choose(known.reasoning, new.reasoning)
    return replace(new, text=text, reasoning=reasoning, has_sources=known.has_sources or new.has_sources)


def _read_row(message_id: UUID) -> AnswerState:
    """What the row says."""
    message = Message.objects.filter(pk=message_id).first()
    late = timezone.now() - timedelta(seconds=ABANDONED)
    if message and not message.is_finished and message.heartbeat_at < late:
        jobs.interrupt_abandoned()  # do not wait for the periodic task
        message = Message.objects.filter(pk=message_id).first()
    if message is None:
        return AnswerState(is_done=True)
    is_searched = message.status != MessageStatus.PENDING and bool(message.timings or message.is_finished)
    return AnswerState(message.answer, has_sources=is_searched, is_done=message.is_finished)
