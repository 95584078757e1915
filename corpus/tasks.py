"""Celery tasks of documents, and what a worker does when it starts. Each is safe to run twice (ADR 7)."""

from __future__ import annotations

import logging

from celery import shared_task
from celery.signals import worker_ready

from corpus.embedding import migrate_model
from corpus.embedding.active_model import installation, warn_if_settings_differ
from corpus.ingestion.indexing import index_next_document
from corpus.ingestion.ocr.tesseract import find_tesseract
from corpus.ingestion.sandbox.limits import missing_protections
from corpus.ingestion.storage import delete_orphan_files
from corpus.models import Document, Status, concrete_models
from corpus.search.large_owners import update_indexes
from corpus.wake_worker import wake_reembedding, wake_worker

logger = logging.getLogger(__name__)


@shared_task
def index_documents() -> None:
    """Index one document that is due and wake the worker for the next one."""
    if index_next_document(*(documents.objects.all() for documents in concrete_models(Document))):
        wake_worker()


@shared_task
def reembed(step: int) -> None:
    """Work some seconds on the move to another embedding model. Documents are indexed between two steps."""
    if migrate_model.run_step(step):
        wake_reembedding()


@shared_task
def index_large_owners() -> None:
    """Make and drop the indexes of owners that have very many chunks."""
    update_indexes()


@shared_task
def queue_unfinished() -> None:
    """Wake the worker for all work that the database holds, such as after a crash or an outage of the broker."""
    if any(documents.objects.due().exists() for documents in concrete_models(Document)):
        wake_worker()
    wake_reembedding()


@shared_task
def sweep_files() -> None:
    """Delete files that no row refers to. Runs once a day."""
    if orphans := delete_orphan_files():
        logger.warning("%d files that no document refers to were deleted.", len(orphans))


@worker_ready.connect
def log_missing_features(**_: object) -> None:
    """Log which protections of the sandbox this system lacks, and whether scans can be read."""
    for protection in missing_protections():
        logger.warning("Files are read with one protection less on this system: %s.", protection)
    if tesseract := find_tesseract():
        logger.info("Scanned pages are read by Tesseract in %s.", ", ".join(tesseract.languages))
    else:
        logger.warning("Scanned pages stay without text: Tesseract is not installed (LECTERN_TESSERACT).")


@worker_ready.connect
def queue_other_models(**_: object) -> None:
    """Queue documents whose chunks belong to an embedding model that is neither active nor the target of a move."""
    warn_if_settings_differ()
    row = installation()
    for documents in concrete_models(Document):
        if documents.objects.of_other_models(row.name, row.target_name or row.name).update(
            status=Status.QUEUED, attempts=0
        ):
            logger.warning("Some %s are indexed again by %s.", documents._meta.verbose_name_plural, row.name)
            wake_worker()
