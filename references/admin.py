from typing import Any

from django.contrib import admin
from django.http import HttpRequest

from references.approved.queue import queue_pages
from references.models import ApprovedPage, ApprovedTopic, ReferenceSettings
from schools.admin import NoEdit

_READ = ["address", "state", "reason", "checked_at", "read_at", "approved_at", "final_address"]


@admin.register(ReferenceSettings)
class ReferenceSettingsAdmin(admin.ModelAdmin[ReferenceSettings]):
    list_display = [
        *("school", "allows_approved", "allows_wikipedia_offline", "allows_wikipedia_live"),
        *("allows_outside_calls", "allows_http"),
    ]
    list_select_related = ["school"]
    search_fields = ["school__name"]
    autocomplete_fields = ["school"]


class ApprovedPageInline(NoEdit, admin.TabularInline[ApprovedPage, ApprovedTopic]):
    """The pages of a topic. They are added on the page of the school, where their addresses are checked."""

    model = ApprovedPage
    extra = 0
    fields = readonly_fields = _READ


@admin.register(ApprovedTopic)
class ApprovedTopicAdmin(admin.ModelAdmin[ApprovedTopic]):
    list_display = ["name", "school", "keywords", "created_at"]
    list_filter = ["school"]
    list_select_related = ["school"]
    search_fields = ["name", "keywords", "pages__address", "school__name"]
    autocomplete_fields = ["school"]
    readonly_fields = ["created_at"]
    inlines = [ApprovedPageInline]

    def get_readonly_fields(self, request: HttpRequest, obj: ApprovedTopic | None = None) -> Any:
        return [*self.readonly_fields, *(["school"] if obj else [])]


@admin.register(ApprovedPage)
class ApprovedPageAdmin(NoEdit, admin.ModelAdmin[ApprovedPage]):
    """What was read cannot be edited; pages can be deleted, and read again."""

    list_display = ["address", "topic", "school", "state", "reason", "checked_at"]
    list_filter = ["state", "school"]
    list_select_related = ["topic", "school"]
    search_fields = ["address", "title", "topic__name", "school__name"]
    date_hierarchy = "added_at"
    actions = ["read_again"]

    @admin.action(description="Read the chosen pages again")
    def read_again(self, request: HttpRequest, queryset: Any) -> None:
        queue_pages(queryset.values_list("pk", flat=True))
        self.message_user(request, "They will be read in the background.")
