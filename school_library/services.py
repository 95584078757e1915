"""What a school's admins can do with its library."""

from __future__ import annotations

from django.core.files.base import File

from corpus import uploads
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


def copy(*, document: SchoolDocument, member: Membership, filename: str) -> SchoolDocument:
    """A second document with the newest file and the tags of this one, under another name. Raises UploadRefused."""
    tags = {name: getattr(document, name) for name in ("description", "subject", "grade", "is_published")}
    with document.newest.file.open("rb") as stored:
        new = SchoolDocument(school=member.school, **tags)
        return uploads.create(new, File(stored, name=filename), by=member.user, keep_both=True)[0]


def replace(
    *, document: SchoolDocument, member: Membership, file: File[bytes], seen: int | None = None
) -> SchoolDocument:
    """Take in a new version; every linked chatbot uses it as soon as it is indexed (L3). Raises UploadRefused."""
    return uploads.replace(document, file, by=member.user, seen=seen)


def set_published(*, document: SchoolDocument, published: bool) -> None:
    """Publish, or withdraw: a withdrawn document is gone from answers with the next question."""
    SchoolDocument.objects.filter(pk=document.pk).update(is_published=published)


def describe(*, document: SchoolDocument, title: str, description: str, subject: str, grade: str) -> None:
    """What people see of the document and find it by."""
    SchoolDocument.objects.filter(pk=document.pk).update(
        description=description, subject=subject.strip(), grade=grade.strip()
    )
    uploads.retitle(document, title)
