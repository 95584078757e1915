"""Services of personal documents."""

from __future__ import annotations

from django.core.files.base import File
from django.db import transaction

from corpus.ingestion import uploads
from corpus.ingestion.uploads import WebOrigin
from knowledge.models import PersonalDocument
from schools.models import Membership


def upload(
    *, member: Membership, file: File[bytes], title: str = "", subject: str = "", origin: WebOrigin | None = None
) -> tuple[PersonalDocument, bool]:
    """Upload a file, which may be from the web, as a personal document. Returns the document and whether it is new.

    If the teacher has the same file in this school already, that document is returned (D7). Raises UploadRefused.
    """
    subject = PersonalDocument.objects.for_member(member).spelling_of(subject)
    document = PersonalDocument(school=member.school, owner=member.user, title=title, subject=subject)
    return uploads.create(document, file, by=member.user, origin=origin)


@transaction.atomic
def describe(*, document: PersonalDocument, title: str | None, subject: str) -> None:
    """Change the title and the subject of a document. With None the title stays."""
    PersonalDocument.objects.of_owner(document.owner_key).file_under(subject, [document.pk])
    if title is not None:
        uploads.rename(document, title)
