"""Secrets of the database, encrypted with a key that is derived from `SECRET_KEY`."""

from __future__ import annotations

import base64

from cryptography.fernet import Fernet, InvalidToken, MultiFernet
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.kdf.hkdf import HKDF
from django.conf import settings
from django.utils.encoding import force_bytes


class Unreadable(Exception):
    """The key of the installation is another one than it was."""


def seal(text: str) -> str:
    """Encrypt."""
    return _keys().encrypt(text.encode()).decode()


def unseal(text: str) -> str:
    """Decrypt. Raises Unreadable."""
    try:
        return _keys().decrypt(text.encode()).decode()
    except InvalidToken:
        raise Unreadable from None


def _keys() -> MultiFernet:
    return MultiFernet([Fernet(_key(secret)) for secret in (settings.SECRET_KEY, *settings.SECRET_KEY_FALLBACKS)])


def _key(secret: str | bytes) -> bytes:
    derived = HKDF(algorithm=SHA256(), length=32, salt=None, info=b"lectern single sign-on").derive(force_bytes(secret))
    return base64.urlsafe_b64encode(derived)
