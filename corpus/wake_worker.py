"""Wakes the worker through the broker. The database alone says what there is to do.

A message that is lost only costs time: a schedule sends another one while work is left (ADR 7).
"""

from __future__ import annotations

import logging
import time

from celery import current_app
from kombu.exceptions import OperationalError

from corpus.embedding.migrate_model import next_step

logger = logging.getLogger(__name__)

_silent_until = 0.0


def wake_worker() -> None:
    """Tell the worker that documents may wait for indexing. Never raises, and waits at most two seconds.

    After a failure it does nothing for a while, so that many uploads in a row do not each wait for the timeout.
    """
    global _silent_until
    if time.monotonic() < _silent_until:
        return
    if not send_task("corpus.tasks.index_documents"):
        _silent_until = time.monotonic() + 15  # as often as the schedule wakes it


def send_task(task: str, *arguments: object) -> bool:
    """Send a task to the worker. False if the broker is away. Never raises, and waits at most two seconds."""
    timeouts = dict.fromkeys(("socket_timeout", "socket_connect_timeout"), 2)
    options = {**current_app.conf.broker_transport_options, **timeouts}
    try:
        with current_app.connection_for_write(transport_options=options) as broker:
            current_app.send_task(task, arguments, connection=broker, retry=False, ignore_result=True)
    except OperationalError:
        logger.warning("The broker is away: %s has to wait until it is back.", task)
        return False
    return True


def wake_reembedding() -> None:
    """Tell the worker to continue a move to another embedding model, if there is one. Never raises.

    The message names the next step. Only the first of several messages for one step does anything, so they do not
    add up and keep documents waiting.
    """
    step = next_step()
    if step is not None:
        try:
            current_app.send_task("corpus.tasks.reembed", (step,), retry=False, ignore_result=True)
        except OperationalError:
            logger.warning("The broker is away: the move to another embedding model continues when it is back.")
