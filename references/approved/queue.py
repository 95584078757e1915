"""Have the worker read pages. The rows say which are not read yet; a message that is lost only costs time."""

from __future__ import annotations

import logging
from collections.abc import Iterable
from uuid import UUID

from celery import current_app
from django.db import transaction
from kombu.exceptions import OperationalError

from schools.models import School

logger = logging.getLogger(__name__)

_TIMEOUTS = dict.fromkeys(("socket_timeout", "socket_connect_timeout"), 2)


def queue_pages(pages: Iterable[UUID]) -> None:
    """Read these pages in the background, after the transaction."""
    if keys := [str(page) for page in pages]:
        transaction.on_commit(lambda: _send("references.tasks.read_approved_pages", keys))


def queue_school(school: School) -> None:
    """Read all pages of a school in the background, after the transaction."""
    key = str(school.pk)
    transaction.on_commit(lambda: _send("references.tasks.warm_school", key))


def _send(task: str, *arguments: object) -> None:
    """Never raises, and waits at most two seconds."""
    options = {**current_app.conf.broker_transport_options, **_TIMEOUTS}
    try:
        with current_app.connection_for_write(transport_options=options) as broker:
            current_app.send_task(task, arguments, connection=broker, retry=False, ignore_result=True)
    except OperationalError:
        logger.warning("The broker is away: approved pages are read at night, or when somebody asks for them.")
