"""Write answers in the background, independent of their readers.

One hop into a thread for everything before the text, then the model in the event loop, and another hop for everything
after it. An answer without a model takes the first one alone.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator, Sequence
from contextlib import aclosing
from copy import copy
from dataclasses import replace
from datetime import timedelta
from uuid import UUID

from django.conf import settings
from django.db import connection, transaction
from django.db.models import QuerySet
from django.utils import timezone

from chatbots.answering import execution, finalize, recorder
from chatbots.answering.draft import Event, Kind
from chatbots.answering.recorder import Recorder
from chatbots.models import Channel, Message, MessageStatus
from chatbots.streaming import registry, relay, ticker
from chatbots.streaming.access import ACCESS_CHECK_SECONDS
from chatbots.streaming.registry import AnswerJob, AnswerState
from engines import background
from rest.problems import SOON, Problem
from schools.built_once import build_once

logger = logging.getLogger(__name__)

History = Sequence[tuple[str, str]]

BUSY = "So many questions are waiting that yours would wait too long. Please ask again in a moment."


class QueueFull(Problem):
    """No more questions are taken now."""

    def __init__(self) -> None:
        super().__init__(503, BUSY, headers={"Retry-After": str(SOON)})


def check_room() -> None:
    """Call it before a question is stored. Raises QueueFull."""
    if execution.queue.count() >= settings.LECTERN_MAX_WAITING:
        raise QueueFull


def start(message: Message, *, history: History = ()) -> AnswerJob:
    """Start answering a pending or new message in the background, once the transaction is committed. `history`
    replaces the stored conversation. Commands `wait` for the job."""
    job, message = registry.jobs.get(message.pk) or AnswerJob(message.pk), copy(message)  # the caller may show its own
    if message.is_new:
        job.message = message
    transaction.on_commit(lambda: _start(job, message, history))
    return job


def stop(message_id: UUID, notice: str = finalize.STOPPED, *, checks_first: bool = True) -> None:
    """Stop an answer at once, also if another process writes it. The notice stands beside the text so far.

    Readers are told when the citations of the text are checked, or before, where they have lost access to it.
    """
    job = registry.jobs.get(message_id)
    is_ours = job is not None and job.is_ours
    stopped = finalize.mark_stopped(message_id, seen=job.state.text if job and is_ours else None, notice=notice)
    if stopped and checks_first:
        finalize.verify_stored(stopped)
    if job:
        job.end()
    if not is_ours:  # for readers in other processes; the writer reads it from the row
        relay.publish_states({message_id: AnswerState(is_done=True)})
    if stopped and not checks_first:
        finalize.verify_stored(stopped)


def interrupt_abandoned() -> int:
    """Interrupt answers without a recent heartbeat and check what there is of them; return their number."""
    latest = timezone.now() - timedelta(seconds=ticker.ABANDONED)
    abandoned = Message.objects.unfinished().filter(heartbeat_at__lt=latest)
    ended = [one for one in abandoned.select_related("chat__chatbot") if finalize.interrupt(one, among=abandoned)]
    for message in ended:
        finalize.verify_stored(message)
    return len(ended)


def interrupt_all() -> None:
    """Interrupt the answers of this process at shutdown and keep their texts; safe to call twice."""
    execution.closing.set()
    with registry.lock:
        jobs = list(registry.jobs.values())
    for message in [message for job in jobs if (message := _interrupt(job))]:
        finalize.verify_stored(message)
    connection.close()


def _interrupt(job: AnswerJob) -> Message | None:
    pending = Message.objects.filter(status=MessageStatus.PENDING)
    message = Message.objects.select_related("chat__chatbot").filter(pk=job.id).first()
    if message is None or job.over:
        return None
    is_ended = finalize.interrupt(
        message,
        text=job.state.text if job.is_ours else None,
        among=None if job.is_ours else pending,  # another process may have claimed it
    )
    job.end()
    return message if is_ended else None


def _start(job: AnswerJob, message: Message, history: History) -> None:
    if job.result.done():
        return
    is_of_others = message.status == MessageStatus.WRITING and not job.is_ours
    if not is_of_others and registry.add_job(job):
        ticker.start()
        execution.queue.submit(message.school_id, job.id, lambda: _prepare(job, message, history))
        registry.tell_places()
    elif registry.jobs.get(job.id) is not job:  # the question came twice at this moment
        job.close(is_elsewhere=True)


def _prepare(job: AnswerJob, message: Message, history: History) -> None:
    """Everything before the text, in a thread."""
    made: Recorder | None = None
    try:
        registry.tell_places()
        if job.over or execution.closing.is_set():
            return
        is_new = job.is_ours and timezone.now() < message.created_at + timedelta(seconds=ACCESS_CHECK_SECONDS)
        job.message = job.message or execution.do_patiently(recorder.claim, job.id, message)
        if job.message is None:
            return
        made = Recorder(job.message, history=history, is_new=is_new, is_over=lambda: job.over)
        _add_all(job, made.prepare)
    except Exception:
        made = None
        logger.exception("Answer %s could not be written", job.id)
    finally:
        if made and (made.must_rewrite or made.must_write):
            job.waits_for_model = True
            background.run(_write(job, made))
        else:
            _close(job)


async def _write(job: AnswerJob, made: Recorder) -> None:
    """The text, in the event loop, and everything after it, in a thread."""
    try:
        if made.must_rewrite:
            await made.rewrite()
            await background.run_in_pool("after", _add_all, job, made.search)  # not behind new questions
        if made.must_write:
            async with aclosing(made.write(execution.read_in_loop)) as events:
                async for event in events:
                    job.add(event)
            await background.run_in_pool("after", _add_all, job, made.finish)
    except Exception:
        logger.exception("Answer %s could not be written", job.id)
    finally:
        _close(job)


def _add_all(job: AnswerJob, step: Callable[[], Iterator[Event]]) -> None:
    for event in step():
        if event.kind == Kind.DONE:
            event = replace(event, message=execution.do_patiently(_readable, event.message))
        job.add(event)


def _readable(message: Message | None) -> Message | None:
    """An answer that goes out as it is, unless its conversation was deleted meanwhile. Pages read it anew."""
    if message is None or message.channel not in (Channel.API, Channel.OPENAI):
        return None
    return message if _fetch_readable(message.pk) else None


@build_once(UUID(int=1))
def _fetch_readable(key: UUID) -> QuerySet[Message, tuple[UUID]]:
    return Message.objects.still_served().filter(chat__deleted_at__isnull=True, pk=key).values_list("pk")


def _close(job: AnswerJob) -> None:
    """Leave the registry when nothing is left to wait for."""
    try:
        job.close(is_elsewhere=not (job.is_ours or job.over))
        if not job.is_elsewhere:
            ticker.publish([job])
    finally:
        with registry.lock:
            registry.jobs.pop(job.id, None)
