"""Detection of documents whose indexing is stuck, so that people get a message instead of a still progress bar."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Any

from django.apps import apps
from django.utils import timezone

from corpus.models import Document, Status

STUCK_AFTER = timedelta(minutes=3)
"""Time without progress. Parsing takes at most LECTERN_PARSE_SECONDS (45); after that every 32 chunks are reported."""

_INDEXING_STUCK = (
    "Nothing has moved for {minutes} minutes. It is tried again automatically as soon as a worker is free, and "
    "nothing is lost. If this lasts, tell your operator."
)
_NO_WORKER = (
    "Nothing has moved for {minutes} minutes: it seems that nothing is running that could read files. Yours is safe "
    "and will be read as soon as it runs again. If this lasts, tell your operator."
)


def stuck_notice(document: Document) -> str:
    """A sentence for people who wait for a document without progress. Empty if it is not stuck.

    A queued document is not stuck as long as any document of the installation makes progress.
    """
    now, since = timezone.now(), document.next_attempt_at or document.updated_at
    if not document.is_pending or now - since < STUCK_AFTER:
        return ""
    minutes = (now - since) // timedelta(minutes=1)
    if document.status == Status.INDEXING:
        return _INDEXING_STUCK.format(minutes=minutes)
    return "" if _any_progress(since=now - STUCK_AFTER) else _NO_WORKER.format(minutes=minutes)


def _any_progress(*, since: datetime) -> bool:
    kinds: list[Any] = [model for model in apps.get_models() if issubclass(model, Document)]
    return any(
        documents.objects.filter(attempted_at__gt=since).exists()
        or documents.objects.filter(status=Status.INDEXING, updated_at__gt=since).exists()
        for documents in kinds
    )
