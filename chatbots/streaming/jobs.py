"""Write each answer in a thread of its own, independent of its readers."""

from __future__ import annotations

import logging
import threading
from collections.abc import Iterator, Sequence
from contextlib import closing
from datetime import timedelta
from uuid import UUID

from django.db import connection, transaction
from django.utils import timezone

from chatbots.answering import finalize, recorder
from chatbots.answering.draft import Event, SourcesFound
from chatbots.models import Message, MessageStatus
from chatbots.streaming import heartbeat, pubsub, registry
from chatbots.streaming.concurrency import PreparationSlot
from chatbots.streaming.registry import AnswerJob, Stage

logger = logging.getLogger(__name__)

History = Sequence[tuple[str, str]]

_closing = threading.Event()


def start(message_id: UUID, *, history: History = ()) -> None:
    """Start answering a pending message in a thread, once the transaction is committed.

    `history` replaces the stored conversation.
    """
    transaction.on_commit(lambda: _start(message_id, history))


def answer(message_id: UUID, *, history: History = ()) -> Iterator[Event]:
    """Answer a pending message in this thread, as commands do. Do not call it within a transaction.

    A message that is not pending yields nothing, so it is safe to call twice.
    """
    if job := registry.add(message_id):
        yield from _run(job, history)


def stop(message_id: UUID, notice: str = finalize.STOPPED) -> None:
    """Stop an answer at once, also if another process writes it. The notice stands beside the text so far."""
    job = registry.jobs.get(message_id)
    is_ours = job is not None and job.is_ours
    finalize.mark_stopped(message_id, seen=job.text if job and is_ours else None, notice=notice)
    if job:
        job.end()
    if not is_ours:  # for readers in other processes; the writer reads it from the row
        pubsub.publish([pubsub.end_of(message_id)])


def interrupt_abandoned() -> int:
    """Interrupt answers without a recent heartbeat; return their number."""
    latest = timezone.now() - timedelta(seconds=heartbeat.ABANDONED)
    abandoned = Message.objects.unfinished().filter(heartbeat_at__lt=latest)
    found = list(abandoned.select_related("chat__chatbot"))
    ended = [message for message in found if finalize.interrupt(message, among=abandoned)]
    for message in ended:
        finalize.verify_partial(message)
    return len(ended)


def interrupt_all() -> None:
    """Interrupt the answers of this process at shutdown and keep their texts; safe to call twice."""
    _closing.set()
    with registry.lock:
        jobs = list(registry.jobs.values())
    ended = [message for job in jobs if (message := _interrupt(job))]
    for message in ended:
        finalize.verify_partial(message)
    connection.close()


def is_closing() -> bool:
    """Whether this process is shutting down."""
    return _closing.is_set()


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
    return message if is_ended else None


def _start(message_id: UUID, history: History) -> None:
    if job := registry.add(message_id):
        name = f"answer-{message_id}"
        threading.Thread(target=_write, args=[job, history], name=name, daemon=True).start()


def _write(job: AnswerJob, history: History) -> None:
    try:
        for _ in _run(job, history):
            pass
    except Exception:
        logger.exception("Answer %s could not be written", job.id)
    finally:
        connection.close()


def _run(job: AnswerJob, history: History) -> Iterator[Event]:
    slot = PreparationSlot()
    try:
        message = recorder.claim(job.id)
        if message is None:
            return
        job.move(Stage.SEARCHING)
        heartbeat.start()
        with job.in_line():
            slot.acquire()
        if job.over:
            return
        recording = recorder.record(
            message, history=history, is_over=lambda: job.over, waiting=slot.released, release=connection.close
        )
        with closing(recording) as events:
            for event in events:
                if isinstance(event, SourcesFound):
                    slot.release()
                job.apply(event)
                yield event
    finally:
        slot.release()
        registry.remove(job)
        if job.is_ours:
            job.move(Stage.FINISHED)
            pubsub.publish([pubsub.delta_of(job)])
        else:
            job.move(Stage.ELSEWHERE)
