"""REST API of a teacher's personal documents."""

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
from corpus.web.serializers import DocumentChangeSerializer
from knowledge import services
from knowledge.models import PersonalDocument, PersonalDocumentQuerySet

docs = DocumentApiDocs("document", tag="documents")


class PersonalDocumentView(DocumentView):
    """The member's own documents."""

    name = "document"

    def documents(self) -> PersonalDocumentQuerySet:
        return PersonalDocument.objects.for_member(self.member)


@docs.list(
    get="Your own documents in this school, the latest first.",
    post="Adds a file and queues it for indexing: read the document until its status is `ready` or `failed`. Formats: "
    "PDF, DOCX, PPTX, XLSX, CSV, HTML, EPUB, Markdown, a textbook as a ZIP file of Markdown files, plain text and, if "
    "the server can read scans, pictures. If you have the same file already, the answer is that document.",
)
class PersonalDocumentList(PersonalDocumentView, DocumentList):
    def create(self, sent: dict[str, Any]) -> tuple[PersonalDocument, bool]:
        return services.upload(member=self.member, **sent)


@docs.one(
    patch=(
        "Rename a document, or file it under a subject",
        "Its passages are found by the new title from the next question on.",
    ),
    change=DocumentChangeSerializer,
)
class OnePersonalDocument(PersonalDocumentView, OneDocument):
    change = DocumentChangeSerializer

    def update(self, document: PersonalDocument, change: dict[str, Any]) -> None:
        subject = change.get("subject", document.subject)
        services.describe(document=document, title=change.get("title"), subject=subject)


@docs.file(get="The newest file as it was uploaded.")
class PersonalDocumentFile(PersonalDocumentView, DocumentFile):
    pass


@docs.chunks
class PersonalDocumentChunks(PersonalDocumentView, DocumentChunks):
    pass


@docs.outline
class PersonalDocumentOutline(PersonalDocumentView, DocumentOutline):
    pass
