"""Services of the school library, for its admins."""

from __future__ import annotations

from django.core.files.base import File
from django.db import transaction

from corpus.ingestion import uploads
from corpus.ingestion.uploads import WebOrigin
from school_library.models import SchoolDocument
from schools.models import Membership, School


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
    subject = library_spelling(member.school, subject)
    document = SchoolDocument(school=member.school, title=title, description=description, subject=subject, grade=grade)
    return uploads.create(document, file, by=member.user, origin=origin)


def library_spelling(school: School, subject: str) -> str:
    """A subject as the library of the school spells it already, whatever the case; else as it is typed."""
    subject = " ".join(subject.split())
    same = SchoolDocument.objects.for_school(school).filter(subject__iexact=subject).order_by("created_at", "pk")
    return same.values_list("subject", flat=True).first() or subject


def set_published(*, document: SchoolDocument, published: bool) -> None:
    """Publish or withdraw a document. A withdrawn one is gone from answers with the next question."""
    SchoolDocument.objects.filter(pk=document.pk).update(is_published=published)


@transaction.atomic
def describe(*, document: SchoolDocument, title: str | None, description: str, subject: str, grade: str) -> None:
    """Change title, description and tags of a document. With None the title stays.

    Another spelling of its own subject is the spelling of that subject from now on, in all documents.
    """
    subject = " ".join(subject.split())
    documents = SchoolDocument.objects.for_school(document.school)
    before = documents.filter(pk=document.pk).values_list("subject", flat=True).first() or ""
    if subject.casefold() == before.casefold():
        if subject != before:
            documents.filter(subject__iexact=subject).update(subject=subject)
    else:
        subject = library_spelling(document.school, subject)
    SchoolDocument.objects.filter(pk=document.pk).update(description=description, subject=subject, grade=grade.strip())
    if title is not None:
        uploads.rename(document, title)
