"""Serializers of documents, chunks and outlines of both kinds."""

from __future__ import annotations

from typing import Any

from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers

from corpus.models import Chunk, Stage, Status
from corpus.reading.outline import NODE_KINDS, Node
from rest.pagination import PageQuery

ORDERINGS = ("created_at", "updated_at", "title", "subject", "status")

_SUBJECT = "Such as Chemistry."
_TITLE = "By default the title in the file, once it is indexed; the file name until then, or if there is none."


class DocumentQuery(PageQuery):
    """The filters of a list of documents."""

    status = serializers.ChoiceField(choices=Status.choices, required=False, help_text="The progress of indexing.")
    search = serializers.CharField(
        required=False,
        allow_blank=True,
        max_length=200,
        help_text="Words of title, description, tags or file name, or of the text.",
    )
    subject = serializers.CharField(required=False, allow_blank=True, max_length=60, help_text=_SUBJECT)
    ordering = serializers.ChoiceField(
        choices=[sign + name for name in ORDERINGS for sign in ("", "-")],
        required=False,
        default="-created_at",
        help_text="The field to order by; with `-` the other way round.",
    )


class ProgressSerializer(serializers.Serializer[object]):
    """The progress of indexing in pages or chunks, depending on the stage."""

    stage = serializers.ChoiceField(choices=Stage.choices, allow_null=True)
    done = serializers.IntegerField(source="progress_done")
    total = serializers.IntegerField(source="progress_total")

    def to_representation(self, instance: object) -> dict[str, Any]:
        shown = super().to_representation(instance)
        return shown | {"stage": shown["stage"] or None}


class DocumentSerializer(serializers.Serializer[object]):
    """A document with its newest file; of a `corpus.web.listing.ListEntry`."""

    id = serializers.UUIDField(source="document.id")
    title = serializers.CharField(source="document.title")
    subject = serializers.CharField(source="document.subject", help_text="Empty if it has none.")
    status = serializers.ChoiceField(choices=Status.choices, source="document.status")
    progress = ProgressSerializer(source="document")
    failure_reason = serializers.CharField(
        source="document.failure_reason",
        help_text="For people; empty if nothing failed. While it is queued: why it waits.",
    )
    version = serializers.IntegerField(source="document.version", help_text="The number of the newest version, from 1.")
    answering_version = serializers.IntegerField(
        source="document.answering_version",
        allow_null=True,
        help_text="The version whose chunks are stored; null before the first is indexed.",
    )
    chunk_count = serializers.IntegerField(source="document.chunk_count")
    filename = serializers.CharField(source="newest.filename")
    size = serializers.IntegerField(source="newest.size", help_text="Bytes of the newest file.")
    content_hash = serializers.CharField(source="newest.content_hash", help_text="SHA-256 of the newest file.")
    web_address = serializers.CharField(
        source="newest.web_address", help_text="Of a web page that was fetched; empty for a file."
    )
    fetched_at = serializers.DateTimeField(
        source="newest.fetched_at", allow_null=True, help_text="When that page last had this text."
    )
    notes = serializers.ListField(
        child=serializers.CharField(),
        source="newest.notes",
        help_text="Warnings about the newest file, for people.",
    )
    created_at = serializers.DateTimeField(source="document.created_at")
    updated_at = serializers.DateTimeField(source="document.updated_at")


class ChunkSerializer(serializers.Serializer[object]):
    """A piece of the text. Chunks do not overlap."""

    position = serializers.IntegerField(help_text="Its number in the document, from 0.")
    heading_path = serializers.ListField(child=serializers.CharField(), help_text="Its headings, outermost first.")
    label = serializers.CharField(  # type: ignore[assignment]
        help_text="The label to cite it by in a textbook, “Module 1, Chapter 2, Section 3”; else empty."
    )
    file_path = serializers.CharField(help_text="Of the file within a textbook; the lines refer to it.")
    page = serializers.IntegerField(allow_null=True)
    line_range = serializers.SerializerMethodField()
    text = serializers.CharField()
    tokens = serializers.IntegerField()

    def get_line_range(self, chunk: Chunk) -> list[int] | None:
        return [chunk.line_start, chunk.line_end or chunk.line_start] if chunk.line_start else None


class ChunkQuery(PageQuery):
    """The filters of a list of chunks."""

    section = serializers.RegexField(
        r"^[0-9]{1,6}(\.[0-9]{1,6}){0,9}$",
        required=False,
        help_text="Only those of this part of the outline and all parts below it: its `id`, such as “1.2.3”.",
    )


class PartSerializer(serializers.Serializer[object]):
    """A part of a document: a module, chapter or section of a textbook, or another heading, with the parts below it."""

    id = serializers.CharField(help_text="Its path in the tree, such as “1.2.3”; stable within a version.")
    parent_id = serializers.CharField(allow_null=True, help_text="The id of the part above it.")
    kind = serializers.ChoiceField(choices=NODE_KINDS, help_text="`heading` has no number, `text` has no heading.")
    level = serializers.IntegerField(help_text="Its depth, from 1.")
    title = serializers.CharField()
    number = serializers.CharField(help_text="Within the part above, such as “2”; empty if it has none.")
    label = serializers.CharField(  # type: ignore[assignment]
        help_text="The label to cite it by, such as “Module 1, Chapter 2”."
    )
    file_path = serializers.CharField()
    line_range = serializers.SerializerMethodField()
    page = serializers.IntegerField(allow_null=True)
    chunk_count = serializers.IntegerField(help_text="Including all parts below it.")
    positions = serializers.SerializerMethodField()
    children = serializers.SerializerMethodField()

    def get_line_range(self, part: Node) -> list[int] | None:
        return [part.line_start, part.line_end or part.line_start] if part.line_start else None

    def get_positions(self, part: Node) -> list[int]:
        """The positions of its first and last chunk."""
        return [part.first_position, part.last_position]

    @extend_schema_field({"type": "array", "items": {"$ref": "#/components/schemas/Part"}})
    def get_children(self, part: Node) -> list[Any]:
        return list(PartSerializer(part.children, many=True).data)


class OutlineSerializer(serializers.Serializer[object]):
    """The outline of the version that answers."""

    version = serializers.IntegerField(allow_null=True, help_text="Null before the first one is indexed.")
    parts = PartSerializer(many=True)


class FileSerializer(serializers.Serializer[object]):
    """A file. Its content decides the format, not its name."""

    file = serializers.FileField(allow_empty_file=True, help_text="The file itself.")


class NewDocumentSerializer(FileSerializer):
    """A new document."""

    title = serializers.CharField(required=False, allow_blank=True, max_length=200, help_text=_TITLE)
    subject = serializers.CharField(required=False, allow_blank=True, max_length=60, help_text=_SUBJECT)


class DocumentChangeSerializer(serializers.Serializer[object]):
    """A change of a document."""

    title = serializers.CharField(max_length=200, required=False)
    subject = serializers.CharField(required=False, allow_blank=True, max_length=60, help_text=_SUBJECT)
