"""Services: add a web page as a document, and fetch it again. For documents of both kinds."""

from __future__ import annotations

from django.core.files.base import ContentFile
from django.db.models import F

from corpus.ingestion import uploads
from corpus.ingestion.storage import UnchangedFile
from corpus.ingestion.uploads import WebOrigin
from corpus.models import Document
from corpus.web.kinds import DocumentKind
from references.web_page import WebPage, read_web_page
from schools.models import Membership, User


def add_page(kind: DocumentKind, member: Membership, address: str) -> tuple[Document, bool]:
    """Fetch a page and store its text as a document. Returns that and whether it is new.

    It is not new if a document of the kind has the same address or the very same text. Raises PageRefused,
    UploadRefused.
    """
    page = read_web_page(member.school, address)
    same = kind.documents(member).filter(versions__number=F("version"), versions__web_address=page.address)
    if (known := same.order_by("created_at", "pk").first()) is not None:
        return known, False
    return kind.upload(member=member, file=_file(page), title=page.title, origin=_origin(page))


def fetch_again(document: Document, *, by: User) -> bool:
    """Fetch the page of a document again. A changed text becomes its new version. Whether it has changed.

    An unchanged one is as of now. Raises PageRefused, UploadRefused; the document then stays as it is.
    """
    version = document.newest
    page = read_web_page(document.school, version.web_address)
    try:
        uploads.replace(document, _file(page), by=by, origin=_origin(page))
    except UnchangedFile:
        document.versions.filter(pk=version.pk).update(fetched_at=page.fetched_at)
        return False
    return True


def _file(page: WebPage) -> ContentFile[bytes]:
    return ContentFile(page.html, name=page.filename)


def _origin(page: WebPage) -> WebOrigin:
    return WebOrigin(page.address, page.fetched_at)
