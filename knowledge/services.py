"""Services of personal documents."""

from __future__ import annotations

from django.core.files.base import File

from corpus.ingestion import uploads
from corpus.ingestion.uploads import WebOrigin
from knowledge.models import PersonalDocument
from schools.models import Membership


def upload(
    *, member: Membership, file: File[bytes], title: str = "", origin: WebOrigin | None = None
) -> tuple[PersonalDocument, bool]:
    """Upload a file, which may be from the web, as a personal document. Returns the document and whether it is new.

    If the teacher has the same file in this school already, that document is returned (D7). Raises UploadRefused.
    """
    document = PersonalDocument(school=member.school, owner=member.user, title=title)
    return uploads.create(document, file, by=member.user, origin=origin)
