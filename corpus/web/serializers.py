"""Documents and their chunks as the API sends them, the same for a teacher's own and the library's."""

from __future__ import annotations

from typing import Any

from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers

from corpus.models import Chunk, Stage, Status
from corpus.reading.outline import NODE_KINDS, Node
from rest.pagination import PageQuery


class DocumentQuery(PageQuery):
    """What a list of documents can be narrowed to."""

    status = serializers.ChoiceField(choices=Status.choices, required=False, help_text="How far indexing is.")
    search = serializers.CharField(
        required=False, allow_blank=True, max_length=200, help_text="Words that all stand in the title."
    )


class ProgressSerializer(serializers.Serializer[Any]):
    """How far indexing is; what is counted depends on the stage: pages, or passages."""

    stage = serializers.ChoiceField(choices=Stage.choices, allow_null=True)
    done = serializers.IntegerField(source="progress_done")
    total = serializers.IntegerField(source="progress_total")

    def to_representation(self, instance: Any) -> dict[str, Any]:
        shown = super().to_representation(instance)
        return shown | {"stage": shown["stage"] or None}


class DocumentSerializer(serializers.Serializer[Any]):
    """A document with its newest file; of a `corpus.web.listing.Listed`."""

    id = serializers.UUIDField(source="document.id")
    title = serializers.CharField(source="document.title")
    status = serializers.ChoiceField(choices=Status.choices, source="document.status")
    progress = ProgressSerializer(source="document")
    failure_reason = serializers.CharField(
        source="document.failure_reason", help_text="In words for people; empty where nothing failed."
    )
    version = serializers.IntegerField(source="document.version", help_text="Of the newest upload, from 1.")
    answering_version = serializers.IntegerField(
        source="document.answering_version",
        allow_null=True,
        help_text="The one whose chunks are in place; null before the first is indexed.",
    )
    chunk_count = serializers.IntegerField(source="document.chunk_count")
    filename = serializers.CharField(source="newest.filename")
    size = serializers.IntegerField(source="newest.size", help_text="Bytes of the newest file.")
    content_hash = serializers.CharField(
        source="newest.content_hash", help_text="SHA-256 of the newest file."
    )
    notes = serializers.ListField(
        child=serializers.CharField(),
        source="newest.notes",
        help_text="What was odd about the newest file, in words for people.",
    )
    created_at = serializers.DateTimeField(source="document.created_at")
    updated_at = serializers.DateTimeField(source="document.updated_at")


class ChunkSerializer(serializers.Serializer[Any]):
    """A piece of the text, in the order of the document. Chunks do not overlap."""

    position = serializers.IntegerField(help_text="Its number in the document, from 0.")
    heading_path = serializers.ListField(
        child=serializers.CharField(), help_text="The headings above it, outermost first."
    )
    label = serializers.CharField(  # type: ignore[assignment]
        help_text="In a textbook as it is cited, “Module 1, Chapter 2, Section 3”; else empty."
    )
    file_path = serializers.CharField(help_text="In a textbook of several files; its lines are that file’s.")
    page = serializers.IntegerField(allow_null=True)
    line_range = serializers.SerializerMethodField()
    text = serializers.CharField()
    tokens = serializers.IntegerField()

    def get_line_range(self, chunk: Chunk) -> list[int] | None:
        return [chunk.line_start, chunk.line_end or chunk.line_start] if chunk.line_start else None


class ChunkQuery(PageQuery):
    """What the chunks of a document can be narrowed to."""

    section = serializers.RegexField(
        r"^[0-9]{1,6}(\.[0-9]{1,6}){0,9}$",
        required=False,
        help_text="Only those of this part of the document with all below it: an `id` of its outline, as “1.2.3”.",
    )


class PartSerializer(serializers.Serializer[Any]):
    """A part of a document: a module, chapter or section of a textbook, or another heading, with what is below it."""

    id = serializers.CharField(help_text="Its place in the tree, as “1.2.3”: stable within a version.")
    parent_id = serializers.CharField(allow_null=True, help_text="Of the part that it belongs to.")
    kind = serializers.ChoiceField(
        choices=NODE_KINDS,
        help_text="`heading` is one without such a number, `text` stands under no heading.",
    )
    level = serializers.IntegerField(help_text="How deep it lies, from 1.")
    title = serializers.CharField()
    number = serializers.CharField(help_text="Within the part above, as “2”; empty where it has none.")
    label = serializers.CharField(  # type: ignore[assignment]
        help_text="As it is cited: “Module 1, Chapter 2”."
    )
    file_path = serializers.CharField()
    line_range = serializers.SerializerMethodField()
    page = serializers.IntegerField(allow_null=True)
    chunk_count = serializers.IntegerField(help_text="With those of all below it.")
    positions = serializers.SerializerMethodField()
    children = serializers.SerializerMethodField()

    def get_line_range(self, part: Node) -> list[int] | None:
        return [part.line_start, part.line_end or part.line_start] if part.line_start else None

    def get_positions(self, part: Node) -> list[int]:
        """Of its first and its last chunk."""
        return [part.first_position, part.last_position]

    @extend_schema_field({"type": "array", "items": {"$ref": "#/components/schemas/Part"}})
    def get_children(self, part: Node) -> list[Any]:
        return list(PartSerializer(part.children, many=True).data)


class OutlineSerializer(serializers.Serializer[Any]):
    """The parts of the version of a document that answers."""

    version = serializers.IntegerField(allow_null=True, help_text="Null before the first one is indexed.")
    parts = PartSerializer(many=True)


class FileSerializer(serializers.Serializer[Any]):
    """One file. What kind it is, its content says, not its name."""

    file = serializers.FileField(allow_empty_file=True, help_text="The file itself.")


class NewDocumentSerializer(FileSerializer):
    title = serializers.CharField(
        required=False, allow_blank=True, max_length=200, help_text="Without one it is the file’s name."
    )


class DocumentChangeSerializer(serializers.Serializer[Any]):
    title = serializers.CharField(max_length=200, required=False)
