from django.contrib import admin

from corpus.admin import ChunkAdmin, DocumentAdmin, VersionAdmin, VersionInline
from knowledge.models import PersonalChunk, PersonalDocument, PersonalVersion


class PersonalVersionInline(VersionInline):
    model = PersonalVersion


@admin.register(PersonalDocument)
class PersonalDocumentAdmin(DocumentAdmin):
    list_display = ["title", "owner", *DocumentAdmin.list_display[1:]]
    list_select_related = ["school", "owner"]
    search_fields = [*DocumentAdmin.search_fields, "owner__email", "owner__name"]
    readonly_fields = ["owner", *DocumentAdmin.readonly_fields]
    inlines = [PersonalVersionInline]


admin.site.register(PersonalVersion, VersionAdmin)
admin.site.register(PersonalChunk, ChunkAdmin)
