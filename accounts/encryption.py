"""Secrets of the database, encrypted with a key that is derived from `SECRET_KEY`, another one for each purpose."""

from __future__ import annotations

import base64

from cryptography.fernet import Fernet, InvalidToken, MultiFernet
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.kdf.hkdf import HKDF
from django.conf import settings
from django.utils.encoding import force_bytes


class Unreadable(Exception):
    """The key of the installation is another one than it was."""


def seal(text: str, purpose: str = "single sign-on") -> str:
    """Encrypt."""
    return _keys(purpose).encrypt(text.encode()).decode()


def unseal(text: str, purpose: str = "single sign-on") -> str:
    """Decrypt. Raise Unreadable."""
    try:
        return _keys(purpose).decrypt(text.encode()).decode()
    except InvalidToken:
        raise Unreadable from None


def _keys(purpose: str) -> MultiFernet:
    return MultiFernet(
        [Fernet(_derive(secret, purpose)) for secret in (settings.SECRET_KEY, *settings.SECRET_KEY_FALLBACKS)]
    )


def _derive(secret: str | bytes, purpose: str) -> bytes:
    kdf = HKDF(algorithm=SHA256(), length=32, salt=None, info=f"lectern {purpose}".encode())
    return base64.urlsafe_b64encode(kdf.derive(force_bytes(secret)))
