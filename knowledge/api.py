"""A teacher's own documents by the API."""

from __future__ import annotations

from typing import Any

from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiResponse, extend_schema, extend_schema_view

from corpus.web.document_api import (
    DocumentChunks,
    DocumentFile,
    DocumentList,
    DocumentOutline,
    DocumentView,
    OneDocument,
)
from corpus.web.serializers import (
    ChunkQuery,
    ChunkSerializer,
    DocumentChangeSerializer,
    DocumentQuery,
    DocumentSerializer,
    FileSerializer,
    NewDocumentSerializer,
    OutlineSerializer,
)
from knowledge import services
from knowledge.models import PersonalDocument, PersonalDocumentQuerySet
from rest.pagination import page_of

TAGS = ["documents"]
REFUSED = OpenApiResponse(description="The file cannot be taken, such as an empty one; `detail` says why.")


class Own(DocumentView):
    name = "document"

    def documents(self) -> PersonalDocumentQuerySet:
        return PersonalDocument.objects.for_member(self.member)


@extend_schema_view(
    get=extend_schema(
        operation_id="list_documents",
        tags=TAGS,
        summary="List your documents",
        description="Your own documents in this school, the latest first.",
        parameters=[DocumentQuery],
        responses=page_of(DocumentSerializer),
    ),
    post=extend_schema(
        operation_id="upload_document",
        tags=TAGS,
        summary="Upload a document",
        description="Takes in a file and has it indexed: ask for the document until its status is `ready` or "
        "`failed`. PDF, DOCX, PPTX, XLSX, CSV, HTML, EPUB, Markdown, a textbook as a ZIP file of Markdown files, "
        "plain text and, where the server reads scans, pictures. A file that you have already, byte for byte, is "
        "that document.",
        request={"multipart/form-data": NewDocumentSerializer},
        responses={
            201: OpenApiResponse(DocumentSerializer, description="It was taken in and waits to be indexed."),
            200: OpenApiResponse(
                DocumentSerializer, description="This very file was there; nothing was added."
            ),
            422: REFUSED,
        },
    ),
)
class Documents(Own, DocumentList):
    def take(self, sent: dict[str, Any]) -> tuple[PersonalDocument, bool]:
        return services.upload(member=self.member, file=sent["file"], title=sent.get("title", ""))


@extend_schema_view(
    get=extend_schema(
        operation_id="read_document",
        tags=TAGS,
        summary="Read a document’s record",
        description="What it is called, how far indexing is, and what its newest file is.",
        responses=DocumentSerializer,
    ),
    patch=extend_schema(
        operation_id="change_document",
        tags=TAGS,
        summary="Rename a document",
        description="Its passages are found by the new title from the next question on.",
        request=DocumentChangeSerializer,
        responses=DocumentSerializer,
    ),
    delete=extend_schema(
        operation_id="delete_document",
        tags=TAGS,
        summary="Delete a document",
        description="With its file and every version. Answers that cited it keep what they quoted.",
        responses={204: OpenApiResponse(description="It is deleted.")},
    ),
)
class Document(Own, OneDocument):
    change = DocumentChangeSerializer

    def alter(self, document: PersonalDocument, change: dict[str, Any]) -> None:
        if "title" in change:
            services.rename(document=document, title=change["title"])


@extend_schema_view(
    get=extend_schema(
        operation_id="download_document",
        tags=TAGS,
        summary="Download a document’s file",
        description="The newest file as it was uploaded.",
        responses={(200, "application/octet-stream"): OpenApiTypes.BINARY},
    ),
    put=extend_schema(
        operation_id="replace_document",
        tags=TAGS,
        summary="Replace a document’s file",
        description="Takes in a new version; the old one answers until the new one is indexed. The file that is in "
        "place changes nothing, unless it could not be read: then it is read again.",
        request={"multipart/form-data": FileSerializer},
        responses={200: DocumentSerializer, 422: REFUSED},
    ),
)
class File(Own, DocumentFile):
    pass


@extend_schema_view(
    get=extend_schema(
        operation_id="list_document_chunks",
        tags=TAGS,
        summary="List a document’s chunks",
        description="The pieces of the version that answers, in their order: what is searched and cited. With "
        "`section` those of one part of it.",
        parameters=[ChunkQuery],
        responses=page_of(ChunkSerializer),
    ),
)
class Chunks(Own, DocumentChunks):
    pass


@extend_schema_view(
    get=extend_schema(
        operation_id="read_document_outline",
        tags=TAGS,
        summary="Read the outline of a document",
        description="The modules, chapters and sections of a textbook, or the headings of any other document, as a "
        "tree: what each is cited as, its file and lines or page, and its chunks.",
        responses=OutlineSerializer,
    ),
)
class Outline(Own, DocumentOutline):
    pass
