"""Detection of documents whose indexing is stuck, so that people get a message instead of a still progress bar."""

from __future__ import annotations

from datetime import timedelta

from django import template
from django.db.models import Q
from django.utils import timezone

from corpus.models import Document, Status, concrete_models

register = template.Library()

STUCK_AFTER = timedelta(minutes=3)
"""Time without progress. Parsing takes at most 3 × LECTERN_PARSE_SECONDS (45 s); then every 32 chunks are reported."""

_INDEXING_STUCK = (
    "Nothing has moved for {minutes} minutes. It is tried again automatically as soon as a worker is free, and "
    "nothing is lost. If this lasts, tell your operator."
)
_NO_WORKER = (
    "Nothing has moved for {minutes} minutes: it seems that nothing is running that could read files. Yours is safe "
    "and will be read as soon as it runs again. If this lasts, tell your operator."
)


@register.filter
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
    recent = now - STUCK_AFTER
    progress = Q(attempted_at__gt=recent) | Q(status=Status.INDEXING, updated_at__gt=recent)
    is_working = any(documents.objects.filter(progress).exists() for documents in concrete_models(Document))
    return "" if is_working else _NO_WORKER.format(minutes=minutes)
