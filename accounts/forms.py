"""django-allauth's forms of an account, in our words. A new password also revokes the person's access tokens."""

from __future__ import annotations

from typing import Any, ClassVar, cast

from allauth.account import forms as allauth
from django import forms
from django.db import transaction
from django.urls import reverse_lazy
from django.utils.functional import lazy
from django.utils.html import format_html

from accounts.audit import find_entered_school
from accounts.models import IdentityProvider
from schools import tokens
from schools.audit.actions import Action
from schools.audit.recording import record
from schools.models import AccessToken

_forgotten = lazy(format_html, str)('<a href="{}">Forgot your password?</a>', reverse_lazy("account_reset_password"))
_EASY = "At least 10 characters, and nothing that is easy to guess, such as your name or a common password."
NOT_ACCEPTED = "This passkey was not accepted."
Words = dict[str, tuple[object, object, str]]
WORDS: Words = {
    "login": ("E-mail address", "", "Write your e-mail address."),
    "email": ("E-mail address", "", "Write your e-mail address."),
    "password": ("Password", _forgotten, "Write your password."),
    "remember": ("Keep me signed in on this device", "Only on a device that nobody else uses.", ""),
    "oldpassword": ("Your password now", _forgotten, "Write the password that you have now."),
    "password1": ("New password", _EASY, "Write a new password."),
    "password2": ("New password, once more", "", "Write the new password once more."),
    "code": ("Code", "The six digits that the app on your phone shows now, or a recovery code.", "Write the code."),
    "name": ("Name of the passkey", "So that you recognise it later, such as “Phone” or “Blue key”.", "Write a name."),
    "credential": ("", "", NOT_ACCEPTED),
}
"""Of each field: its label, help, and what is said where it is empty."""
_ATTRS: dict[str, dict[str, object]] = {
    "code": {"inputmode": "numeric"},
    "name": {"maxlength": 60, "autocomplete": "off"},
}


class OurWords(forms.Form):
    """Mixin for a form of django-allauth: our words, and no placeholder that repeats a label."""

    words: ClassVar[Words] = {}
    focus = ""
    """The field in which one writes at once."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        for name, field in self.fields.items():
            label, help_text, error = (WORDS | self.words).get(name, (field.label, "", ""))
            field.label, field.help_text = cast(str, label), cast(str, help_text)
            if error:
                field.error_messages["required"] = error
            if name == "credential":
                field.error_messages["invalid"] = error
            field.widget.attrs.pop("placeholder", None)
            field.widget.attrs |= _ATTRS.get(name, {}) | ({"autofocus": True} if name == self.focus else {})


class SignIn(OurWords, allauth.LoginForm):  # type: ignore[misc]
    """Asks for e-mail address and password."""

    focus = "login"

    @property
    def offers_single_sign_on(self) -> bool:
        return IdentityProvider.objects.working().exists()


class ForgottenPassword(OurWords, allauth.ResetPasswordForm):  # type: ignore[misc]
    """Asks for the address to which the link goes."""


class PasswordAgain(OurWords, allauth.ReauthenticateForm):  # type: ignore[misc]
    """Before factors are changed."""

    focus = "password"


class ChangePassword(OurWords, allauth.ChangePasswordForm):  # type: ignore[misc]
    """Asks a person who has tokens whether to keep them. By default they are revoked."""

    def __init__(self, *args: object, **kwargs: object) -> None:
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
            record(Action.PASSWORD_CHANGED, school=find_entered_school(self.user), actor=self.user, subject=self.user)
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
        record(Action.PASSWORD_RESET, school=find_entered_school(self.user), actor=self.user, subject=self.user)

    @property
    def has_tokens(self) -> bool:
        """Whether there are tokens to revoke."""
        return self.user is not None and AccessToken.objects.active().filter(membership__user=self.user).exists()


class FirstPassword(ResetPassword):
    """The password of a person who was invited and has none yet."""

    words: ClassVar[Words] = {
        "password1": ("Password", _EASY, "Write a new password."),
        "password2": ("Password, once more", "", "Write the new password once more."),
    }

    def record(self) -> None:
        """Nothing: it is recorded that the invitation was accepted."""
