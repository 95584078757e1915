from typing import Any

from django import forms
from django.contrib import admin
from django.forms import BaseInlineFormSet
from django.http import HttpRequest

from references.approved.queue import queue_pages
from references.approved.topics import TopicRefused, check_addresses, clean_keywords
from references.models import ApprovedPage, ApprovedTopic, Archive, ReferenceSettings
from schools.admin import NoEdit

_READ = ["state", "reason", "checked_at", "read_at", "approved_at", "final_address"]


@admin.register(ReferenceSettings)
class ReferenceSettingsAdmin(admin.ModelAdmin[ReferenceSettings]):
    list_display = [
        *("school", "allows_approved", "allows_wikipedia_offline", "allows_wikipedia_live"),
        *("allows_web_pages", "allows_outside_calls", "allows_http"),
    ]
    list_select_related = ["school"]
    search_fields = ["school__name"]
    autocomplete_fields = ["school"]


class NewPagesFormSet(BaseInlineFormSet[ApprovedPage, ApprovedTopic, Any]):
    """Checks new addresses as the page of the school does."""

    def clean(self) -> None:
        super().clean()
        for form in self.extra_forms:
            address = form.cleaned_data.get("address", "") if form.is_valid() else ""
            if address and self.instance.school_id:
                checked = check_addresses(self.instance.school, [address])
                form.instance.school, form.instance.address = self.instance.school, "".join(checked.addresses)
                for reason in checked.wrong:
                    form.add_error("address", reason)


class ApprovedPageInline(admin.TabularInline[ApprovedPage, ApprovedTopic]):
    """The pages of a topic: they can be added and deleted. What was read of them cannot be edited."""

    model = ApprovedPage
    formset = NewPagesFormSet
    extra = 0
    fields = ["address", *_READ]
    readonly_fields = _READ

    def has_change_permission(self, *_: object) -> bool:
        return False


class TopicAdminForm(forms.ModelForm[ApprovedTopic]):
    def clean_keywords(self) -> list[str]:
        try:
            return clean_keywords(self.cleaned_data["keywords"])
        except TopicRefused as reason:
            raise forms.ValidationError(reason.reasons) from None


@admin.register(ApprovedTopic)
class ApprovedTopicAdmin(admin.ModelAdmin[ApprovedTopic]):
    form = TopicAdminForm
    list_display = ["name", "school", "keywords", "created_at"]
    list_filter = ["school"]
    list_select_related = ["school"]
    search_fields = ["name", "keywords", "pages__address", "school__name"]
    autocomplete_fields = ["school"]
    readonly_fields = ["created_at"]
    inlines = [ApprovedPageInline]

    def get_readonly_fields(self, request: HttpRequest, obj: ApprovedTopic | None = None) -> Any:
        return [*self.readonly_fields, *(["school"] if obj else [])]

    def save_formset(self, request: HttpRequest, form: object, formset: Any, change: bool) -> None:
        super().save_formset(request, form, formset, change)
        queue_pages(page.pk for page in formset.new_objects)


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
