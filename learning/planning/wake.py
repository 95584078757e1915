"""Wake the worker for plans. The rows say what there is to do; a lost message only costs time (ADR 7)."""

from __future__ import annotations

import logging

from django.db import transaction

from corpus.wake_worker import send

logger = logging.getLogger(__name__)


def wake_planner() -> None:
    """Have a worker make the plans that wait, after the transaction. Never raises."""
    transaction.on_commit(lambda: _send("learning.tasks.make_plans"))


def wake_for_questions(concept: object) -> None:
    """Have a worker make more questions of a concept, by its id, after the transaction."""
    transaction.on_commit(lambda: _send("learning.tasks.make_more_questions", str(concept)))


def _send(task: str, *arguments: object) -> None:
    if not send(task, *arguments):
        logger.warning("The broker is away: study plans are made when it is back.")
