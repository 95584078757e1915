"""REST API of the school library: every member reads it, admins change it."""

from __future__ import annotations

from typing import Any

from corpus.web.api_docs import DocumentApiDocs
from corpus.web.document_api import (
    DocumentChunks,
    DocumentFile,
    DocumentList,
    DocumentOutline,
    DocumentView,
    OneDocument,
)
from school_library import services
from school_library.models import SchoolDocument, SchoolDocumentQuerySet
from school_library.search import browse
from school_library.serializers import (
    LibraryDocumentChangeSerializer,
    LibraryDocumentSerializer,
    LibraryQuery,
    NewLibraryDocumentSerializer,
)

docs = DocumentApiDocs("library document", tag="library", serializer=LibraryDocumentSerializer, changes="For admins. ")
_TAGS = ("description", "subject", "grade")


class LibraryView(DocumentView):
    """The documents of the library that the member may see."""

    serializer = LibraryDocumentSerializer
    name = "library-document"

    def documents(self) -> SchoolDocumentQuerySet:
        return SchoolDocument.objects.for_member(self.member)

    def check_may_change(self) -> None:
        self.must_be_admin()


@docs.list(
    get="The school’s documents, the latest first. Teachers get those that are published and indexed.",
    post="Adds a file, published, and queues it for indexing. If the library has the same file already, the answer is "
    "that document.",
    query=LibraryQuery,
    new=NewLibraryDocumentSerializer,
)
class LibraryDocumentList(LibraryView, DocumentList):
    new = NewLibraryDocumentSerializer
    filters = LibraryQuery

    def filtered(self, query: dict[str, Any]) -> SchoolDocumentQuerySet:
        documents = self.documents() if self.member.is_admin else self.documents().searchable()
        return browse(
            documents,
            words=query.get("search", ""),
            subject=query.get("subject", ""),
            grade=query.get("grade", ""),
        )

    def create(self, sent: dict[str, Any]) -> tuple[SchoolDocument, bool]:
        return services.upload(member=self.member, **sent)


@docs.one(
    patch=(
        "Describe, publish or withdraw a library document",
        "A withdrawn document is gone from answers with the next question.",
    ),
    change=LibraryDocumentChangeSerializer,
)
class OneLibraryDocument(LibraryView, OneDocument):
    change = LibraryDocumentChangeSerializer

    def update(self, document: SchoolDocument, change: dict[str, Any]) -> None:
        if change.keys() & {"title", *_TAGS}:
            tags = {name: change.get(name, getattr(document, name)) for name in _TAGS}
            services.describe(document=document, title=change.get("title"), **tags)
        if "published" in change:
            services.set_published(document=document, published=change["published"])


@docs.file(get="The newest file for admins, the file of the version that answers for teachers.")
class LibraryDocumentFile(LibraryView, DocumentFile):
    def readable_version(self, document: SchoolDocument) -> int:
        return document.version if self.member.is_admin else document.answering_version or document.version


@docs.chunks
class LibraryDocumentChunks(LibraryView, DocumentChunks):
    pass


@docs.outline
class LibraryDocumentOutline(LibraryView, DocumentOutline):
    pass
