"""Services: add a web page as a document, and fetch it again. For documents of both kinds."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from django.core.files.base import ContentFile
from django.db.models import F

from corpus.ingestion import uploads
from corpus.ingestion.storage import UnchangedFile
from corpus.ingestion.uploads import WebOrigin
from corpus.models import Document
from corpus.querysets import DocumentQuerySet
from references.web_page import WebPage, read_web_page
from schools.models import School, User

Upload = Callable[[ContentFile[bytes], str, WebOrigin], tuple[Document, bool]]
"""Takes a file, its title and where it is from; returns the document and whether it is new. Raises UploadRefused."""


@dataclass(frozen=True)
class Added:
    """The document of a page. If it is not new, the person had the page, or the very same text, already."""

    document: Document
    is_new: bool


def add_page(*, school: School, address: str, documents: DocumentQuerySet[Any], upload: Upload) -> Added:
    """Fetch a page and store its text as a document, unless one of these documents is of the same address.

    Raises PageRefused, UploadRefused.
    """
    page = read_web_page(school, address)
    same = documents.filter(versions__number=F("version"), versions__web_address=page.address)
    if (known := same.order_by("created_at", "pk").first()) is not None:
        return Added(known, is_new=False)
    document, is_new = upload(_file(page), page.title, _origin(page))
    return Added(document, is_new)


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
