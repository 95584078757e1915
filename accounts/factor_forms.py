"""django-allauth’s forms of second factors, in our words; and what people and schools choose about them."""

from __future__ import annotations

from typing import Any, ClassVar

from allauth.mfa.adapter import get_adapter
from allauth.mfa.base import forms as base
from allauth.mfa.models import Authenticator
from allauth.mfa.totp.forms import ActivateTOTPForm
from allauth.mfa.webauthn import forms as webauthn
from django import forms
from django.core.exceptions import ValidationError
from fido2.webauthn import AuthenticationResponse

from accounts.factors import is_spent, spend
from accounts.forms import NOT_ACCEPTED, OurWords, Words

_UNREADABLE = (KeyError, TypeError, ValueError, AttributeError)
"""What allauth and fido2 raise for a credential that no browser made."""


class _Code(OurWords):
    """Mixin: a code of an authenticator app opens once, and recovery codes are taken too."""

    focus = "code"

    def clean_code(self) -> str:
        app = Authenticator.objects.filter(user=self.user, type=Authenticator.Type.TOTP).first()  # type: ignore[attr-defined]
        if app and is_spent(app, self.cleaned_data["code"]):  # allauth forgives all guesses after a code that is right
            raise get_adapter().validation_error("incorrect_code")
        code = str(super().clean_code())  # type: ignore[misc]
        authenticator = self.authenticator  # type: ignore[attr-defined]
        if authenticator.type == Authenticator.Type.TOTP and not spend(authenticator, code):
            raise get_adapter().validation_error("incorrect_code")
        return code


class Code(_Code, base.AuthenticateForm):  # type: ignore[misc]
    """The second step of a sign-in."""


class CodeAgain(_Code, base.ReauthenticateForm):  # type: ignore[misc]
    """Before factors are changed."""


class ActivateApp(OurWords, ActivateTOTPForm):  # type: ignore[misc]
    """Asks for the first code of an authenticator app, which shows that the app has the secret."""

    words: ClassVar[Words] = {
        "code": ("The code that the app shows now", "", "Write the six digits that the app shows."),
    }


class _Passkey(OurWords):
    """Mixin: whatever is wrong with a passkey is said in one sentence."""

    def clean_credential(self) -> object:
        try:
            return super().clean_credential()  # type: ignore[misc]
        except _UNREADABLE:
            raise ValidationError(NOT_ACCEPTED) from None
        except ValidationError as problem:
            raise ValidationError(NOT_ACCEPTED) if problem.code == "incorrect_code" else problem  # noqa: B904


class PasskeySignsIn(_Passkey, webauthn.LoginWebAuthnForm):  # type: ignore[misc]
    """Without a password, so the device must have asked for a PIN or a finger."""

    def clean_credential(self) -> object:
        """Look at what the device has signed: other pages of the browser hand out challenges that do not demand it."""
        sent = self.cleaned_data["credential"]
        authenticator = super().clean_credential()
        if not AuthenticationResponse.from_dict(sent).response.authenticator_data.is_user_verified():
            raise ValidationError(NOT_ACCEPTED)
        return authenticator


class PasskeyAsSecondStep(_Passkey, webauthn.AuthenticateWebAuthnForm):  # type: ignore[misc]
    """After the password."""


class PasskeyAgain(_Passkey, webauthn.ReauthenticateWebAuthnForm):  # type: ignore[misc]
    """Before factors are changed."""


class _Named(OurWords):
    def clean_name(self) -> str:
        before: Any = getattr(super(), "clean_name", None)
        return str(before() if before else self.cleaned_data["name"])[:60]


class AddPasskey(_Named, webauthn.AddWebAuthnForm):  # type: ignore[misc]
    """Whether the passkey signs in without a password is the device’s to say, so nobody is asked."""

    def __init__(self, *args: object, **kwargs: object) -> None:
        super().__init__(*args, **kwargs)
        self.fields.pop("passwordless", None)

    def clean(self) -> Any:
        try:
            return super().clean()
        except _UNREADABLE:
            raise ValidationError(NOT_ACCEPTED) from None


class RenamePasskey(_Named, webauthn.EditWebAuthnForm):  # type: ignore[misc]
    """Another name for a passkey."""


class AlertsForm(forms.Form):
    """Whether a person wants mails about new devices."""

    alerts = forms.BooleanField(label="Mail me when I sign in on a new device", required=False)


class DemandForm(forms.Form):
    """Whether a school’s admins must have a second factor."""

    demanded = forms.BooleanField(
        label="Admins need a second factor",
        required=False,
        help_text="An admin without one then gets only to the page that sets one up, and their access tokens are "
        "refused, until they have it. Teachers and pupils notice nothing.",
    )
