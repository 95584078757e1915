"""What a school's admins can do with its library."""

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
    """Take in a file as a document of the library, published, and whether it is new (D7).

    A file that the library already holds, byte for byte, is that document. Raises UploadRefused.
    """
    document = SchoolDocument(
        school=member.school, title=title, description=description, subject=subject, grade=grade
    )
    return uploads.create(document, file, by=member.user)


def copy(
    *, document: SchoolDocument, member: Membership, filename: str, key: UUID | None = None
) -> SchoolDocument:
    """A second document with the newest file and the tags of this one, under another name and the id `key`.

    One that has this id already is that document. Raises UploadRefused.
    """
    tags = {name: getattr(document, name) for name in ("description", "subject", "grade", "is_published")}
    new = SchoolDocument(school=member.school, **tags)
    return uploads.copy(document, new, filename=filename, by=member.user, key=key)


def set_published(*, document: SchoolDocument, published: bool) -> None:
    """Publish, or withdraw: a withdrawn document is gone from answers with the next question."""
    SchoolDocument.objects.filter(pk=document.pk).update(is_published=published)


def describe(*, document: SchoolDocument, title: str, description: str, subject: str, grade: str) -> None:
    """What people see of the document and find it by."""
    SchoolDocument.objects.filter(pk=document.pk).update(
        description=description, subject=subject.strip(), grade=grade.strip()
    )
    uploads.rename(document, title)
