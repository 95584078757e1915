"""What a worker does when it is woken: it asks the database what is to be done."""

from __future__ import annotations

import logging
from typing import Any

from celery import shared_task
from celery.signals import worker_ready
from django.apps import apps

from corpus.embedding import migrate_model
from corpus.embedding.active_model import installation, warn_if_settings_differ
from corpus.ingestion.indexing import index_next_document
from corpus.ingestion.ocr import tesseract
from corpus.ingestion.orphan_files import delete_orphan_files
from corpus.ingestion.sandbox.limits import missing_protections
from corpus.ingestion.wake_worker import wake_reembedding, wake_worker
from corpus.models import Document, Status

logger = logging.getLogger(__name__)


@shared_task
def index_documents() -> None:
    """Index one document that is due, whichever's turn it is, and wake the worker for the next. Safe to run twice."""
    if index_next_document(*(documents.objects.all() for documents in _kinds())):
        wake_worker()


@shared_task
def reembed(step: int) -> None:
    """Spend some seconds on the move to another embedding model, and go on later: documents have their turn between."""
    if migrate_model.run_step(step):
        wake_reembedding()


@shared_task
def queue_unfinished() -> None:
    """Wake the worker for whatever the rows say is due, such as after a worker was killed or the broker was away."""
    if any(documents.objects.due().exists() for documents in _kinds()):
        wake_worker()
    wake_reembedding()


@shared_task
def sweep_files() -> None:
    """Once a day: delete files that no row names."""
    if orphans := delete_orphan_files():
        logger.warning("%d files that no document names were deleted.", len(orphans))


@worker_ready.connect
def tell_what_is_missing(**_: Any) -> None:
    """Once at a worker's start: which walls around readers this system lacks, and whether scans can be read."""
    for wall in missing_protections():
        logger.warning("Files are read with one wall less on this system: %s.", wall)
    if found := tesseract.find_tesseract():
        logger.info("Scanned pages are read by Tesseract in %s.", ", ".join(found.languages))
    else:
        logger.warning("Scanned pages stay without text: Tesseract is not there (LECTERN_TESSERACT).")


@worker_ready.connect
def queue_other_models(**_: Any) -> None:
    """Once at a worker's start: index anew what is of an embedding model that neither answers nor is moved to."""
    warn_if_settings_differ()
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
