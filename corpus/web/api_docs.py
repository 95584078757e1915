"""The API routes of one kind of documents, with their OpenAPI description."""

from __future__ import annotations

from functools import partial
from typing import Any

from django.urls import URLPattern, path
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
from corpus.web.kinds import DocumentKind
from corpus.web.serializers import ChunkQuery, ChunkSerializer, FileSerializer, OutlineSerializer
from rest.pagination import make_page_serializer

REFUSED = OpenApiResponse(description="The file is refused, for example because it is empty; `detail` says why.")


def api_routes(kind: DocumentKind) -> list[URLPattern]:
    """The routes of documents of a kind."""
    views = {
        ("", "s"): make_view(DocumentList, kind, **_describe_list(kind)),
        ("/<uuid:pk>", ""): make_view(OneDocument, kind, **_describe_one(kind)),
        ("/<uuid:pk>/file", "-file"): make_view(DocumentFile, kind, **_describe_file(kind)),
        ("/<uuid:pk>/chunks", "-chunks"): make_view(DocumentChunks, kind, get=_describe_chunks(kind)),
        ("/<uuid:pk>/outline", "-outline"): make_view(DocumentOutline, kind, get=_describe_outline(kind)),
    }
    return [path(route, view.as_view(), name=kind.api_name + suffix) for (route, suffix), view in views.items()]


def make_view(base: type[DocumentView], kind: DocumentKind, **operations: object) -> type[DocumentView]:
    """The view for documents of a kind, with the description of each of its methods."""
    return extend_schema_view(**operations)(type(f"{kind.model.__name__}{base.__name__}", (base,), {"kind": kind}))


def describe_operation(kind: DocumentKind, operation_id: str, summary: str, description: str, **schema: Any) -> object:
    """The description of one method. `{}` in its id and summary stands for the noun of the kind."""
    return extend_schema(
        operation_id=operation_id.format(kind.api.noun.replace(" ", "_")),
        tags=[kind.api.tag],
        summary=summary.format(kind.api.noun),
        description=description,
        **schema,
    )


def describe_change(kind: DocumentKind, text: str) -> str:
    """The description of a change, which says so where only admins may."""
    return f"For admins. {text}" if kind.is_shared else text


def _describe_list(kind: DocumentKind) -> dict[str, object]:
    describe, shown = partial(describe_operation, kind), kind.serializer
    created = OpenApiResponse(shown, description="It was added and waits to be indexed.")
    known = OpenApiResponse(shown, description="The same file was there already; nothing was added.")
    upload = {
        "request": {"multipart/form-data": kind.new},
        "responses": {201: created, 200: known, 422: REFUSED},
    }
    pages = {"parameters": [kind.query], "responses": make_page_serializer(shown)}
    return {
        "get": describe("list_{}s", "List {}s", kind.api.list, **pages),
        "post": describe("upload_{}", "Upload a {}", describe_change(kind, kind.api.upload), **upload),
    }


def _describe_one(kind: DocumentKind) -> dict[str, object]:
    describe, shown = partial(describe_operation, kind), kind.serializer
    record = "Its title and description, the progress of indexing, and its newest file."
    effect = describe_change(kind, kind.api.change_effect)
    deletion = describe_change(kind, "With its files and versions. Answers that cited it keep what they quoted.")
    deleted = {204: OpenApiResponse(description="It is deleted.")}
    return {
        "get": describe("read_{}", "Read a {}’s record", record, responses=shown),
        "patch": describe("change_{}", kind.api.change, effect, request=kind.change, responses=shown),
        "delete": describe("delete_{}", "Delete a {}", deletion, responses=deleted),
    }


def _describe_file(kind: DocumentKind) -> dict[str, object]:
    describe = partial(describe_operation, kind)
    effect = describe_change(
        kind,
        "Adds a new version; the old one answers until the new one is indexed. An identical file changes nothing, "
        "unless it could not be read: then it is read again.",
    )
    download = {"responses": {(200, "application/octet-stream"): OpenApiTypes.BINARY}}
    replace = {
        "request": {"multipart/form-data": FileSerializer},
        "responses": {200: kind.serializer, 422: REFUSED},
    }
    return {
        "get": describe("download_{}", "Download a {}’s file", kind.api.file, **download),
        "put": describe("replace_{}", "Replace a {}’s file", effect, **replace),
    }


def _describe_chunks(kind: DocumentKind) -> object:
    text = (
        "The pieces of the version that answers, in order: what is searched and cited. With `section` those of one "
        "part of the outline."
    )
    pages = {"parameters": [ChunkQuery], "responses": make_page_serializer(ChunkSerializer)}
    return describe_operation(kind, "list_{}_chunks", "List a {}’s chunks", text, **pages)


def _describe_outline(kind: DocumentKind) -> object:
    text = (
        "The modules, chapters and sections of a textbook, or the headings of any other document, as a tree: the label "
        "to cite, the file and lines or page, and the chunks of each."
    )
    return describe_operation(kind, "read_{}_outline", "Read a {}’s outline", text, responses=OutlineSerializer)
