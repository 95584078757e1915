"""Services of personal documents."""

from __future__ import annotations

from uuid import UUID

from django.core.files.base import File

from corpus.ingestion import uploads
from knowledge.models import PersonalDocument
from schools.models import Membership


def upload(*, member: Membership, file: File[bytes], title: str = "") -> tuple[PersonalDocument, bool]:
    """Upload a file as a personal document. Returns the document and whether it is new.

    If the teacher has the same file in this school already, that document is returned (D7). Raises UploadRefused.
    """
    document = PersonalDocument(school=member.school, owner=member.user, title=title)
    return uploads.create(document, file, by=member.user)


def copy(*, document: PersonalDocument, member: Membership, filename: str, key: UUID | None = None) -> PersonalDocument:
    """A second document with the newest file of this one and the id `key`.

    If a document with this id exists, it is returned. Raises UploadRefused.
    """
    new = PersonalDocument(school=member.school, owner=member.user)
    return uploads.copy(document, new, filename=filename, by=member.user, key=key)


def rename(*, document: PersonalDocument, title: str) -> None:
    """Change the title. Passages are found by it from the next question on."""
    uploads.rename(document, title)
