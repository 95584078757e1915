"""REST API: add a web page as a document, and fetch it again."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar
from uuid import UUID

from django.http.response import HttpResponseBase
from drf_spectacular.utils import OpenApiResponse
from rest_framework import serializers
from rest_framework.request import Request

from corpus.ingestion.storage import StorageFailed, UploadRefused
from corpus.web.api_docs import describe_change, describe_operation, make_view
from corpus.web.document_api import DocumentView
from corpus.web.kinds import DocumentKind
from references.web_page import PageRefused
from rest.etags import add_etag
from rest.problems import Problem
from web_pages.adding import add_page, fetch_again

T = TypeVar("T")
_REFUSED = OpenApiResponse(description="The page is refused; `detail` says why, such as that your school allows none.")
_ADDED = "It was added and waits to be indexed."
_KNOWN = "You have this page, or the very same text, already; nothing was added."
_NO_PAGE = "This document is a file, not a web page: there is nothing to fetch."
_ADD = (
    "Fetches a page and adds its text, where your school allows web pages as documents. Only public addresses are "
    "fetched. The document carries the address and the time."
)
_AGAIN = "Adds a new version if the page has changed; the old one answers until the new one is indexed."


class AddressSerializer(serializers.Serializer[object]):
    """The address of a web page."""

    address = serializers.CharField(max_length=2000, help_text="As it stands in the address line of a browser.")


class AddPage(DocumentView):
    """POST: a page as a document."""

    def post(self, request: Request) -> HttpResponseBase:
        self.check_may_change()
        address = self.body(AddressSerializer)["address"]
        return self.added(*_refuse_as_problem(lambda: add_page(self.kind, self.member, address)))


class FetchPage(DocumentView):
    """POST: fetch the page of a document again."""

    etags = True

    def post(self, request: Request, pk: UUID) -> HttpResponseBase:
        document = self.find(self.documents(), pk)
        self.check_may_change()
        if not document.newest.web_address:
            raise Problem(422, _NO_PAGE)
        _refuse_as_problem(lambda: fetch_again(document, by=self.member.user))
        return add_etag(self.request, self.document(document))


def make_add_view(kind: DocumentKind, *, operation_id: str, summary: str) -> type[DocumentView]:
    """The view that adds a page to the documents of a kind."""
    responses = {
        201: OpenApiResponse(kind.serializer, description=_ADDED),
        200: OpenApiResponse(kind.serializer, description=_KNOWN),
        422: _REFUSED,
    }
    text = describe_change(kind, _ADD)
    schema = {"request": AddressSerializer, "responses": responses}
    return make_view(AddPage, kind, post=describe_operation(kind, operation_id, summary, text, **schema))


def make_fetch_view(kind: DocumentKind, *, operation_id: str, summary: str) -> type[DocumentView]:
    """The view that fetches the page of a document of a kind again."""
    text = describe_change(kind, _AGAIN)
    schema = {"request": None, "responses": {200: kind.serializer, 422: _REFUSED}}
    return make_view(FetchPage, kind, post=describe_operation(kind, operation_id, summary, text, **schema))


def _refuse_as_problem(service: Callable[[], T]) -> T:
    """The result of a service, with refusals as problems."""
    try:
        return service()
    except StorageFailed as reason:
        raise Problem(503, str(reason)) from None
    except (PageRefused, UploadRefused) as reason:
        raise Problem(422, str(reason), errors={"address": [str(reason)]}) from None
