"""Base classes of the API views of documents of both kinds. The app of each kind says which documents they show."""

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
from rest_framework.serializers import BaseSerializer

from corpus.ingestion import uploads
from corpus.ingestion.storage import StorageFailed, UnchangedFile, UploadRefused
from corpus.models import Document
from corpus.querysets import DocumentQuerySet
from corpus.reading.outline import find_node, outline
from corpus.web import pages
from corpus.web.browse import browse_documents
from corpus.web.listing import list_entries
from corpus.web.serializers import (
    ChunkQuery,
    ChunkSerializer,
    DocumentQuery,
    DocumentSerializer,
    FileSerializer,
    NewDocumentSerializer,
    OutlineSerializer,
)
from rest.etags import must_match, tagged
from rest.idempotency import idempotent
from rest.pagination import page
from rest.problems import Problem
from rest.views import MemberView

T = TypeVar("T")


class DocumentView(MemberView):
    """What the app of a kind defines: which documents, how they are serialised, and who may change them."""

    serializer: ClassVar[type[BaseSerializer[Any]]] = DocumentSerializer
    name: ClassVar[str]
    """The name of the route of one document."""

    def documents(self) -> DocumentQuerySet[Any]:
        """The documents that the member may see."""
        raise NotImplementedError

    def check_may_change(self) -> None:
        """Raise 403 for a member who may only read these documents."""

    def serialize(self, documents: Sequence[Any]) -> Any:
        """The documents as JSON values."""
        return self.serializer(list_entries(documents), many=True).data

    def document(self, document: Any) -> Any:
        """One document as JSON values, read from the database again."""
        return self.serialize([self.find(self.documents(), document.pk)])[0]

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
    new: ClassVar[type[BaseSerializer[Any]]] = NewDocumentSerializer
    filters: ClassVar[type[DocumentQuery]] = DocumentQuery

    def get(self, request: Request) -> HttpResponseBase:
        query = self.query(self.filters)
        documents = self.filtered(query)
        if status := query.get("status"):
            documents = documents.filter(status=status)
        order = (query["ordering"], "-pk" if query["ordering"].startswith("-") else "pk")
        return tagged(request, page(request, documents, query, self.serialize, order=order))

    @idempotent
    def post(self, request: Request) -> HttpResponseBase:
        self.check_may_change()
        sent = self.body(self.new)
        document, is_new = accept_upload(sent["file"], lambda: self.create(sent))
        headers = {"Location": reverse(f"api:{self.name}", args=[document.pk])}
        return Response(self.document(document), status=201 if is_new else 200, headers=headers)

    def filtered(self, query: dict[str, Any]) -> DocumentQuerySet[Any]:
        """The documents that match the query."""
        return browse_documents(self.documents(), words=query.get("search", ""), subject=query.get("subject", ""))

    def create(self, sent: dict[str, Any]) -> tuple[Document, bool]:
        """Upload the file by the service of the app. Returns the document and whether it is new."""
        raise NotImplementedError


class OneDocument(DocumentView):
    """GET, PATCH and DELETE of one document."""

    etags = True
    change: ClassVar[type[BaseSerializer[Any]]]

    def get(self, request: Request, pk: UUID) -> HttpResponseBase:
        return tagged(request, self.serialize([self.find(self.documents(), pk)])[0])

    def patch(self, request: Request, pk: UUID) -> HttpResponseBase:
        with self.changing(pk) as document:
            self.update(document, self.body(self.change, partial=True))
        return tagged(request, self.document(document))

    def delete(self, request: Request, pk: UUID) -> HttpResponseBase:
        with self.changing(pk) as document:
            uploads.delete(document)
        return Response(status=204)

    def update(self, document: Any, change: dict[str, Any]) -> None:
        """Apply a change by the services of the app."""
        raise NotImplementedError


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
        return pages.version_file(document, self.readable_version(document))

    def put(self, request: Request, pk: UUID) -> HttpResponseBase:
        with self.changing(pk) as document:
            file = self.body(FileSerializer)["file"]
            with suppress(UnchangedFile):
                accept_upload(file, lambda: uploads.replace(document, file, by=self.member.user))
        return tagged(request, self.document(document))

    def readable_version(self, document: Any) -> int:
        """The number of the version whose file the member may read."""
        number: int = document.version
        return number


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
        answer = page(request, chunks, query, lambda rows: ChunkSerializer(rows, many=True).data, order=("position",))
        return Response(answer)


class DocumentOutline(DocumentView):
    """GET: the outline."""

    etags = True

    def get(self, request: Request, pk: UUID) -> HttpResponseBase:
        version, parts = outline(self.find(self.documents(), pk))
        return tagged(request, OutlineSerializer({"version": version, "parts": parts}).data)


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
