"""Tell a worker that there is something to do. The message carries no work: the rows say what is to be done.

A message that is lost costs nothing but time: a schedule sends again while anything is unfinished. Tasks are sent by
name, since services do not import tasks.
"""

from __future__ import annotations

import logging
import time

from celery import current_app
from kombu.exceptions import OperationalError

from corpus.embedding import migrate_model

logger = logging.getLogger(__name__)

PATIENCE = 2
"""Seconds that a message may wait for the broker, which may be there and hang."""
QUIET = 15
"""Seconds without a message after one that failed; the schedule sends meanwhile, as often."""
_quiet_until = 0.0


def wake_worker() -> None:
    """Tell the worker that there may be something to index. Never fails, and waits two seconds at most: see above.

    After a message that failed none is sent for a while, so that many uploads in a row do not wait for each.
    """
    global _quiet_until
    if time.monotonic() < _quiet_until:
        return
    patience = dict.fromkeys(("socket_timeout", "socket_connect_timeout"), PATIENCE)
    options = {**current_app.conf.broker_transport_options, **patience}
    try:
        with current_app.connection_for_write(transport_options=options) as broker:
            current_app.send_task("corpus.tasks.index_documents", connection=broker, retry=False)
    except OperationalError:
        _quiet_until = time.monotonic() + QUIET
        logger.warning("The broker is away: what was uploaded will be indexed when it is back.")


def wake_reembedding() -> None:
    """Tell the worker that vectors of another embedding model are to be made, if they are. Never fails.

    The message names the next step: of several for one step the first alone does anything, so that they do not add up
    and keep documents waiting.
    """
    step = migrate_model.next_step()
    if step is not None:
        try:
            current_app.send_task("corpus.tasks.reembed", (step,), retry=False)
        except OperationalError:
            logger.warning("The broker is away: the move to another embedding model goes on when it is back.")
