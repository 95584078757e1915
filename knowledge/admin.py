from django.contrib import admin

from corpus.admin import DocumentAdmin, register_documents
from knowledge.models import PersonalChunk, PersonalDocument, PersonalReadingReport, PersonalVersion


class PersonalDocumentAdmin(DocumentAdmin):
    list_display = ["title", "owner", *DocumentAdmin.list_display[1:]]
    list_select_related = ["school", "owner"]
    search_fields = [*DocumentAdmin.search_fields, "owner__email", "owner__name"]
    readonly_fields = ["owner", *DocumentAdmin.readonly_fields]


register_documents(
    admin.site, PersonalDocumentAdmin, PersonalDocument, PersonalVersion, PersonalChunk, PersonalReadingReport
)
