from django.contrib import admin

from rest.models import IdempotencyRecord
from schools.admin import NoEdit


@admin.register(IdempotencyRecord)
class IdempotencyRecordAdmin(NoEdit, admin.ModelAdmin[IdempotencyRecord]):
    """Shows that a request was answered, and when. The answer itself is its sender's and stays hidden."""

    list_display = ["key", "owner", "school", "status", "created_at"]
    list_filter = ["school", "status"]
    list_select_related = ["owner", "school"]
    search_fields = ["key", "owner__email", "school__name"]
    exclude = ["body", "headers"]
