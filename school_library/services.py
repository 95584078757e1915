"""Services of the school library, for its admins."""

from __future__ import annotations

from functools import partial

from django.db import transaction

from corpus.ingestion import uploads
from school_library.models import SchoolDocument
from schools.audit.actions import Action
from schools.audit.recording import record

upload = partial(uploads.upload, SchoolDocument)


@transaction.atomic
def set_published(*, document: SchoolDocument, published: bool) -> None:
    """Publish or withdraw a document. A withdrawn one is gone from answers with the next question."""
    if SchoolDocument.objects.filter(pk=document.pk, is_published=not published).update(is_published=published):
        action = Action.LIBRARY_PUBLISHED if published else Action.LIBRARY_WITHDRAWN
        record(action, school=document.school_id, subject=document, label=document.title)
