"""Wake the worker for plans. The rows say what there is to do; a lost message only costs time (ADR 7)."""

from __future__ import annotations

import logging

from django.db import transaction

from corpus.wake_worker import send_task

logger = logging.getLogger(__name__)


def wake_planner() -> None:
    """Have a worker make the plans that wait, after the transaction. Never raises."""
    transaction.on_commit(_send)


def _send() -> None:
    if not send_task("learning.tasks.make_plans"):
        logger.warning("The broker is away: study plans are made when it is back.")
