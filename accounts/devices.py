"""Devices: in plain words, and whether an account has been used on one before.

A device is known by a signed cookie that lasts for a year: it names, by their hashes, the accounts that have signed in
there. So the server stores nothing about devices, and a shared computer in a staff room is known to each of its users.
"""

from __future__ import annotations

from ipaddress import ip_address

from django.conf import settings
from django.core import signing
from django.http import HttpRequest, HttpResponseBase
from django.utils.crypto import salted_hmac

COOKIE = "lectern_device"
_DAYS = 365
_SALT = "accounts.devices"

# The first word that is found names it: most browsers also claim to be those further down.
_BROWSERS = (
    *(("Edg", "Edge"), ("OPR/", "Opera"), ("SamsungBrowser", "Samsung Internet"), ("Firefox", "Firefox")),
    *(("FxiOS", "Firefox"), ("CriOS", "Chrome"), ("Chrome", "Chrome"), ("Safari", "Safari")),
)
_SYSTEMS = (
    *(("iPhone", "an iPhone"), ("iPad", "an iPad"), ("Android", "Android"), ("CrOS", "a Chromebook")),
    *(("Windows", "Windows"), ("Macintosh", "a Mac"), ("Linux", "Linux")),
)


def describe_device(user_agent: str) -> str:
    """Such as “Firefox on Windows”."""
    browser = next((name for word, name in _BROWSERS if word in user_agent), "")
    system = next((name for word, name in _SYSTEMS if word in user_agent), "")
    if browser and system:
        return f"{browser} on {system}"
    return browser or (f"A browser on {system}" if system else "An unknown browser")


def can_have_passkeys(request: HttpRequest) -> bool:
    """Browsers offer passkeys over HTTPS or on localhost, and never for a bare IP address."""
    host = request.get_host().rpartition(":")[0] or request.get_host()
    try:
        ip_address(host.strip("[]"))
    except ValueError:
        return request.is_secure() or host == "localhost"
    return False


def is_known(request: HttpRequest, user: object) -> bool:
    """Whether this account has signed in on this device before."""
    return _mark(user) in _marks(request)


def remember(request: HttpRequest, response: HttpResponseBase, user: object) -> None:
    """Let the browser keep that this account has signed in there."""
    # At most 40, which take about 1 kB.
    marks = [_mark(user), *(mark for mark in _marks(request) if mark != _mark(user))][:40]
    response.set_cookie(
        COOKIE,
        signing.dumps(marks, salt=_SALT),
        max_age=_DAYS * 86400,
        secure=settings.SESSION_COOKIE_SECURE,
        httponly=True,
        samesite="Lax",
    )


def _marks(request: HttpRequest) -> list[str]:
    try:
        marks = signing.loads(request.COOKIES.get(COOKIE, ""), salt=_SALT, max_age=_DAYS * 86400)
    except signing.BadSignature:
        return []
    return [str(mark) for mark in marks] if isinstance(marks, list) else []


def _mark(user: object) -> str:
    return salted_hmac(_SALT, str(getattr(user, "pk", ""))).hexdigest()[:20]
