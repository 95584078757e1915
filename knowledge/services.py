"""What a teacher can do with their own documents."""

from __future__ import annotations

from uuid import UUID

from django.core.files.base import File

from corpus.ingestion import uploads
from knowledge.models import PersonalDocument
from schools.models import Membership


def upload(*, member: Membership, file: File[bytes], title: str = "") -> tuple[PersonalDocument, bool]:
    """Take in a file as a document of the teacher's own, and whether it is new (D7).

    A file that the teacher already has in this school, byte for byte, is that document. Raises UploadRefused.
    """
    document = PersonalDocument(school=member.school, owner=member.user, title=title)
    return uploads.create(document, file, by=member.user)


def copy(
    *, document: PersonalDocument, member: Membership, filename: str, key: UUID | None = None
) -> PersonalDocument:
    """A second document with the newest file of this one, under another name and the id `key`.

    One that has this id already is that document. Raises UploadRefused.
    """
    new = PersonalDocument(school=member.school, owner=member.user)
    return uploads.copy(document, new, filename=filename, by=member.user, key=key)


def rename(*, document: PersonalDocument, title: str) -> None:
    """Give a document another title, by which its passages are found from the next question on."""
    uploads.rename(document, title)
