"""What a teacher can do with their own documents."""

from __future__ import annotations

from django.core.files.base import File

from corpus import uploads
from knowledge.models import PersonalDocument
from schools.models import Membership


def upload(*, member: Membership, file: File[bytes], title: str = "") -> tuple[PersonalDocument, bool]:
    """Take in a file as a document of the teacher's own, and whether it is new (D7).

    A file that the teacher already has in this school, byte for byte, is that document. Raises UploadRefused.
    """
    document = PersonalDocument(school=member.school, owner=member.user, title=title)
    return uploads.create(document, file, by=member.user)


def copy(*, document: PersonalDocument, member: Membership, filename: str) -> PersonalDocument:
    """A second document with the newest file of this one, under another name. Raises UploadRefused."""
    with document.newest.file.open("rb") as stored:
        new = PersonalDocument(school=member.school, owner=member.user)
        return uploads.create(new, File(stored, name=filename), by=member.user, keep_both=True)[0]


def replace(
    *, document: PersonalDocument, member: Membership, file: File[bytes], seen: int | None = None
) -> PersonalDocument:
    """Take in a new version; the old one answers until the new one is indexed. Raises UploadRefused."""
    return uploads.replace(document, file, by=member.user, seen=seen)


def rename(*, document: PersonalDocument, title: str) -> None:
    """Give a document another title, by which its passages are found from the next question on."""
    uploads.retitle(document, title)
