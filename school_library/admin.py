from django.contrib import admin

from corpus.admin import DocumentAdmin, register_documents
from school_library.models import SchoolChunk, SchoolDocument, SchoolReadingReport, SchoolVersion


class SchoolDocumentAdmin(DocumentAdmin):
    list_display = [*DocumentAdmin.list_display, "subject", "grade", "is_published"]
    list_filter = ["status", "is_published", "subject", "grade", "school"]
    search_fields = [*DocumentAdmin.search_fields, "description", "subject"]


register_documents(admin.site, SchoolDocumentAdmin, SchoolDocument, SchoolVersion, SchoolChunk, SchoolReadingReport)
