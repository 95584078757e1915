"""What pages, forms and API routes need to know of a kind of documents: a teacher's own, or those of the library."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from django.core.files.base import File
from django.http import HttpResponseBase
from django.shortcuts import redirect
from django.urls import reverse

from corpus.ingestion import uploads
from corpus.models import Document
from corpus.querysets import DocumentQuerySet
from corpus.web.serializers import (
    DocumentChangeSerializer,
    DocumentQuery,
    DocumentSerializer,
    NewDocumentSerializer,
)
from schools.access import MemberRequest, must_be_admin
from schools.http import find
from schools.models import Membership


@dataclass(frozen=True)
class ApiTexts:
    """How the OpenAPI description names documents of a kind and what it says of their routes."""

    noun: str
    tag: str
    list: str
    upload: str
    change: str
    change_effect: str
    file: str


@dataclass(frozen=True)
class DocumentKind:
    """A kind of documents. Those of a shared kind are read by all members and changed by admins."""

    model: type[Document]
    documents: Callable[[Membership], DocumentQuerySet[Any]]
    """Those that a member may see."""
    value: str
    """Of its kind of source."""
    title: str
    api: ApiTexts
    is_shared: bool = False
    sort: str = "date"
    edit: str = "edit"
    """The name of the route on which title and tags are changed."""
    serializer: type[DocumentSerializer] = DocumentSerializer
    new: type[NewDocumentSerializer] = NewDocumentSerializer
    change: type[DocumentChangeSerializer] = DocumentChangeSerializer
    query: type[DocumentQuery] = DocumentQuery
    set_published: Callable[..., None] | None = None

    @property
    def app(self) -> str:
        return self.model._meta.app_label

    @property
    def api_name(self) -> str:
        """The name of the API route of one document."""
        return self.api.noun.replace(" ", "-")

    def listed(self, member: Membership) -> DocumentQuerySet[Any]:
        """Those in the member's list: without any that was never read, for whoever may only read."""
        documents = self.documents(member)
        return documents if self.may_change(member) else documents.searchable()

    def may_change(self, member: Membership) -> bool:
        return member.is_admin or not self.is_shared

    def check_may_change(self, member: Membership) -> None:
        """Raise PermissionDenied for a member who may only read these documents."""
        if self.is_shared:
            must_be_admin(member)

    def find(self, member: Membership, pk: UUID | None) -> Document:
        """A document that the member may see, or 404."""
        document: Document = find(self.documents(member), pk)
        return document

    def readable_version(self, member: Membership, document: Document) -> int:
        """The number of the version whose file a member gets: the one that answers, for whoever may only read."""
        answering = None if self.may_change(member) else document.answering_version
        return answering or document.version

    def upload(self, *, member: Membership, file: File[bytes], **fields: Any) -> tuple[Document, bool]:
        """Upload a file as a document of this kind: see `uploads.upload`."""
        return uploads.upload(self.model, member=member, file=file, **fields)

    def next_page(self, request: MemberRequest) -> str:
        """The page that asked for a document, if it is the one that makes a chatbot of documents."""
        return "chatbots:start" if request.GET.get("next") == "start" and not self.is_shared else ""

    def redirect_to(self, document: Document, page: str = "detail") -> HttpResponseBase:
        return redirect(reverse(f"{self.app}:{page}", args=[document.pk]))
