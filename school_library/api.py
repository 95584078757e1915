"""The school's library by the API: every member reads it, its admins keep it."""

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
from corpus.web.serializers import ChunkQuery, ChunkSerializer, FileSerializer, OutlineSerializer
from rest.pagination import page_of
from school_library import services
from school_library.browsing import browse
from school_library.models import SchoolDocument, SchoolDocumentQuerySet
from school_library.serializers import (
    LibraryDocumentChangeSerializer,
    LibraryDocumentSerializer,
    LibraryQuery,
    NewLibraryDocumentSerializer,
)

TAGS = ["library"]
REFUSED = OpenApiResponse(description="The file cannot be taken, such as an empty one; `detail` says why.")


class Library(DocumentView):
    serializer = LibraryDocumentSerializer
    name = "library-document"

    def documents(self) -> SchoolDocumentQuerySet:
        return SchoolDocument.objects.for_member(self.member)

    def may_change(self) -> None:
        self.must_be_admin()


@extend_schema_view(
    get=extend_schema(
        operation_id="list_library_documents",
        tags=TAGS,
        summary="List the library",
        description="The school’s documents, the latest first: for admins all of them, for teachers what is "
        "published and has been read.",
        parameters=[LibraryQuery],
        responses=page_of(LibraryDocumentSerializer),
    ),
    post=extend_schema(
        operation_id="upload_library_document",
        tags=TAGS,
        summary="Upload a document to the library",
        description="For admins. Takes in a file, published, and has it indexed. A file that the library has already, "
        "byte for byte, is that document.",
        request={"multipart/form-data": NewLibraryDocumentSerializer},
        responses={
            201: OpenApiResponse(
                LibraryDocumentSerializer, description="It was taken in and waits to be indexed."
            ),
            200: OpenApiResponse(
                LibraryDocumentSerializer, description="This very file was there; nothing was added."
            ),
            422: REFUSED,
        },
    ),
)
class Documents(Library, DocumentList):
    new = NewLibraryDocumentSerializer
    narrowed = LibraryQuery

    def wanted(self, query: dict[str, Any]) -> SchoolDocumentQuerySet:
        documents = self.documents() if self.member.is_admin else self.documents().searchable()
        return browse(
            documents,
            words=query.get("search", ""),
            subject=query.get("subject", ""),
            grade=query.get("grade", ""),
        )

    def take(self, sent: dict[str, Any]) -> tuple[SchoolDocument, bool]:
        return services.upload(member=self.member, **sent)


@extend_schema_view(
    get=extend_schema(
        operation_id="read_library_document",
        tags=TAGS,
        summary="Read the record of a library document",
        description="What it is called, whom it is for, how far indexing is, and what its newest file is.",
        responses=LibraryDocumentSerializer,
    ),
    patch=extend_schema(
        operation_id="change_library_document",
        tags=TAGS,
        summary="Describe, publish or withdraw a library document",
        description="For admins. A withdrawn document is gone from answers with the next question.",
        request=LibraryDocumentChangeSerializer,
        responses=LibraryDocumentSerializer,
    ),
    delete=extend_schema(
        operation_id="delete_library_document",
        tags=TAGS,
        summary="Delete a library document",
        description="For admins. With its file and every version. Answers that cited it keep what they quoted.",
        responses={204: OpenApiResponse(description="It is deleted.")},
    ),
)
class Document(Library, OneDocument):
    change = LibraryDocumentChangeSerializer

    def alter(self, document: SchoolDocument, change: dict[str, Any]) -> None:
        named = {name: change.get(name, getattr(document, name)) for name in _DESCRIBED}
        if named != {name: getattr(document, name) for name in _DESCRIBED}:
            services.describe(document=document, **named)
        if "published" in change:
            services.set_published(document=document, published=change["published"])


_DESCRIBED = ("title", "description", "subject", "grade")


@extend_schema_view(
    get=extend_schema(
        operation_id="download_library_document",
        tags=TAGS,
        summary="Download the file of a library document",
        description="For admins the newest file, for teachers the one that answers.",
        responses={(200, "application/octet-stream"): OpenApiTypes.BINARY},
    ),
    put=extend_schema(
        operation_id="replace_library_document",
        tags=TAGS,
        summary="Replace the file of a library document",
        description="For admins. Takes in a new version; the old one answers until the new one is indexed. The file "
        "that is in place changes nothing, unless it could not be read: then it is read again.",
        request={"multipart/form-data": FileSerializer},
        responses={200: LibraryDocumentSerializer, 422: REFUSED},
    ),
)
class File(Library, DocumentFile):
    def readable_version(self, document: SchoolDocument) -> int:
        return document.version if self.member.is_admin else document.answering_version or document.version


@extend_schema_view(
    get=extend_schema(
        operation_id="list_library_document_chunks",
        tags=TAGS,
        summary="List the chunks of a library document",
        description="The pieces of the version that answers, in their order: what is searched and cited. With "
        "`section` those of one part of it.",
        parameters=[ChunkQuery],
        responses=page_of(ChunkSerializer),
    ),
)
class Chunks(Library, DocumentChunks):
    pass


@extend_schema_view(
    get=extend_schema(
        operation_id="read_library_document_outline",
        tags=TAGS,
        summary="Read the outline of a library document",
        description="The modules, chapters and sections of a textbook, or the headings of any other document, as a "
        "tree: what each is cited as, its file and lines or page, and its chunks.",
        responses=OutlineSerializer,
    ),
)
class Outline(Library, DocumentOutline):
    pass
