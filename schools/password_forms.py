"""django-allauth's forms for a new password, which also revoke the person's access tokens."""

from __future__ import annotations

from typing import Any

from allauth.account import forms as allauth
from django import forms
from django.db import transaction

from schools import tokens
from schools.models import AccessToken


class ChangePassword(allauth.ChangePasswordForm):  # type: ignore[misc]
    """Asks a person who has tokens whether to keep them. By default they are revoked."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        active = AccessToken.objects.active().filter(membership__user=self.user)
        if names := ", ".join(active.values_list("name", flat=True)):
            self.fields["keep_tokens"] = forms.BooleanField(
                label="Keep my access tokens",
                required=False,
                help_text=f"Programs use Lectern in your name with: {names}. Without a tick these tokens "
                "are revoked, and the programs are refused. Leave it so if somebody else may know your password.",
            )

    def save(self) -> None:
        with transaction.atomic():
            super().save()
            if not self.cleaned_data.get("keep_tokens"):
                tokens.revoke_all(self.user)


class ResetPassword(allauth.ResetPasswordKeyForm):  # type: ignore[misc]
    """Revokes all tokens: somebody else may have used the account."""

    def save(self) -> None:
        with transaction.atomic():
            super().save()
            tokens.revoke_all(self.user)

    @property
    def has_tokens(self) -> bool:
        """Whether there are tokens to revoke."""
        return self.user is not None and AccessToken.objects.active().filter(membership__user=self.user).exists()
