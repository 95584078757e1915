"""Write answers in the background, independent of their readers."""

from __future__ import annotations

import logging
from collections.abc import AsyncGenerator, Iterator, Sequence
from contextlib import aclosing
from copy import copy
from datetime import timedelta
from uuid import UUID

from django.db import connection, transaction
from django.utils import timezone

from chatbots.answering import execution, finalize, recorder
from chatbots.answering.draft import Event
from chatbots.models import Message, MessageStatus
from chatbots.streaming import heartbeat, pubsub, registry, ticker
from chatbots.streaming.registry import AnswerJob, JobStage
from engines import background

logger = logging.getLogger(__name__)

History = Sequence[tuple[str, str]]


def start(message: Message, *, history: History = ()) -> None:
    """Start answering a pending message in the background, once the transaction is committed.

    `history` replaces the stored conversation.
    """
    transaction.on_commit(lambda: _start(message, history))


def answer_now(message_id: UUID, *, history: History = ()) -> Iterator[Event]:
    """Answer a pending message in this thread, as commands do. Do not call it within a transaction.

    A message that is not pending yields nothing, so it is safe to call twice.
    """
    if job := registry.add_job(message_id):
        yield from execution.here(_run(job, None, history))


def stop(message_id: UUID, notice: str = finalize.STOPPED, *, checks_first: bool = True) -> None:
    """Stop an answer at once, also if another process writes it. The notice stands beside the text so far.

    Readers are told when the citations of the text are checked, or before, where they have lost access to it.
    """
    job = registry.jobs.get(message_id)
    is_ours = job is not None and job.is_ours
    stopped = finalize.mark_stopped(message_id, seen=job.text if job and is_ours else None, notice=notice)
    if stopped and checks_first:
        finalize.verify_stored(stopped)
    if job:
        job.end()
    is_verified_yet = stopped or not Message.objects.filter(pk=message_id, unverified=True).exists()
    if not is_ours and is_verified_yet:  # for readers in other processes; the writer reads it from the row
        pubsub.publish([pubsub.end_of(message_id)])
    if stopped and not checks_first:
        finalize.verify_stored(stopped)


def interrupt_abandoned() -> int:
    """Interrupt answers without a recent heartbeat; return their number."""
    latest = timezone.now() - timedelta(seconds=heartbeat.ABANDONED)
    abandoned = Message.objects.unfinished().filter(heartbeat_at__lt=latest)
    found = list(abandoned.select_related("chat__chatbot"))
    ended = [message for message in found if finalize.interrupt(message, among=abandoned)]
    for message in ended:
        finalize.verify_stored(message)
    return len(ended)


def verify_abandoned() -> int:
    """Verify answers that were done longer ago, whose process has died since; return their number."""
    latest = timezone.now() - timedelta(seconds=heartbeat.ABANDONED)
    found = list(Message.objects.filter(unverified=True, finished_at__lt=latest).select_related("chat__chatbot"))
    for message in found:
        finalize.verify_stored(message)
    return len(found)


def interrupt_all() -> None:
    """Interrupt the answers of this process at shutdown and keep their texts; safe to call twice.

    Those that are done are verified.
    """
    execution.closing.set()
    with registry.lock:
        jobs = list(registry.jobs.values())
    ended = [message for job in jobs if (message := _interrupt(job))]
    for message in ended:
        finalize.verify_stored(message)
    for job in jobs:
        if job.stage == JobStage.FINISHED:
            job.move(JobStage.VERIFIED)
    connection.close()


def is_closing() -> bool:
    """Whether this process is shutting down."""
    return execution.closing.is_set()


def _interrupt(job: AnswerJob) -> Message | None:
    pending = Message.objects.filter(status=MessageStatus.PENDING)
    message = Message.objects.select_related("chat__chatbot").filter(pk=job.id).first()
    if message is None or job.over:
        return None
    is_ended = finalize.interrupt(
        message,
        text=job.text if job.is_ours else None,
        among=None if job.is_ours else pending,  # another process may have claimed it
    )
    job.end()
    return message if is_ended or message.unverified else None


def _start(message: Message, history: History) -> None:
    if job := registry.add_job(message.pk):
        background.run(_write(job, copy(message), history))  # the caller may show its own


async def _write(job: AnswerJob, message: Message, history: History) -> None:
    try:
        async for _ in _run(job, message, history):
            pass
    except Exception:
        logger.exception("Answer %s could not be written", job.id)


async def _run(job: AnswerJob, message: Message | None, history: History) -> AsyncGenerator[Event]:
    heartbeat.start()
    try:
        message = await execution.in_pool(recorder.claim, job.id, message)
        if message is None:
            return
        job.message = message
        job.wait()
        ticker.start()
        recording = recorder.record_answer(message, history=history, begins=job.begin, is_over=lambda: job.over)
        async with aclosing(recording) as events:
            async for event in events:
                job.apply(event)
                yield event
    finally:
        registry.remove_job(job)
        if job.is_ours:
            job.move(JobStage.VERIFIED)
            pubsub.publish([pubsub.delta_of(job)])
        else:
            job.move(JobStage.ELSEWHERE)
