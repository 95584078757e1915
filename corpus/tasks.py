"""The doorbell: tells a worker that the database holds documents to index. It carries no work itself.

A ring that is lost costs nothing but time: a schedule rings again while anything is unfinished.
"""

from __future__ import annotations

import logging
import time
from typing import Any

from celery import current_app, shared_task
from celery.signals import worker_ready
from django.apps import apps
from kombu.exceptions import OperationalError

from corpus.embedding import migrate_model
from corpus.embedding.active_model import announce, installation
from corpus.ingestion.indexing import index_next
from corpus.ingestion.ocr import tesseract
from corpus.ingestion.orphan_files import sweep
from corpus.ingestion.sandbox.limits import missing_walls
from corpus.models import Document, Status

logger = logging.getLogger(__name__)

PATIENCE = 2
"""Seconds that a ring may wait for the broker, which may be there and hang."""
QUIET = 15
"""Seconds without a ring after one that failed; the schedule rings meanwhile, as often."""
_quiet_until = 0.0


def wake_worker() -> None:
    """Tell the worker that there may be something to index. Never fails, and waits two seconds at most: see above.

    After a ring that failed it is quiet for a while, so that many uploads in a row do not wait for each.
    """
    global _quiet_until
    if time.monotonic() < _quiet_until:
        return
    patience = dict.fromkeys(("socket_timeout", "socket_connect_timeout"), PATIENCE)
    options = {**current_app.conf.broker_transport_options, **patience}
    try:
        with current_app.connection_for_write(transport_options=options) as broker:
            index_documents.apply_async(connection=broker, retry=False)
    except OperationalError:
        _quiet_until = time.monotonic() + QUIET
        logger.warning("The broker is away: what was uploaded will be indexed when it is back.")


def ring_to_reembed() -> None:
    """Tell the worker that vectors of another embedding model are to be made, if they are. Never fails.

    The ring names the next step: of several rings for one step the first alone does anything, so that they do not add
    up and keep documents waiting.
    """
    step = migrate_model.next_step()
    if step is not None:
        try:
            reembed.apply_async((step,), retry=False)
        except OperationalError:
            logger.warning("The broker is away: the move to another embedding model goes on when it is back.")


@shared_task
def index_documents() -> None:
    """Index one document that is due, whichever's turn it is, and ring again for the next. Safe to run twice."""
    if index_next(*(documents.objects.all() for documents in _kinds())):
        wake_worker()


@shared_task
def reembed(step: int) -> None:
    """Spend some seconds on the move to another embedding model, and ring again: documents have their turn between."""
    if migrate_model.work(step):
        ring_to_reembed()


@shared_task
def queue_unfinished() -> None:
    """Ring for whatever the rows say is due, such as after a worker was killed or the broker was away."""
    if any(documents.objects.due().exists() for documents in _kinds()):
        wake_worker()
    ring_to_reembed()


@shared_task
def sweep_files() -> None:
    """Once a day: delete files that no row names."""
    if orphans := sweep():
        logger.warning("%d files that no document names were deleted.", len(orphans))


@worker_ready.connect
def tell_what_is_missing(**_: Any) -> None:
    """Once at a worker's start: which walls around readers this system lacks, and whether scans can be read."""
    for wall in missing_walls():
        logger.warning("Files are read with one wall less on this system: %s.", wall)
    if found := tesseract.installed():
        logger.info("Scanned pages are read by Tesseract in %s.", ", ".join(found.languages))
    else:
        logger.warning("Scanned pages stay without text: Tesseract is not there (LECTERN_TESSERACT).")


@worker_ready.connect
def queue_other_models(**_: Any) -> None:
    """Once at a worker's start: index anew what is of an embedding model that neither answers nor is moved to."""
    announce()
    row = installation()
    name = row.name
    for documents in _kinds():
        if documents.objects.of_another_model(name, row.target_name or name).update(
            status=Status.QUEUED, attempts=0
        ):
            logger.warning("Some %s are indexed anew by %s.", documents._meta.verbose_name_plural, name)
            wake_worker()


def _kinds() -> list[Any]:
    return [model for model in apps.get_models() if issubclass(model, Document)]
