from django.contrib import admin

from references.models import Archive


@admin.register(Archive)
class ArchiveAdmin(admin.ModelAdmin[Archive]):
    """Archives are added and removed by manage.py add_zim and remove_zim, which also build and delete their index."""

    list_display = ["name", "title", "language", "articles", "date", "state", "reason"]
    list_filter = ["state", "language"]
    search_fields = ["name", "title"]
    readonly_fields = [field.name for field in Archive._meta.fields]

    def has_add_permission(self, request: object) -> bool:
        return False

    def has_delete_permission(self, request: object, obj: object = None) -> bool:
        return False
