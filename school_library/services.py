"""Services of the school library, for its admins."""

from __future__ import annotations

from django.core.files.base import File
from django.db import transaction

from corpus.ingestion import uploads
from corpus.ingestion.uploads import WebOrigin
from school_library.models import SchoolDocument
from schools.audit.actions import Action
from schools.audit.recording import record
from schools.models import Membership


def upload(
    *,
    member: Membership,
    file: File[bytes],
    title: str = "",
    description: str = "",
    subject: str = "",
    grade: str = "",
    origin: WebOrigin | None = None,
) -> tuple[SchoolDocument, bool]:
    """Upload a file, which may be from the web, as a published document. Returns the document and whether it is new.

    If the library has the same file already, that document is returned (D7). Raises UploadRefused.
    """
    subject = SchoolDocument.objects.for_school(member.school).spelling_of(subject)
    document = SchoolDocument(school=member.school, title=title, description=description, subject=subject, grade=grade)
    return uploads.create(document, file, by=member.user, origin=origin)


@transaction.atomic
def set_published(*, document: SchoolDocument, published: bool) -> None:
    """Publish or withdraw a document. A withdrawn one is gone from answers with the next question."""
    if SchoolDocument.objects.filter(pk=document.pk, is_published=not published).update(is_published=published):
        action = Action.LIBRARY_PUBLISHED if published else Action.LIBRARY_WITHDRAWN
        record(action, school=document.school_id, subject=document, label=document.title)


@transaction.atomic
def describe(*, document: SchoolDocument, title: str | None, description: str, subject: str, grade: str) -> None:
    """Change title, description and tags of a document. With None the title stays.

    Another spelling of its own subject is the spelling of that subject from now on, in all documents.
    """
    SchoolDocument.objects.for_school(document.school).file_under(subject, [document.pk])
    SchoolDocument.objects.filter(pk=document.pk).update(description=description, grade=grade.strip())
    if title is not None:
        uploads.rename(document, title)
    label = document.title if title is None else title
    record(Action.LIBRARY_DESCRIBED, school=document.school_id, subject=document, label=label)
