from typing import Any

from django.contrib import admin

from rest.models import KeptAnswer


@admin.register(KeptAnswer)
class KeptAnswerAdmin(admin.ModelAdmin[KeptAnswer]):
    """That a request was answered, and when; what was answered is its sender's."""

    list_display = ["key", "owner", "school", "status", "created_at"]
    list_filter = ["school", "status"]
    list_select_related = ["owner", "school"]
    search_fields = ["key", "owner__email", "school__name"]
    exclude = ["body", "headers"]

    def has_add_permission(self, *_: Any) -> bool:
        return False

    def has_change_permission(self, *_: Any) -> bool:
        return False
