"""Django admin: only operators register platforms, since whoever keeps one can claim to be anybody of its school."""

from __future__ import annotations

from django.contrib import admin, messages
from django.db.models import QuerySet
from django.http import HttpRequest
from django.utils.html import format_html_join
from django.utils.safestring import SafeString

from accounts.admin import ProviderAdmin, VoucherAdmin
from accounts.single_sign_on import issuer
from lti.addresses import list_addresses
from lti.forms import PlatformForm
from lti.keys import make_private_key
from lti.models import GradePassback, Platform, PupilIdentity, ResourceLink, TeacherIdentity
from schools.admin import ReadOnlyAdmin
from schools.audit.actions import Action
from schools.audit.recording import current_request, record


@admin.register(Platform)
class PlatformAdmin(ProviderAdmin[Platform]):
    """The form, the addresses to type into the platform, and whether its keys can be read."""

    added, changed, removed = Action.LTI_ADDED, Action.LTI_CHANGED, Action.LTI_REMOVED
    form = PlatformForm
    list_display = ["name", "school", "issuer", "client_id", "is_active", "is_on"]
    list_filter = ["is_active", "is_on"]
    search_fields = ["name", "issuer", "client_id", "school__name"]
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
        return format_html_join("", "<p>{}: <code>{}</code></p>", list_addresses(request, row).items())

    def read(self, row: Platform) -> str:
        keys = issuer.get_json(row.keys_url).get("keys")
        if not isinstance(keys, list) or not keys:
            raise issuer.IssuerFailed(f"There are no keys at {row.keys_url}.")
        return "its keys can be read."

    @admin.action(description="Make a new key pair of ours", permissions=["change"])
    def make_new_key(self, request: HttpRequest, queryset: QuerySet[Platform]) -> None:
        """After the key of the installation was changed. Platforms read the new public key by themselves."""
        for row in queryset.select_related("school"):
            Platform.objects.filter(pk=row.pk).update(key=make_private_key())
            record(Action.LTI_CHANGED, school=row.school, subject=row, label=row.name, detail={"fields": "key"})
        messages.success(request, "Made. The platforms read the new public keys by themselves.")


@admin.register(TeacherIdentity)
class TeacherIdentityAdmin(VoucherAdmin):
    """Operators can look at connections and delete them."""


@admin.register(ResourceLink)
class ResourceLinkAdmin(ReadOnlyAdmin):
    list_display = ["class_link", "chatbot", "platform", "school", "sends_grades", "created_at"]
    list_filter = ["school", "sends_grades"]
    search_fields = ["class_link__name", "chatbot__name", "platform__name"]
    list_select_related = ["class_link", "chatbot", "platform", "school"]


@admin.register(PupilIdentity)
class PupilIdentityAdmin(ReadOnlyAdmin):
    list_display = ["pupil", "platform", "school", "created_at"]
    search_fields = ["pupil__nickname", "platform__name"]
    list_select_related = ["pupil", "platform", "school"]
    exclude = ["digest"]


@admin.register(GradePassback)
class GradePassbackAdmin(ReadOnlyAdmin):
    list_display = ["identity", "resource_link", "school", "score", "sent_at", "due_at", "attempts", "last_error"]
    search_fields = ["identity__pupil__nickname", "resource_link__class_link__name", "last_error"]
    list_select_related = [
        *("identity__pupil", "resource_link__class_link", "resource_link__platform", "school"),
    ]
    exclude = ["sealed_subject"]
