"""Django admin: only operators set up providers, since whoever keeps an issuer can claim any address."""

from __future__ import annotations

from typing import Any

from allauth.socialaccount.models import SocialAccount, SocialApp, SocialToken
from django.contrib import admin, messages
from django.db.models import QuerySet
from django.http import HttpRequest
from django.urls import reverse

from schools.audit.actions import Action
from schools.audit.recording import current_request, record
from schools.models import Identity, IdentityProvider
from schools.single_sign_on import issuer
from schools.single_sign_on.forms import ProviderForm

for model in (SocialAccount, SocialApp, SocialToken):  # allauth's own tables, which stay empty
    admin.site.unregister(model)


@admin.register(IdentityProvider)
class IdentityProviderAdmin(admin.ModelAdmin[IdentityProvider]):
    """The form, the address to copy to the provider, and whether the provider answers."""

    form = ProviderForm
    list_display = ["name", "school", "issuer", "joins", "is_active", "is_on"]
    list_filter = ["is_active", "is_on", "joins"]
    list_select_related = ["school"]
    search_fields = ["name", "issuer", "school__name", "domains"]
    autocomplete_fields = ["school"]
    readonly_fields = ["redirect_address", "address_of_school", "is_on", "created_at"]
    actions = ["test_connection"]
    fieldsets = [
        (None, {"fields": ["school", "name", "kind", "tenant", "issuer"]}),
        (
            "To be copied to the provider",
            {
                "fields": ["redirect_address", "address_of_school"],
                "description": "Save first: the redirect address is made then.",
            },
        ),
        ("From the provider", {"fields": ["client_id", "new_secret"]}),
        ("Who is let in", {"fields": ["domains", "joins", "is_active", "is_on"]}),
    ]

    @admin.display(description="Redirect address")
    def redirect_address(self, row: IdentityProvider) -> str:
        return "–" if row._state.adding else _absolute("openid_connect_callback", row.pk)

    @admin.display(description="Address at which the school’s people sign in")
    def address_of_school(self, row: IdentityProvider) -> str:
        return "–" if row._state.adding else _absolute("account_sso_school", row.school.slug)

    def save_model(self, request: HttpRequest, obj: IdentityProvider, form: Any, change: bool) -> None:
        super().save_model(request, obj, form, change)
        action = Action.SSO_CHANGED if change else Action.SSO_ADDED
        changed = ", ".join(sorted(form.changed_data)).replace("new_secret", "secret")
        record(action, school=obj.school, subject=obj, label=obj.name, detail={"fields": changed})
        _test(request, obj)

    def delete_model(self, request: HttpRequest, obj: IdentityProvider) -> None:
        record(Action.SSO_REMOVED, school=obj.school, subject=obj, label=obj.name)
        super().delete_model(request, obj)

    def delete_queryset(self, request: HttpRequest, queryset: QuerySet[IdentityProvider]) -> None:
        for row in queryset.select_related("school"):
            record(Action.SSO_REMOVED, school=row.school, subject=row, label=row.name)
        super().delete_queryset(request, queryset)

    @admin.action(description="Test the connection", permissions=["view"])
    def test_connection(self, request: HttpRequest, queryset: QuerySet[IdentityProvider]) -> None:
        """Whether the provider describes itself under the name that is expected."""
        for row in queryset:
            _test(request, row)


@admin.register(Identity)
class IdentityAdmin(admin.ModelAdmin[Identity]):
    """Operators can look at identities and delete them."""

    list_display = ["user", "email", "school", "provider", "issuer", "connected_at", "last_used_at"]
    list_filter = ["school"]
    list_select_related = ["user", "school", "provider"]
    search_fields = ["email", "user__email", "user__name", "subject", "school__name"]

    def has_add_permission(self, *_: Any) -> bool:
        return False

    def has_change_permission(self, *_: Any) -> bool:
        return False


def _test(request: HttpRequest, row: IdentityProvider) -> None:
    try:
        issuer.read_description(row.issuer)
    except issuer.IssuerFailed as problem:
        messages.warning(request, f"{row.name}: saved, but the connection does not work yet. {problem}")
    else:
        messages.success(request, f"{row.name}: the connection works. {row.issuer} answers and calls itself so.")


def _absolute(name: str, *args: Any) -> str:
    path, request = reverse(name, args=args), current_request.get()
    return request.build_absolute_uri(path) if request else path
