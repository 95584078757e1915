"""Django admin: only operators register platforms, since whoever keeps one can claim to be anybody of its school."""

from __future__ import annotations

from typing import Any

from django.contrib import admin, messages
from django.db.models import QuerySet
from django.http import HttpRequest
from django.utils.html import format_html_join
from django.utils.safestring import SafeString

from accounts.single_sign_on import issuer
from lti.addresses import addresses_of
from lti.forms import PlatformForm
from lti.keys import new_key
from lti.models import GradePassback, Platform, PupilIdentity, ResourceLink, TeacherIdentity
from schools.admin import ReadOnly
from schools.audit.actions import Action
from schools.audit.recording import current_request, record


@admin.register(Platform)
class PlatformAdmin(admin.ModelAdmin[Platform]):
    """The form, the addresses to type into the platform, and whether its keys can be read."""

    form = PlatformForm
    list_display = ["name", "school", "issuer", "client_id", "is_active", "is_on"]
    list_filter = ["is_active", "is_on"]
    list_select_related = ["school"]
    search_fields = ["name", "issuer", "client_id", "school__name"]
    autocomplete_fields = ["school"]
    readonly_fields = ["addresses", "is_on", "created_at"]
    actions = ["test_connection", "make_new_key"]
    fieldsets = [
        (None, {"fields": ["school", "name", "is_active", "is_on"]}),
        (
            "From the platform",
            {
                "fields": [
                    *("issuer", "client_id", "deployment_ids", "authorization_endpoint", "token_endpoint", "keys_url"),
                    "token_audience",
                ],
                "description": "Issuer and client ID cannot be changed later: they say who people are. For another "
                "one register another platform.",
            },
        ),
        ("To be typed into the platform", {"fields": ["addresses"], "description": "Save first: they are made then."}),
    ]

    @admin.display(description="Addresses")
    def addresses(self, row: Platform) -> str | SafeString:
        request = current_request.get()
        if row._state.adding or request is None:
            return "–"
        return format_html_join("", "<p>{}: <code>{}</code></p>", addresses_of(request, row).items())

    def save_model(self, request: HttpRequest, obj: Platform, form: Any, change: bool) -> None:
        super().save_model(request, obj, form, change)
        action = Action.LTI_CHANGED if change else Action.LTI_ADDED
        fields = {"fields": ", ".join(sorted(form.changed_data))}
        record(action, school=obj.school, subject=obj, label=obj.name, detail=fields)
        _test(request, obj)

    def delete_model(self, request: HttpRequest, obj: Platform) -> None:
        record(Action.LTI_REMOVED, school=obj.school, subject=obj, label=obj.name)
        super().delete_model(request, obj)

    def delete_queryset(self, request: HttpRequest, queryset: QuerySet[Platform]) -> None:
        for row in queryset.select_related("school"):
            record(Action.LTI_REMOVED, school=row.school, subject=row, label=row.name)
        super().delete_queryset(request, queryset)

    @admin.action(description="Test whether its keys can be read", permissions=["view"])
    def test_connection(self, request: HttpRequest, queryset: QuerySet[Platform]) -> None:
        """Read the keys with which its tokens are signed."""
        for row in queryset:
            _test(request, row)

    @admin.action(description="Make a new key pair of ours", permissions=["change"])
    def make_new_key(self, request: HttpRequest, queryset: QuerySet[Platform]) -> None:
        """After the key of the installation was changed. Platforms read the new public key by themselves."""
        for row in queryset.select_related("school"):
            Platform.objects.filter(pk=row.pk).update(key=new_key())
            record(Action.LTI_CHANGED, school=row.school, subject=row, label=row.name, detail={"fields": "key"})
        messages.success(request, "Made. The platforms read the new public keys by themselves.")


@admin.register(TeacherIdentity)
class TeacherIdentityAdmin(admin.ModelAdmin[TeacherIdentity]):
    """Operators can look at connections and delete them."""

    list_display = ["user", "school", "platform", "connected_at", "last_used_at"]
    list_filter = ["school"]
    list_select_related = ["user", "school", "platform"]
    search_fields = ["user__email", "user__name", "subject", "school__name"]

    def has_add_permission(self, *_: Any) -> bool:
        return False

    def has_change_permission(self, *_: Any) -> bool:
        return False


class ReadOnlyAdmin(ReadOnly, admin.ModelAdmin[Any]):
    """Teachers and launches make these rows."""


@admin.register(ResourceLink)
class ResourceLinkAdmin(ReadOnlyAdmin):
    list_display = ["class_link", "chatbot", "platform", "school", "sends_grades", "created_at"]
    list_filter = ["school", "sends_grades"]
    search_fields = ["class_link__name", "chatbot__name", "platform__name"]
    list_select_related = ["class_link", "chatbot", "platform", "school"]


@admin.register(PupilIdentity)
class PupilIdentityAdmin(ReadOnlyAdmin):
    list_display = ["pupil", "platform", "school", "created_at"]
    list_filter = ["school"]
    search_fields = ["pupil__nickname", "platform__name"]
    list_select_related = ["pupil", "platform", "school"]
    exclude = ["digest"]


@admin.register(GradePassback)
class GradePassbackAdmin(ReadOnlyAdmin):
    list_display = ["identity", "resource_link", "school", "score", "sent_at", "due_at", "attempts", "last_error"]
    list_filter = ["school"]
    search_fields = ["identity__pupil__nickname", "resource_link__class_link__name", "last_error"]
    list_select_related = [
        *("identity__pupil", "resource_link__class_link", "resource_link__platform", "school"),
    ]
    exclude = ["sealed_subject"]


def _test(request: HttpRequest, row: Platform) -> None:
    try:
        found = issuer.get_json(row.keys_url).get("keys")
    except issuer.IssuerFailed as problem:
        messages.warning(request, f"{row.name}: saved, but its keys cannot be read yet. {problem}")
        return
    if isinstance(found, list) and found:
        messages.success(request, f"{row.name}: its keys can be read.")
    else:
        messages.warning(request, f"{row.name}: saved, but there are no keys at {row.keys_url}.")
