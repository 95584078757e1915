"""Documents by the API, the same for a teacher's own and the library's. Whose they are, each room's own views say."""

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
    """What a room says of its documents: how they are shown, its door, and who may change them."""

    serializer: ClassVar[type[BaseSerializer[Any]]] = DocumentSerializer
    name: ClassVar[str]
    """Of the route of one document."""

    def documents(self) -> DocumentQuerySet[Any]:
        raise NotImplementedError

    def may_change(self) -> None:
        """403 for a member who may read these documents only."""

    def shown(self, documents: Sequence[Any]) -> Any:
        return self.serializer(list_entries(documents), many=True).data

    def document(self, document: Any) -> Any:
        """One document as it is in the database now."""
        return self.shown([self.find(self.documents(), document.pk)])[0]

    @contextmanager
    def changing(self, pk: UUID) -> Iterator[Any]:
        """The document, if it may be changed and is still what If-Match says; locked until it is."""
        with transaction.atomic():
            document = self.find(self.documents().select_for_update(), pk)
            self.may_change()
            must_match(self.request, self.shown([document])[0])
            yield document


class DocumentList(DocumentView):
    parser_classes = (MultiPartParser,)
    upload = True
    etags = True
    new: ClassVar[type[BaseSerializer[Any]]] = NewDocumentSerializer
    narrowed: ClassVar[type[DocumentQuery]] = DocumentQuery

    def get(self, request: Request) -> HttpResponseBase:
        query = self.query(self.narrowed)
        documents = self.wanted(query)
        if status := query.get("status"):
            documents = documents.filter(status=status)
        return tagged(request, page(request, documents, query, self.shown))

    @idempotent
    def post(self, request: Request) -> HttpResponseBase:
        self.may_change()
        sent = self.body(self.new)
        document, is_new = accept_upload(sent["file"], lambda: self.take(sent))
        headers = {"Location": reverse(f"api:{self.name}", args=[document.pk])}
        return Response(self.document(document), status=201 if is_new else 200, headers=headers)

    def wanted(self, query: dict[str, Any]) -> DocumentQuerySet[Any]:
        documents = self.documents()
        for word in query.get("search", "").split():
            documents = documents.filter(title__icontains=word)
        return documents

    def take(self, sent: dict[str, Any]) -> tuple[Document, bool]:
        """Upload it by the room's service; whether it is new."""
        raise NotImplementedError


class OneDocument(DocumentView):
    etags = True
    change: ClassVar[type[BaseSerializer[Any]]]

    def get(self, request: Request, pk: UUID) -> HttpResponseBase:
        return tagged(request, self.shown([self.find(self.documents(), pk)])[0])

    def patch(self, request: Request, pk: UUID) -> HttpResponseBase:
        with self.changing(pk) as document:
            self.alter(document, self.body(self.change, partial=True))
        return tagged(request, self.document(document))

    def delete(self, request: Request, pk: UUID) -> HttpResponseBase:
        with self.changing(pk) as document:
            uploads.delete(document)
        return Response(status=204)

    def alter(self, document: Any, change: dict[str, Any]) -> None:
        raise NotImplementedError


class OriginalFile(BaseRenderer):
    """Lets readers ask for a file's own bytes; it renders nothing."""

    media_type = "application/octet-stream"
    format = "file"


class DocumentFile(DocumentView):
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
        number: int = document.version
        return number


class DocumentChunks(DocumentView):
    def get(self, request: Request, pk: UUID) -> HttpResponseBase:
        document = self.find(self.documents(), pk)
        query = self.query(ChunkQuery)
        chunks = document.chunks.defer("embedding", "search")
        if section := query.get("section"):
            part = find_node(outline(document)[1], section)
            if part is None:
                raise Problem(404, f"This document has no part {section}: its outline says which there are.")
            chunks = chunks.filter(position__range=(part.first_position, part.last_position))
        answer = page(
            request, chunks, query, lambda rows: ChunkSerializer(rows, many=True).data, order=("position",)
        )
        return Response(answer)


class DocumentOutline(DocumentView):
    etags = True

    def get(self, request: Request, pk: UUID) -> HttpResponseBase:
        version, parts = outline(self.find(self.documents(), pk))
        return tagged(request, OutlineSerializer({"version": version, "parts": parts}).data)


def accept_upload(file: File[bytes], take: Callable[[], T]) -> T:
    """What the service made of the file; its refusal as a problem. The same file once more is the view's to tell."""
    try:
        return take()
    except UnchangedFile:
        raise
    except StorageFailed as reason:
        raise Problem(503, str(reason)) from None
    except UploadRefused as reason:
        too_large = file.size > settings.LECTERN_MAX_UPLOAD_MB * 1024 * 1024
        raise Problem(413 if too_large else 422, str(reason), errors={"file": [str(reason)]}) from None
