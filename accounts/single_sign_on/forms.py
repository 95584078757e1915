"""Forms: an address whose school is looked for, and for operators a provider."""

from __future__ import annotations

import re
from typing import Any
from uuid import UUID

from django import forms

from accounts.models import GOOGLE, MICROSOFT, IdentityProvider
from accounts.single_sign_on.issuer import IssuerFailed, check_address

PERSONAL_ACCOUNTS = UUID("9188040d-6c67-4c5b-b112-36a304b66dad")
"""Microsoft's tenant of private accounts: anybody's."""
_DOMAIN = re.compile(r"(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z][a-z0-9-]{1,62}")


class AddressForm(forms.Form):
    email = forms.EmailField(
        label="Your e-mail address at school",
        max_length=254,
        error_messages={"required": "Write your e-mail address.", "invalid": "This is not an e-mail address."},
        widget=forms.EmailInput(attrs={"autocomplete": "username", "autofocus": True}),
    )


class ProviderForm(forms.ModelForm[IdentityProvider]):
    """A provider of a school. The secret is never shown again."""

    kind = forms.ChoiceField(
        choices=[("google", "Google"), ("microsoft", "Microsoft"), ("other", "Another one that speaks OpenID Connect")],
        initial="google",
        help_text="For Google nothing else is needed; for Microsoft the tenant; for another one its address.",
    )
    tenant = forms.UUIDField(
        label="Microsoft tenant ID",
        required=False,
        help_text="“Directory (tenant) ID” in the Entra admin centre. “common” and “organizations” are not possible: "
        "every tenant could claim every address then.",
    )
    issuer = forms.CharField(
        required=False,
        max_length=300,
        help_text="Only for another provider, exactly as it calls itself: https://id.example.org/realms/school.",
    )
    new_secret = forms.CharField(
        label="Client secret",
        required=False,
        max_length=500,
        strip=True,
        widget=forms.PasswordInput(attrs={"autocomplete": "off"}),
        help_text="It is stored encrypted and not shown again. Leave it empty to keep the one that is stored.",
    )
    domains = forms.CharField(
        widget=forms.Textarea(attrs={"rows": 3}),
        help_text="One a line, such as riverside.example. Only addresses of these domains are let in, and subdomains "
        "are listed one by one. Never a domain where anybody can get an address.",
    )

    class Meta:
        model = IdentityProvider
        fields = ["school", "name", "client_id", "joins", "is_active"]

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        row = self.instance
        if not row._state.adding:
            self.fields["school"].disabled = True
            self.initial["domains"], self.initial["issuer"] = "\n".join(row.domains), row.issuer
            self.initial["kind"] = "google" if row.is_google else "microsoft" if row.is_microsoft else "other"
            if row.is_microsoft:
                self.initial["tenant"] = row.issuer.removeprefix(MICROSOFT).partition("/")[0]

    def clean_domains(self) -> list[str]:
        names = list(dict.fromkeys(self.cleaned_data["domains"].lower().replace(",", " ").split()))
        for name in names:
            if not _DOMAIN.fullmatch(name):
                raise forms.ValidationError(f"“{name[:60]}” is not a domain. Write riverside.example, without an @.")
        return names

    def clean(self) -> dict[str, Any]:
        data = super().clean() or self.cleaned_data
        data["issuer"] = self._issuer(data)
        if not self.instance.secret and not data.get("new_secret"):
            self.add_error("new_secret", "Write the secret that the provider gave you.")
        return data

    def _issuer(self, data: dict[str, Any]) -> str:
        kind, tenant, issuer = data.get("kind"), data.get("tenant"), (data.get("issuer") or "").strip()
        if kind == "google":
            return GOOGLE
        if kind == "microsoft":
            if tenant is None or tenant == PERSONAL_ACCOUNTS:
                self.add_error("tenant", "Write the ID of the school’s own tenant.")
            return f"{MICROSOFT}{tenant}/v2.0"
        try:
            check_address(issuer)
        except IssuerFailed as problem:
            self.add_error("issuer", str(problem))
        if issuer.startswith((MICROSOFT, GOOGLE)):
            self.add_error("kind", "Choose Google or Microsoft above, so that their own rules apply.")
        return issuer

    def save(self, commit: bool = True) -> IdentityProvider:
        self.instance.issuer = self.cleaned_data["issuer"]
        self.instance.domains = self.cleaned_data["domains"]
        if secret := self.cleaned_data["new_secret"]:
            self.instance.set_secret(secret)
        return super().save(commit)
