"""The API routes of documents of any kind."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from typing import Any, ClassVar, TypeVar
from uuid import UUID

from django.conf import settings
from django.core.files.base import File
from django.db import transaction
from django.http.response import HttpResponseBase
from django.urls import reverse
from rest_framework.parsers import MultiPartParser
from rest_framework.renderers import BaseRenderer, JSONRenderer
from rest_framework.request import Request
from rest_framework.response import Response

from corpus.ingestion import uploads
from corpus.ingestion.storage import StorageFailed, UnchangedFile, UploadRefused
from corpus.models import Document
from corpus.querysets import DocumentQuerySet
from corpus.reading.outline import find_node, outline
from corpus.web import pages
from corpus.web.browse import browse_documents
from corpus.web.kinds import DocumentKind
from corpus.web.listing import list_entries
from corpus.web.serializers import ChunkQuery, ChunkSerializer, FileSerializer, OutlineSerializer
from rest.etags import add_etag, must_match
from rest.idempotency import idempotent
from rest.pagination import paginate
from rest.problems import Problem
from rest.views import MemberView

T = TypeVar("T")


class DocumentView(MemberView):
    """A route of documents of one kind. `api_docs.api_routes` makes one for each kind."""

    kind: ClassVar[DocumentKind]

    def documents(self) -> DocumentQuerySet[Any]:
        """The documents that the member may see."""
        return self.kind.documents(self.member)

    def check_may_change(self) -> None:
        """Raise 403 for a member who may only read these documents."""
        self.kind.check_may_change(self.member)

    def serialize(self, documents: Sequence[object]) -> Any:
        """The documents as JSON values."""
        return self.kind.serializer(list_entries(documents), many=True).data

    def document(self, document: Document) -> Any:
        """One document as JSON values, read from the database again."""
        return self.serialize([self.find(self.documents(), document.pk)])[0]

    def added(self, document: Document, is_new: bool) -> Response:
        """The answer to whoever added a document, or had it already."""
        headers = {"Location": reverse(f"api:{self.kind.api_name}", args=[document.pk])}
        return Response(self.document(document), status=201 if is_new else 200, headers=headers)

    @contextmanager
    def changing(self, pk: UUID) -> Iterator[Any]:
        """The document, locked for a change. Checks the permission and If-Match."""
        with transaction.atomic():
            document = self.find(self.documents().select_for_update(), pk)
            self.check_may_change()
            must_match(self.request, self.serialize([document])[0])
            yield document


class DocumentList(DocumentView):
    """GET: a page of documents. POST: an upload."""

    parser_classes = (MultiPartParser,)
    upload = True
    etags = True

    def get(self, request: Request) -> HttpResponseBase:
        query = self.query(self.kind.query)
        filters = {
            "sort": "name",  # of the pages; the order of the API follows
            "words": query.get("search", ""),
            "subject": query.get("subject", ""),
            "grade": query.get("grade", ""),
        }
        documents = browse_documents(self.kind.listed(self.member), **filters)
        if status := query.get("status"):
            documents = documents.filter(status=status)
        order = (query["ordering"], "-pk" if query["ordering"].startswith("-") else "pk")
        return add_etag(request, paginate(request, documents, query, self.serialize, order=order))

    @idempotent
    def post(self, request: Request) -> HttpResponseBase:
        self.check_may_change()
        sent = self.body(self.kind.new)
        return self.added(*accept_upload(sent["file"], lambda: self.kind.upload(member=self.member, **sent)))


class OneDocument(DocumentView):
    """GET, PATCH and DELETE of one document."""

    etags = True

    def get(self, request: Request, pk: UUID) -> HttpResponseBase:
        return add_etag(request, self.serialize([self.find(self.documents(), pk)])[0])

    def patch(self, request: Request, pk: UUID) -> HttpResponseBase:
        with self.changing(pk) as document:
            change = self.body(self.kind.change, partial=True)
            published = change.pop("published", None)
            if change:
                tags = {name: change.get(name, getattr(document, name)) for name in document.TAGS}
                uploads.describe(document, title=change.get("title"), **tags)
            if published is not None and self.kind.set_published:
                self.kind.set_published(document=document, published=published)
        return add_etag(request, self.document(document))

    def delete(self, request: Request, pk: UUID) -> HttpResponseBase:
        with self.changing(pk) as document:
            uploads.delete(document)
        return Response(status=204)


class OriginalFile(BaseRenderer):
    """Lets clients accept the bytes of a file. It renders nothing itself."""

    media_type = "application/octet-stream"
    format = "file"


class DocumentFile(DocumentView):
    """GET: the file. PUT: a new version."""

    parser_classes = (MultiPartParser,)
    renderer_classes = (JSONRenderer, OriginalFile)
    upload = True
    etags = True

    def get(self, request: Request, pk: UUID) -> HttpResponseBase:
        document = self.find(self.documents(), pk)
        return pages.version_file(document, self.kind.readable_version(self.member, document))

    def put(self, request: Request, pk: UUID) -> HttpResponseBase:
        with self.changing(pk) as document:
            file = self.body(FileSerializer)["file"]
            with suppress(UnchangedFile):
                accept_upload(file, lambda: uploads.replace(document, file, by=self.member.user))
        return add_etag(request, self.document(document))


class DocumentChunks(DocumentView):
    """GET: a page of chunks."""

    def get(self, request: Request, pk: UUID) -> HttpResponseBase:
        document = self.find(self.documents(), pk)
        query = self.query(ChunkQuery)
        chunks = document.chunks.defer("embedding", "search")
        if section := query.get("section"):
            part = find_node(outline(document)[1], section)
            if part is None:
                raise Problem(404, f"This document has no part {section}. Its outline lists the parts.")
            chunks = chunks.filter(position__range=(part.first_position, part.last_position))
        return self.paginate(chunks, ChunkSerializer, query, order=("position",))


class DocumentOutline(DocumentView):
    """GET: the outline."""

    etags = True

    def get(self, request: Request, pk: UUID) -> HttpResponseBase:
        version, parts = outline(self.find(self.documents(), pk))
        return add_etag(request, OutlineSerializer({"version": version, "parts": parts}).data)


def accept_upload(file: File[bytes], service: Callable[[], T]) -> T:
    """The result of an upload service, with refusals as problems. UnchangedFile is left to the caller."""
    try:
        return service()
    except UnchangedFile:
        raise
    except StorageFailed as reason:
        raise Problem(503, str(reason)) from None
    except UploadRefused as reason:
        too_large = file.size > settings.LECTERN_MAX_UPLOAD_MB * 1024 * 1024
        raise Problem(413 if too_large else 422, str(reason), errors={"file": [str(reason)]}) from None
