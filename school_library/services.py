"""Services of the school library, for its admins."""

from __future__ import annotations

from uuid import UUID

from django.core.files.base import File

from corpus.ingestion import uploads
from school_library.models import SchoolDocument
from schools.models import Membership


def upload(
    *,
    member: Membership,
    file: File[bytes],
    title: str = "",
    description: str = "",
    subject: str = "",
    grade: str = "",
) -> tuple[SchoolDocument, bool]:
    """Upload a file as a published document. Returns the document and whether it is new.

    If the library has the same file already, that document is returned (D7). Raises UploadRefused.
    """
    document = SchoolDocument(school=member.school, title=title, description=description, subject=subject, grade=grade)
    return uploads.create(document, file, by=member.user)


def copy(*, document: SchoolDocument, member: Membership, filename: str, key: UUID | None = None) -> SchoolDocument:
    """A second document with the newest file, description and tags of this one, and the id `key`.

    If a document with this id exists, it is returned. Raises UploadRefused.
    """
    tags = {name: getattr(document, name) for name in ("description", "subject", "grade", "is_published")}
    new = SchoolDocument(school=member.school, **tags)
    return uploads.copy(document, new, filename=filename, by=member.user, key=key)


def set_published(*, document: SchoolDocument, published: bool) -> None:
    """Publish or withdraw a document. A withdrawn one is gone from answers with the next question."""
    SchoolDocument.objects.filter(pk=document.pk).update(is_published=published)


def describe(*, document: SchoolDocument, title: str, description: str, subject: str, grade: str) -> None:
    """Change title, description and tags of a document."""
    SchoolDocument.objects.filter(pk=document.pk).update(
        description=description, subject=subject.strip(), grade=grade.strip()
    )
    uploads.rename(document, title)
