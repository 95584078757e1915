from django.contrib import admin

from corpus.admin import ChunkAdmin, DocumentAdmin, VersionAdmin, VersionInline
from school_library.models import SchoolChunk, SchoolDocument, SchoolVersion


class SchoolVersionInline(VersionInline):
    model = SchoolVersion


@admin.register(SchoolDocument)
class SchoolDocumentAdmin(DocumentAdmin):
    list_display = [*DocumentAdmin.list_display, "subject", "grade", "is_published"]
    list_filter = ["status", "is_published", "subject", "grade", "school"]
    search_fields = [*DocumentAdmin.search_fields, "description", "subject"]
    inlines = [SchoolVersionInline]


admin.site.register(SchoolVersion, VersionAdmin)
admin.site.register(SchoolChunk, ChunkAdmin)
