from typing import Any

from django.contrib import admin

from rest.models import IdempotencyRecord


@admin.register(IdempotencyRecord)
class IdempotencyRecordAdmin(admin.ModelAdmin[IdempotencyRecord]):
    """Shows that a request was answered, and when. The answer itself is its sender's and stays hidden."""

    list_display = ["key", "owner", "school", "status", "created_at"]
    list_filter = ["school", "status"]
    list_select_related = ["owner", "school"]
    search_fields = ["key", "owner__email", "school__name"]
    exclude = ["body", "headers"]

    def has_add_permission(self, *_: Any) -> bool:
        return False

    def has_change_permission(self, *_: Any) -> bool:
        return False
