"""Django admin: people, their factors and browsers, and the providers of schools.

Only operators set up providers, since whoever keeps an issuer can claim any address.
"""

from __future__ import annotations

from typing import Any, TypeVar

from allauth.account.models import EmailAddress
from allauth.mfa.models import Authenticator
from allauth.socialaccount.models import SocialAccount, SocialApp, SocialToken
from allauth.usersessions.models import UserSession
from django.contrib import admin, messages
from django.contrib.auth.admin import UserAdmin as DjangoUserAdmin
from django.contrib.auth.forms import AdminPasswordChangeForm
from django.db.models import QuerySet
from django.forms import ModelForm
from django.http import HttpRequest
from django.urls import reverse

from accounts import browsers, factors
from accounts.models import Identity, IdentityProvider, Provider
from accounts.single_sign_on import issuer
from accounts.single_sign_on.forms import ProviderForm
from schools import tokens
from schools.admin import DeletedWithEverything, NoEdit, ReadOnly
from schools.audit.actions import Action
from schools.audit.recording import current_request, record
from schools.models import User

P = TypeVar("P", bound=Provider)


class NewPasswordForm(AdminPasswordChangeForm):  # type: ignore[type-arg]
    """Also revokes the person's access tokens, and ends their sessions."""

    def save(self, commit: bool = True) -> Any:
        user = super().save(commit)
        record(Action.PASSWORD_RESET, school=None, subject=self.user, label=self.user.email)
        tokens.revoke_all(self.user)
        browsers.forget(self.user)
        return user


@admin.register(User)
class UserAdmin(DeletedWithEverything, DjangoUserAdmin):  # type: ignore[type-arg]
    change_password_form = NewPasswordForm
    ordering = ["email"]
    list_display = ["email", "name", "is_active", "is_staff", "date_joined", "last_login"]
    list_filter = ["is_active", "is_staff", "schools"]
    search_fields = ["email", "name"]
    readonly_fields = ["date_joined", "last_login"]
    filter_horizontal = ["groups", "user_permissions"]
    fieldsets = [
        (None, {"fields": ["email", "name", "password", "alerts_on_sign_in"]}),
        ("Rights", {"fields": ["is_active", "is_staff", "is_superuser", "groups", "user_permissions"]}),
        ("Dates", {"fields": ["date_joined", "last_login"]}),
    ]
    actions = ["reset_factors"]
    add_fieldsets = [(None, {"fields": ["email", "name", "usable_password", "password1", "password2"]})]

    @admin.action(description="Reset second factors: the password alone opens the account then", permissions=["change"])
    def reset_factors(self, request: HttpRequest, queryset: QuerySet[User]) -> None:
        """For people who have lost everything. Not for oneself."""
        people = [person for person in queryset if person != request.user]
        for person in people:
            factors.reset(person, by="The operator of this installation")
        messages.success(request, f"Reset for {len(people)}. Each of them was told by mail.")

    def save_model(self, request: HttpRequest, obj: User, form: ModelForm[User], change: bool) -> None:
        """Also forget the former e-mail address, which must not reset the password any more, and end what it opened."""
        super().save_model(request, obj, form, change)
        EmailAddress.objects.filter(user=obj).exclude(email__iexact=obj.email).delete()
        if change and "email" in form.changed_data and obj != request.user:
            browsers.forget(obj)
            tokens.revoke_all(obj)
        if change and (fields := ", ".join(sorted({*form.changed_data} - {"password"}))):
            for school in obj.schools.all():
                record(Action.ACCOUNT_CHANGED, school=school, subject=obj, label=obj.email, detail={"fields": fields})


for model in (Authenticator, UserSession, SocialAccount, SocialApp, SocialToken):  # the last three stay empty
    admin.site.unregister(model)


class ProviderAdmin(admin.ModelAdmin[P]):
    """Base for what vouches for people of a school: changes are recorded, and it is spoken to."""

    added: Action
    changed: Action
    removed: Action
    list_select_related = ["school"]
    autocomplete_fields = ["school"]
    actions = ["test_connection"]

    def read(self, row: P) -> str:
        """Speak to it, and return what to say of it. Raise IssuerFailed."""
        raise NotImplementedError

    def save_model(self, request: HttpRequest, obj: P, form: Any, change: bool) -> None:
        super().save_model(request, obj, form, change)
        fields = ", ".join(sorted(form.changed_data)).replace("new_secret", "secret")
        self._record(self.changed if change else self.added, obj, fields=fields)
        self._test(request, obj)

    def delete_model(self, request: HttpRequest, obj: P) -> None:
        self._record(self.removed, obj)
        super().delete_model(request, obj)

    def delete_queryset(self, request: HttpRequest, queryset: QuerySet[P]) -> None:
        for row in queryset.select_related("school"):
            self._record(self.removed, row)
        super().delete_queryset(request, queryset)

    @admin.action(description="Test the connection", permissions=["view"])
    def test_connection(self, request: HttpRequest, queryset: QuerySet[P]) -> None:
        for row in queryset:
            self._test(request, row)

    def _test(self, request: HttpRequest, row: P) -> None:
        try:
            found = self.read(row)
        except issuer.IssuerFailed as problem:
            messages.warning(request, f"{row.name}: saved, but the connection does not work yet. {problem}")
        else:
            messages.success(request, f"{row.name}: the connection works: {found}")

    def _record(self, action: Action, row: P, **detail: str) -> None:
        record(action, school=row.school, subject=row, label=row.name, detail=detail)


class VoucherAdmin(NoEdit, admin.ModelAdmin[Any]):
    """Operators can look at who is known where, and delete it."""

    list_display = ["user", "school", "provider", "connected_at", "last_used_at"]
    list_filter = ["school"]
    list_select_related = ["user", "school", "provider"]
    search_fields = ["user__email", "user__name", "subject", "school__name"]


@admin.register(IdentityProvider)
class IdentityProviderAdmin(ProviderAdmin[IdentityProvider]):
    """The form, the address to copy to the provider, and whether the provider answers."""

    added, changed, removed = Action.SSO_ADDED, Action.SSO_CHANGED, Action.SSO_REMOVED
    form = ProviderForm
    list_display = ["name", "school", "issuer", "joins", "is_active", "is_on"]
    list_filter = ["is_active", "is_on", "joins"]
    search_fields = ["name", "issuer", "school__name", "domains"]
    readonly_fields = ["redirect_address", "address_of_school", "is_on", "created_at"]
    fieldsets = [
        (None, {"fields": ["school", "name", "issuer"]}),
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

    def read(self, row: IdentityProvider) -> str:
        issuer.read_description(row.issuer)
        return f"{row.issuer} answers and calls itself so."


@admin.register(Identity)
class IdentityAdmin(VoucherAdmin):
    list_display = ["user", "email", "school", "provider", "issuer", "connected_at", "last_used_at"]
    search_fields = ["email", *VoucherAdmin.search_fields]


@admin.register(Authenticator)
class AuthenticatorAdmin(NoEdit, admin.ModelAdmin[Authenticator]):
    """Operators see which factors there are, not their secrets."""

    list_display = ["user", "type", "created_at", "last_used_at"]
    list_filter = ["type"]
    list_select_related = ["user"]
    search_fields = ["user__email", "user__name"]
    exclude = ["data"]

    def has_delete_permission(self, *_: object) -> bool:
        return False  # a reset also ends sessions and tells the person


@admin.register(UserSession)
class UserSessionAdmin(ReadOnly, admin.ModelAdmin[UserSession]):
    list_display = ["user", "user_agent", "ip", "created_at", "last_seen_at"]
    list_select_related = ["user"]
    search_fields = ["user__email", "user__name", "ip"]
    exclude = ["session_key", "data"]


def _absolute(name: str, *args: object) -> str:
    path, request = reverse(name, args=args), current_request.get()
    return request.build_absolute_uri(path) if request else path
