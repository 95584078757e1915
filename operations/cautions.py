"""What is unsafe in how an installation is set up, in sentences for its operator."""

from __future__ import annotations

import logging
import threading
from ipaddress import ip_address

from django.conf import settings
from django.http import HttpRequest

from plugins import call_hooks

logger = logging.getLogger(__name__)
_has_warned = threading.Event()


def find_in_settings() -> list[str]:
    """What the log says at the start of each process."""
    found = []
    if "*" in settings.FORWARDED_ALLOW_IPS:
        found.append(
            "FORWARDED_ALLOW_IPS is *: anybody can invent an address and get around the limits on guessing passwords. "
            "Set it to the address of your proxy."
        )
    if settings.LECTERN_IS_PUBLIC and settings.EMAIL_BACKEND.endswith("filebased.EmailBackend"):
        found.append(
            "EMAIL_URL is not set: nobody gets a mail, not even of concerns about pupils. Mails are files in "
            f"{settings.DATA_DIR / 'mail'}."
        )
    return sum(call_hooks("cautions"), found)


def find_in_request(request: HttpRequest) -> str:
    """Say that everybody seems to have the address of the proxy; empty where nothing is wrong.

    Where Uvicorn trusts the proxy, the address of the request is one of those in X-Forwarded-For.
    """
    address = request.META.get("REMOTE_ADDR", "")
    forwarded = request.META.get("HTTP_X_FORWARDED_FOR", "")
    if address in forwarded or not _is_private(address):
        return ""
    if forwarded:
        return (
            f"X-Forwarded-For from {address} is not believed, so everybody counts as one address. If that is your "
            f"proxy, set FORWARDED_ALLOW_IPS={address}."
        )
    if settings.HTTPS and "HTTP_X_FORWARDED_PROTO" in request.META:
        return (
            f"The proxy sets no X-Forwarded-For, so everybody counts as {address}, and anybody can invent an address. "
            "docs/operations.md says how it must be set."
        )
    return ""


def warn_once(request: HttpRequest) -> None:
    """Write to the log what is wrong with this request's address, once in each process. Health checks have no proxy."""
    if not _has_warned.is_set() and request.path not in ("/healthz", "/readyz") and (found := find_in_request(request)):
        _has_warned.set()
        logger.warning(found)


def _is_private(address: str) -> bool:
    try:
        return ip_address(address).is_private
    except ValueError:
        return False
