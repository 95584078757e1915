"""Forms: an address whose school is looked for, and for operators a provider."""

from __future__ import annotations

import re
from typing import Any

from django import forms

from accounts.models import GOOGLE, MICROSOFT, IdentityProvider
from accounts.single_sign_on.issuer import IssuerFailed, check_address

PERSONAL_ACCOUNTS = "9188040d-6c67-4c5b-b112-36a304b66dad"
"""Microsoft's tenant of private accounts: anybody's."""
_TENANT = re.compile(
    rf"{re.escape(MICROSOFT)}(?!{PERSONAL_ACCOUNTS})[0-9a-f]{{8}}(-[0-9a-f]{{4}}){{3}}-[0-9a-f]{{12}}/v2\.0"
)
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

    issuer = forms.CharField(
        max_length=300,
        help_text=f"Exactly as it calls itself. Google: {GOOGLE}. Microsoft: {MICROSOFT}…/v2.0 with the ID of the "
        "school’s own tenant (“Directory (tenant) ID” in the Entra admin centre). Another one that speaks OpenID "
        "Connect: such as https://id.example.org/realms/school.",
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
        fields = ["school", "name", "issuer", "client_id", "domains", "joins", "is_active"]

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        row = self.instance
        if not row._state.adding:
            self.fields["school"].disabled = True
            self.initial["domains"] = "\n".join(row.domains)

    def clean_issuer(self) -> str:
        issuer = str(self.cleaned_data["issuer"]).strip()
        try:
            check_address(issuer)
        except IssuerFailed as problem:
            raise forms.ValidationError(str(problem)) from None
        if issuer.startswith(MICROSOFT) and not _TENANT.fullmatch(issuer):
            raise forms.ValidationError(
                "Write the ID of the school’s own tenant in it. With “common” or “organizations” every tenant could "
                "claim every address."
            )
        return issuer

    def clean_domains(self) -> list[str]:
        names = list(dict.fromkeys(self.cleaned_data["domains"].lower().replace(",", " ").split()))
        for name in names:
            if not _DOMAIN.fullmatch(name):
                raise forms.ValidationError(f"“{name[:60]}” is not a domain. Write riverside.example, without an @.")
        return names

    def clean_new_secret(self) -> str:
        secret = str(self.cleaned_data["new_secret"])
        if not secret and not self.instance.secret:
            raise forms.ValidationError("Write the secret that the provider gave you.")
        return secret

    def save(self, commit: bool = True) -> IdentityProvider:
        if secret := self.cleaned_data["new_secret"]:
            self.instance.set_secret(secret)
        return super().save(commit)
