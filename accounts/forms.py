"""django-allauth's forms of an account, in our words. A new password also revokes the person's access tokens."""

from __future__ import annotations

from typing import Any

from allauth.account import forms as allauth
from django import forms
from django.db import transaction
from django.urls import reverse_lazy
from django.utils.functional import lazy
from django.utils.html import format_html

from accounts.audit import entered
from accounts.models import IdentityProvider
from schools import tokens
from schools.audit.actions import Action
from schools.audit.recording import record
from schools.models import AccessToken

_LABELS = {
    "login": "E-mail address",
    "email": "E-mail address",
    "password": "Password",
    "remember": "Keep me signed in on this device",
    "oldpassword": "Your password now",
    "password1": "New password",
    "password2": "New password, once more",
}
_forgotten = lazy(format_html, str)('<a href="{}">Forgot your password?</a>', reverse_lazy("account_reset_password"))
_HELP = {
    "password": _forgotten,
    "oldpassword": _forgotten,
    "remember": "Only on a device that nobody else uses.",
    "password1": "At least 10 characters, and nothing that is easy to guess, such as your name or a common password.",
}
_ERRORS = {
    "login": "Write your e-mail address.",
    "email": "Write your e-mail address.",
    "password": "Write your password.",
    "oldpassword": "Write the password that you have now.",
    "password1": "Write a new password.",
    "password2": "Write the new password once more.",
}


class OurWords(forms.Form):
    """Mixin for a form of django-allauth: our labels, help and errors, and no placeholder that repeats a label."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        for name, field in self.fields.items():
            field.label = _LABELS.get(name, field.label)
            field.help_text = _HELP.get(name, "")
            field.widget.attrs.pop("placeholder", None)
            if name in _ERRORS:
                field.error_messages["required"] = _ERRORS[name]


class SignIn(OurWords, allauth.LoginForm):  # type: ignore[misc]
    """Asks for e-mail address and password."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["login"].widget.attrs["autofocus"] = True

    @property
    def offers_single_sign_on(self) -> bool:
        return IdentityProvider.objects.working().exists()


class ForgottenPassword(OurWords, allauth.ResetPasswordForm):  # type: ignore[misc]
    """Asks for the address to which the link goes."""


class ChangePassword(OurWords, allauth.ChangePasswordForm):  # type: ignore[misc]
    """Asks a person who has tokens whether to keep them. By default they are revoked."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        active = AccessToken.objects.active().filter(membership__user=self.user)
        if names := ", ".join(active.values_list("name", flat=True)):
            self.fields["keep_tokens"] = forms.BooleanField(
                label="Keep my access tokens",
                required=False,
                help_text=format_html(
                    "Programs use Lectern in your name with: {}. Without a tick these tokens are revoked, and the "
                    "programs are refused. Leave it so if somebody else may know your password.",
                    names,
                ),
            )

    def save(self) -> None:
        with transaction.atomic():
            super().save()
            record(Action.PASSWORD_CHANGED, school=entered(self.user), actor=self.user, subject=self.user)
            if not self.cleaned_data.get("keep_tokens"):
                tokens.revoke_all(self.user)


class ResetPassword(OurWords, allauth.ResetPasswordKeyForm):  # type: ignore[misc]
    """Revokes all tokens: somebody else may have used the account."""

    def save(self) -> None:
        with transaction.atomic():
            super().save()
            self.record()
            tokens.revoke_all(self.user)

    def record(self) -> None:
        record(Action.PASSWORD_RESET, school=entered(self.user), actor=self.user, subject=self.user)

    @property
    def has_tokens(self) -> bool:
        """Whether there are tokens to revoke."""
        return self.user is not None and AccessToken.objects.active().filter(membership__user=self.user).exists()


class FirstPassword(ResetPassword):
    """The password of a person who was invited and has none yet."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["password1"].label = "Password"
        self.fields["password2"].label = "Password, once more"

    def record(self) -> None:
        """Nothing: it is recorded that the invitation was accepted."""
