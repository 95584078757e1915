"""Admin base classes for documents of both kinds. No edit can make text, files and vectors inconsistent."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, ClassVar

from django.contrib import admin
from django.db.models import Model, QuerySet
from django.http import HttpRequest, HttpResponse

from corpus.ingestion import uploads
from corpus.models import Chunk, Document, Installation, ReadingReport, Version
from corpus.web.csv_file import csv_response, csv_time, write_csv
from schools.admin import NoEdit, ReadOnly
from schools.readable import Readable


class VersionInline(ReadOnly, admin.TabularInline[Version, Document]):
    """The versions on the page of a document."""

    extra = 0
    readonly_fields: ClassVar[Any] = [
        *("number", "filename", "size", "pages", "uploaded_by"),
        *("created_at", "indexed_at", "cancelled_at", "chunks_added", "notes"),
    ]
    fields = readonly_fields
    ordering = ["-number"]


class VersionAdmin(ReadOnly, admin.ModelAdmin[Version]):
    """Versions of documents."""

    list_display = [
        *("document", "number", "filename", "media_type", "size"),
        *("pages", "school", "uploaded_by", "created_at"),
    ]
    list_filter = ["media_type", "school"]
    list_select_related = ["document", "school", "uploaded_by"]
    search_fields = ["filename", "document__title", "content_hash"]
    date_hierarchy = "created_at"
    exclude = ["file"]


class ChunkAdmin(ReadOnly, admin.ModelAdmin[Chunk]):
    """Chunks of documents."""

    list_display = ["document", "position", "where", "page", "tokens", "embedding_model", "school"]
    list_filter = ["school", "embedding_model"]
    list_select_related = ["document", "school"]
    search_fields = ["document__title", "text"]
    exclude = ["embedding", "search"]
    show_full_result_count = False

    def get_queryset(self, request: HttpRequest) -> QuerySet[Chunk]:
        return super().get_queryset(request).defer("embedding", "search")

    @admin.display(description="under")
    def where(self, chunk: Any) -> str:
        """The file and headings of a chunk."""
        return " · ".join(filter(None, (chunk.file_path, " › ".join(chunk.heading_path)))) or "—"


class ReadingReportAdmin(Readable, NoEdit, admin.ModelAdmin[ReadingReport]):
    """What people reported as read wrongly: to be exported, and deleted."""

    list_display = ["document", "version", "place", "comment", "school", "reported_by", "created_at"]
    list_filter = ["school"]
    list_select_related = ["document", "school", "reported_by"]
    date_hierarchy = "created_at"
    actions = ["export_csv"]

    @admin.action(description="Export as CSV", permissions=["view"])
    def export_csv(self, request: HttpRequest, queryset: QuerySet[Any]) -> HttpResponse:
        """The chosen reports, with the text that was read."""
        rows = [
            [
                *(report.school.name, report.document.title, str(report.version), report.place, report.comment),
                *(report.text, str(report.reported_by), csv_time(report.created_at)),
            ]
            for report in queryset.select_related("school", "document", "reported_by")
        ]
        columns = ["School", "Document", "Version", "Place", "Comment", "Text", "Reported by", "Time"]
        return csv_response(request, write_csv(columns, rows), name="reading-reports")


@admin.register(Installation)
class InstallationAdmin(ReadOnly, admin.ModelAdmin[Installation]):
    """The active embedding model and the move to another one. Only `manage.py reembed` changes it."""

    list_display = ["name", "target_name", "progress_done", "progress_total", "worked_at", "problem"]


class DocumentAdmin(admin.ModelAdmin[Document]):
    """Titles and tags can be corrected; everything else follows from uploads."""

    list_display = ["title", "school", "status", "version", "answering_version", "chunk_count", "updated_at"]
    list_filter: ClassVar[Any] = ["status", "school"]
    list_select_related: ClassVar[Any] = ["school"]
    search_fields = ["title", "versions__filename", "school__name"]
    date_hierarchy = "created_at"
    readonly_fields: ClassVar[Any] = [
        *("school", "status", "stage", "failure_reason", "version", "answering_version", "chunk_count"),
        *("attempts", "attempted_at", "progress_done", "progress_total", "progress_first", "progress_since"),
        *("language", "is_title_given", "created_at", "updated_at"),
    ]

    def has_add_permission(self, request: HttpRequest) -> bool:
        return False

    def get_deleted_objects(
        self, objs: Iterable[Model], request: HttpRequest
    ) -> tuple[list[str], dict[str, int], set[str], list[str]]:
        """Only the documents: Django would load thousands of chunks to list them."""
        rows = list(objs)
        return (
            [str(row) for row in rows],
            {"documents with their versions and passages": len(rows)},
            set(),
            [],
        )

    def save_model(self, request: HttpRequest, obj: Document, form: Any, change: bool) -> None:
        super().save_model(request, obj, form, change)
        if "title" in form.changed_data:
            uploads.rename(obj, obj.title)

    def delete_model(self, request: HttpRequest, obj: Document) -> None:
        uploads.delete(obj)

    def delete_queryset(self, request: HttpRequest, queryset: QuerySet[Any]) -> None:
        for document in queryset:
            uploads.delete(document)


def register_documents(
    site: admin.AdminSite,
    documents: type[DocumentAdmin],
    document: type[Document],
    version: type[Version],
    chunk: type[Chunk],
    report: type[ReadingReport],
) -> None:
    """Register the models of a kind of documents."""
    inline = type(f"{version.__name__}Inline", (VersionInline,), {"model": version})
    site.register(document, documents, inlines=[inline])
    site.register(version, VersionAdmin)
    site.register(chunk, ChunkAdmin)
    site.register(report, ReadingReportAdmin)
