"""django-allauth’s forms of second factors, in our words; and the forms of this package."""

from __future__ import annotations

from typing import Any

from allauth.account.forms import ReauthenticateForm
from allauth.mfa.adapter import get_adapter
from allauth.mfa.base import forms as base
from allauth.mfa.models import Authenticator
from allauth.mfa.totp.forms import ActivateTOTPForm
from allauth.mfa.webauthn import forms as webauthn
from allauth.mfa.webauthn.internal import auth
from django import forms
from django.core.exceptions import ValidationError

from accounts.factors import is_spent, spend
from accounts.forms import OurWords


class _Code(OurWords):
    """Mixin: a code of an authenticator app opens once, and recovery codes are taken too."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["code"].label = "Code"
        self.fields["code"].help_text = "The six digits that the app on your phone shows now, or a recovery code."
        self.fields["code"].error_messages["required"] = "Write the code."
        self.fields["code"].widget.attrs |= {"autofocus": True, "inputmode": "numeric"}

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


class PasswordAgain(OurWords, ReauthenticateForm):  # type: ignore[misc]
    """Before factors are changed."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["password"].widget.attrs["autofocus"] = True


class ActivateApp(OurWords, ActivateTOTPForm):  # type: ignore[misc]
    """Asks for the first code of an authenticator app, which shows that the app has the secret."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["code"].label = "The code that the app shows now"
        self.fields["code"].error_messages["required"] = "Write the six digits that the app shows."
        self.fields["code"].widget.attrs["inputmode"] = "numeric"


_UNREADABLE = (KeyError, TypeError, ValueError, AttributeError)
"""What allauth and fido2 raise for a credential that no browser made."""


class _Passkey(forms.Form):
    """Mixin: whatever is wrong with a passkey is said in one sentence."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["credential"].error_messages |= {"required": _NOT_ACCEPTED, "invalid": _NOT_ACCEPTED}

    def clean_credential(self) -> Any:
        try:
            return super().clean_credential()  # type: ignore[misc]
        except _UNREADABLE:
            raise ValidationError(_NOT_ACCEPTED) from None
        except ValidationError as problem:
            raise ValidationError(_NOT_ACCEPTED) if problem.code == "incorrect_code" else problem  # noqa: B904


_NOT_ACCEPTED = "This passkey was not accepted."


class PasskeySignsIn(_Passkey, webauthn.LoginWebAuthnForm):  # type: ignore[misc]
    """Without a password, so the device must have asked for a PIN or a finger."""

    def clean_credential(self) -> Any:
        # Other pages of the same browser hand out challenges that do not demand it: the second step of any account.
        if (auth.get_state() or {}).get("user_verification") != "required":
            raise ValidationError(_NOT_ACCEPTED)
        return super().clean_credential()


class PasskeyAsSecondStep(_Passkey, webauthn.AuthenticateWebAuthnForm):  # type: ignore[misc]
    """After the password."""


class PasskeyAgain(_Passkey, webauthn.ReauthenticateWebAuthnForm):  # type: ignore[misc]
    """Before factors are changed."""


class _Named(OurWords):
    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        name: Any = self.fields["name"]
        name.label = "Name of the passkey"
        name.help_text = "So that you recognise it later, such as “Phone” or “Blue key”."
        name.max_length = 60
        name.widget.attrs |= {"maxlength": 60, "autocomplete": "off"}
        name.error_messages["required"] = "Write a name."

    def clean_name(self) -> str:
        before: Any = getattr(super(), "clean_name", None)
        return str(before() if before else self.cleaned_data["name"])[:60]


class AddPasskey(_Named, webauthn.AddWebAuthnForm):  # type: ignore[misc]
    """Whether the passkey signs in without a password is the device’s to say, so nobody is asked."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields.pop("passwordless", None)
        self.fields["credential"].error_messages |= {"required": _NOT_ACCEPTED, "invalid": _NOT_ACCEPTED}

    def clean(self) -> Any:
        try:
            return super().clean()
        except _UNREADABLE:
            raise ValidationError(_NOT_ACCEPTED) from None


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
