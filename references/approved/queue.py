"""Have the worker read pages. The rows say which are not read yet; a message that is lost only costs time."""

from __future__ import annotations

import logging
from collections.abc import Iterable
from uuid import UUID

from django.db import transaction

from corpus.wake_worker import send
from schools.models import School

logger = logging.getLogger(__name__)


def queue_pages(pages: Iterable[UUID]) -> None:
    """Read these pages in the background, after the transaction."""
    if keys := [str(page) for page in pages]:
        transaction.on_commit(lambda: _send("references.tasks.read_approved_pages", keys))


def queue_school(school: School) -> None:
    """Read all pages of a school in the background, after the transaction."""
    key = str(school.pk)
    transaction.on_commit(lambda: _send("references.tasks.warm_school", key))


def _send(task: str, *arguments: object) -> None:
    if not send(task, *arguments):
        logger.warning("The broker is away: approved pages are read at night, or when somebody asks for them.")
