"""django-allauth’s adapter for second factors: secrets are encrypted, and words and pictures are ours."""

from __future__ import annotations

from allauth.mfa.adapter import DefaultMFAAdapter
from allauth.mfa.models import Authenticator

from accounts import encryption
from schools.qr_code import qr_svg

_PURPOSE = "second factors"


class MFAAdapter(DefaultMFAAdapter):  # type: ignore[misc]
    """Encrypts the secrets of authenticator apps and recovery codes with a key derived from `SECRET_KEY`."""

    error_messages = {
        **DefaultMFAAdapter.error_messages,
        "incorrect_code": "This code is not right, or it was used already. The app shows another one "
        "within half a minute.",
        "cannot_generate_recovery_codes": "Set up an authenticator app or a passkey first.",
        "unreadable": "The key of this installation has changed, so this cannot be checked. Sign in with a passkey, or "
        "ask your school’s admin to reset how you sign in.",
    }

    def build_totp_svg(self, url: str) -> str:
        return qr_svg(url)

    def encrypt(self, text: str) -> str:
        return encryption.seal(text, _PURPOSE)

    def decrypt(self, encrypted_text: str) -> str:
        """Raise a ValidationError when `SECRET_KEY` is another one than it was."""
        try:
            return encryption.unseal(encrypted_text, _PURPOSE)
        except encryption.Unreadable:
            raise self.validation_error("unreadable") from None

    def generate_authenticator_name(self, user: object, type: object) -> str:
        number = Authenticator.objects.filter(user=user, type=type).count() + 1
        return "My passkey" if number == 1 else f"My passkey {number}"
