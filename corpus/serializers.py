"""Documents and their chunks as the API sends them, the same for a teacher's own and the library's."""

from __future__ import annotations

from typing import Any

from rest_framework import serializers

from corpus.models import Chunk, Stage, Status
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
    """A document with its newest file; of a `corpus.listing.Listed`."""

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
    created_at = serializers.DateTimeField(source="document.created_at")
    updated_at = serializers.DateTimeField(source="document.updated_at")


class ChunkSerializer(serializers.Serializer[Any]):
    """A piece of the text, in the order of the document. Chunks do not overlap."""

    position = serializers.IntegerField(help_text="Its number in the document, from 0.")
    heading_path = serializers.ListField(
        child=serializers.CharField(), help_text="The headings above it, outermost first."
    )
    page = serializers.IntegerField(allow_null=True)
    line_range = serializers.SerializerMethodField()
    text = serializers.CharField()
    tokens = serializers.IntegerField()

    def get_line_range(self, chunk: Chunk) -> list[int] | None:
        return [chunk.line_start, chunk.line_end or chunk.line_start] if chunk.line_start else None


class FileSerializer(serializers.Serializer[Any]):
    """One file. What kind it is, its content says, not its name."""

    file = serializers.FileField(allow_empty_file=True, help_text="The file itself.")


class NewDocumentSerializer(FileSerializer):
    title = serializers.CharField(
        required=False, allow_blank=True, max_length=200, help_text="Without one it is the file’s name."
    )


class DocumentChangeSerializer(serializers.Serializer[Any]):
    title = serializers.CharField(max_length=200, required=False)
