"""The OpenAPI description of the document routes, the same for both kinds of documents."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiResponse, extend_schema, extend_schema_view

from corpus.web.document_api import DocumentView
from corpus.web.serializers import (
    ChunkQuery,
    ChunkSerializer,
    DocumentQuery,
    DocumentSerializer,
    FileSerializer,
    NewDocumentSerializer,
    OutlineSerializer,
)
from rest.pagination import page_of

V = TypeVar("V", bound=type[DocumentView])

REFUSED = OpenApiResponse(description="The file is refused, for example because it is empty; `detail` says why.")


class DocumentApiDocs:
    """Class decorators that describe the views of one kind of documents.

    `noun` names a document in texts and, with underscores, in operation ids. `changes` precedes the description of each
    change, such as "For admins. ".
    """

    def __init__(
        self,
        noun: str,
        *,
        tag: str,
        serializer: type[DocumentSerializer] = DocumentSerializer,
        changes: str = "",
    ) -> None:
        self._noun, self._tag, self._serializer, self._changes = noun, tag, serializer, changes

    def list(
        self,
        *,
        get: str,
        post: str,
        query: type[DocumentQuery] = DocumentQuery,
        new: type[NewDocumentSerializer] = NewDocumentSerializer,
    ) -> Callable[[V], V]:
        """For the list of documents and uploads."""
        created = OpenApiResponse(self._serializer, description="It was added and waits to be indexed.")
        known = OpenApiResponse(self._serializer, description="The same file was there already; nothing was added.")
        return extend_schema_view(
            get=self._operation("list_{}s", "List {}s", get, parameters=[query], responses=page_of(self._serializer)),
            post=self._operation(
                "upload_{}",
                "Upload a {}",
                self._changes + post,
                request={"multipart/form-data": new},
                responses={201: created, 200: known, 422: REFUSED},
            ),
        )

    def one(self, *, patch: tuple[str, str], change: type[Any]) -> Callable[[V], V]:
        """For one document. `patch` is the summary and the description of a change."""
        return extend_schema_view(
            get=self._operation(
                "read_{}",
                "Read a {}’s record",
                "Its title and description, the progress of indexing, and its newest file.",
                responses=self._serializer,
            ),
            patch=self._operation(
                "change_{}", patch[0], self._changes + patch[1], request=change, responses=self._serializer
            ),
            delete=self._operation(
                "delete_{}",
                "Delete a {}",
                f"{self._changes}With its files and versions. Answers that cited it keep what they quoted.",
                responses={204: OpenApiResponse(description="It is deleted.")},
            ),
        )

    def file(self, *, get: str) -> Callable[[V], V]:
        """For the file of a document."""
        return extend_schema_view(
            get=self._operation(
                "download_{}",
                "Download a {}’s file",
                get,
                responses={(200, "application/octet-stream"): OpenApiTypes.BINARY},
            ),
            put=self._operation(
                "replace_{}",
                "Replace a {}’s file",
                f"{self._changes}Adds a new version; the old one answers until the new one is indexed. An identical "
                "file changes nothing, unless it could not be read: then it is read again.",
                request={"multipart/form-data": FileSerializer},
                responses={200: self._serializer, 422: REFUSED},
            ),
        )

    def chunks(self, view: V) -> V:
        """For the chunks of a document."""
        operation = self._operation(
            "list_{}_chunks",
            "List a {}’s chunks",
            "The pieces of the version that answers, in order: what is searched and cited. With `section` those of "
            "one part of the outline.",
            parameters=[ChunkQuery],
            responses=page_of(ChunkSerializer),
        )
        return extend_schema_view(get=operation)(view)

    def outline(self, view: V) -> V:
        """For the outline of a document."""
        operation = self._operation(
            "read_{}_outline",
            "Read a {}’s outline",
            "The modules, chapters and sections of a textbook, or the headings of any other document, as a tree: the "
            "label to cite, the file and lines or page, and the chunks of each.",
            responses=OutlineSerializer,
        )
        return extend_schema_view(get=operation)(view)

    def _operation(self, operation_id: str, summary: str, description: str, **schema: Any) -> Any:
        return extend_schema(
            operation_id=operation_id.format(self._noun.replace(" ", "_")),
            tags=[self._tag],
            summary=summary.format(self._noun),
            description=description,
            **schema,
        )
