"""django-allauth’s adapter for second factors: secrets are encrypted, and words and pictures are ours."""

from __future__ import annotations

import base64
from typing import Any

from allauth.mfa.adapter import DefaultMFAAdapter
from allauth.mfa.models import Authenticator
from cryptography.fernet import Fernet, InvalidToken, MultiFernet
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.kdf.hkdf import HKDF
from django.conf import settings
from django.utils.encoding import force_bytes

from schools.qr_code import qr_svg


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
        return _keys().encrypt(text.encode()).decode()

    def decrypt(self, encrypted_text: str) -> str:
        """Raises a ValidationError when `SECRET_KEY` is another one than it was."""
        try:
            return _keys().decrypt(encrypted_text.encode()).decode()
        except InvalidToken:
            raise self.validation_error("unreadable") from None

    def generate_authenticator_name(self, user: Any, type: Any) -> str:
        number = Authenticator.objects.filter(user=user, type=type).count() + 1
        return "My passkey" if number == 1 else f"My passkey {number}"


def _keys() -> MultiFernet:
    return MultiFernet([Fernet(_key(secret)) for secret in (settings.SECRET_KEY, *settings.SECRET_KEY_FALLBACKS)])


def _key(secret: str | bytes) -> bytes:
    derived = HKDF(algorithm=SHA256(), length=32, salt=None, info=b"lectern second factors").derive(force_bytes(secret))
    return base64.urlsafe_b64encode(derived)
