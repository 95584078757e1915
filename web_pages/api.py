"""REST API: add a web page as a document, and fetch it again."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar
from uuid import UUID

from django.http.response import HttpResponseBase
from django.urls import reverse
from drf_spectacular.utils import OpenApiResponse, extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from corpus.ingestion.storage import StorageFailed, UploadRefused
from corpus.web.document_api import DocumentView
from corpus.web.serializers import DocumentSerializer
from knowledge import services as knowledge
from knowledge.api import PersonalDocumentView
from references.web_page import PageRefused
from rest.etags import tagged
from rest.problems import Problem
from school_library import services as library
from school_library.api import LibraryView
from school_library.serializers import LibraryDocumentSerializer
from web_pages.adding import Upload, add_page, fetch_again

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


class AddressSerializer(serializers.Serializer[Any]):
    """The address of a web page."""

    address = serializers.CharField(max_length=2000, help_text="As it stands in the address line of a browser.")


class _Adding(DocumentView):
    def add(self, upload: Upload) -> HttpResponseBase:
        self.check_may_change()
        address = self.body(AddressSerializer)["address"]
        added = _fetched(
            lambda: add_page(school=self.member.school, address=address, documents=self.documents(), upload=upload)
        )
        headers = {"Location": reverse(f"api:{self.name}", args=[added.document.pk])}
        return Response(self.document(added.document), status=201 if added.is_new else 200, headers=headers)


class _Fetching(DocumentView):
    etags = True

    def fetch(self, pk: UUID) -> HttpResponseBase:
        document = self.find(self.documents(), pk)
        self.check_may_change()
        if not document.newest.web_address:
            raise Problem(422, _NO_PAGE)
        _fetched(lambda: fetch_again(document, by=self.member.user))
        return tagged(self.request, self.document(document))


class AddPersonalPage(PersonalDocumentView, _Adding):
    @extend_schema(
        operation_id="add_web_page",
        tags=["documents"],
        summary="Add a web page as a document",
        description=_ADD,
        request=AddressSerializer,
        responses={
            201: OpenApiResponse(DocumentSerializer, description=_ADDED),
            200: OpenApiResponse(DocumentSerializer, description=_KNOWN),
            422: _REFUSED,
        },
    )
    def post(self, request: Request) -> HttpResponseBase:
        return self.add(
            lambda file, title, origin: knowledge.upload(member=self.member, file=file, title=title, origin=origin)
        )


class AddLibraryPage(LibraryView, _Adding):
    @extend_schema(
        operation_id="add_library_web_page",
        tags=["library"],
        summary="Add a web page to the library",
        description=f"For admins. {_ADD}",
        request=AddressSerializer,
        responses={
            201: OpenApiResponse(LibraryDocumentSerializer, description=_ADDED),
            200: OpenApiResponse(LibraryDocumentSerializer, description=_KNOWN),
            422: _REFUSED,
        },
    )
    def post(self, request: Request) -> HttpResponseBase:
        return self.add(
            lambda file, title, origin: library.upload(member=self.member, file=file, title=title, origin=origin)
        )


class FetchPersonalPage(PersonalDocumentView, _Fetching):
    @extend_schema(
        operation_id="fetch_web_page",
        tags=["documents"],
        summary="Fetch a web page again",
        description=_AGAIN,
        request=None,
        responses={200: DocumentSerializer, 422: _REFUSED},
    )
    def post(self, request: Request, pk: UUID) -> HttpResponseBase:
        return self.fetch(pk)


class FetchLibraryPage(LibraryView, _Fetching):
    @extend_schema(
        operation_id="fetch_library_web_page",
        tags=["library"],
        summary="Fetch a web page of the library again",
        description=f"For admins. {_AGAIN}",
        request=None,
        responses={200: LibraryDocumentSerializer, 422: _REFUSED},
    )
    def post(self, request: Request, pk: UUID) -> HttpResponseBase:
        return self.fetch(pk)


def _fetched(service: Callable[[], T]) -> T:
    """The result of a service, with refusals as problems."""
    try:
        return service()
    except StorageFailed as reason:
        raise Problem(503, str(reason)) from None
    except (PageRefused, UploadRefused) as reason:
        raise Problem(422, str(reason), errors={"address": [str(reason)]}) from None
