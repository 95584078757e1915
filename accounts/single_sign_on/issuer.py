"""Speak to an issuer over the network: its description, its keys. It may be slow, down, or send nonsense."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from hashlib import sha256
from ipaddress import ip_address
from typing import Any
from urllib.parse import urlsplit

import requests
from allauth.socialaccount.providers.oauth2.client import OAuth2Error
from django.conf import settings
from django.core.cache import cache
from django.db import connection
from urllib3.exceptions import HTTPError

SECONDS = (5, 8)
"""To connect, and between two pieces of an answer."""
MAX_SECONDS = 15
"""Seconds for a whole answer: one byte every few seconds would come for days."""
UNREACHABLE = "unreachable"
"""The code of a failure for which no other request would have fared better."""
ENDPOINTS = ("authorization_endpoint", "token_endpoint", "jwks_uri")
_keeps_connection: ContextVar[bool] = ContextVar("keeps_connection", default=False)


@contextmanager
def keep_connection() -> Iterator[None]:
    """Calls in here leave the connection to the database open, such as while it holds an advisory lock."""
    before = _keeps_connection.set(True)
    try:
        yield
    finally:
        _keeps_connection.reset(before)


class IssuerFailed(OAuth2Error):  # type: ignore[misc]
    """The issuer could not be spoken to, or what it says is wrong. The message is for operators, `code` for programs.

    `status` is that of its answer, where there was one.
    """

    def __init__(self, message: str, code: str = "failed", *, status: int = 0) -> None:
        super().__init__(message)
        self.code, self.status = code, status


class Session(requests.Session):
    """Encrypted connections only, no redirects, no proxies or passwords of the environment, answers of limited size."""

    def __init__(self) -> None:
        super().__init__()
        self.trust_env = False

    def request(self, method: Any, url: Any, **options: Any) -> requests.Response:  # type: ignore[override]
        """Raises IssuerFailed, and RequestException when there is no answer."""
        check_address(str(url))
        if not connection.in_atomic_block and not _keeps_connection.get():
            connection.close()  # the pool is everybody’s, and nobody waits for the issuer of another school
        until = time.monotonic() + MAX_SECONDS
        options |= {"timeout": SECONDS, "allow_redirects": False, "stream": True}
        response = super().request(method, url, **options)
        if response.is_redirect:
            raise IssuerFailed(f"{_host(str(url))} answered with a redirect.")
        body = b""
        for piece in _pieces(response):
            body += piece
            if len(body) > 1_000_000:
                raise IssuerFailed(f"The answer of {_host(str(url))} is too long.")
            if time.monotonic() > until:
                raise IssuerFailed(f"The answer of {_host(str(url))} takes too long.")
        response._content = body
        return response


def _pieces(response: requests.Response) -> Iterator[bytes]:
    """As they come: `iter_content` waits until a piece is full."""
    try:
        while piece := response.raw.read1(65536, decode_content=True):
            yield piece
    except HTTPError as problem:
        raise requests.ConnectionError(problem) from problem


def check_address(address: str) -> None:
    """Raises IssuerFailed if the address is not https (with LECTERN_FETCH_LOOPBACK http to this machine, too)."""
    try:
        parts = urlsplit(address)
        host = parts.hostname or ""
    except ValueError:
        raise IssuerFailed("The address is not a web address.") from None
    plain = parts.scheme == "http" and settings.LECTERN_FETCH_LOOPBACK and _is_here(host)
    if not host or "@" in parts.netloc or (parts.scheme != "https" and not plain):
        raise IssuerFailed(f"The address must begin with https://, and “{address[:80]}” does not.")
    if settings.LECTERN_OFFLINE and not _is_here(host):
        raise IssuerFailed("LECTERN_OFFLINE is set: this installation calls nobody.")


def describe(issuer: str) -> Mapping[str, Any]:
    """Return the issuer's own description (“discovery document”), kept for ten minutes. Raise IssuerFailed."""
    return _keep(issuer, lambda: read_description(issuer))


def read_keys(address: str, *, anew: bool = False) -> Mapping[str, object]:
    """Return the keys at this address (JWKS), kept for ten minutes. Raise IssuerFailed."""
    return _keep(address, lambda: get_json(address), anew=anew)


def _keep(address: str, read: Callable[[], dict[str, object]], *, anew: bool = False) -> Mapping[str, object]:
    key = f"single-sign-on-{sha256(address.encode()).hexdigest()}"
    if anew:
        cache.delete(key)
    found: Mapping[str, Any] = cache.get_or_set(key, read, 600) or {}
    return found


def read_description(issuer: str) -> dict[str, object]:
    """The same, asked anew."""
    found = get_json(f"{issuer.rstrip('/')}/.well-known/openid-configuration")
    if found.get("issuer") != issuer:
        raise IssuerFailed(f"It calls itself “{str(found.get('issuer'))[:200]}”, and “{issuer}” was expected.")
    for name in ENDPOINTS:
        check_address(str(found.get(name, "")))
    if found.get("userinfo_endpoint"):
        check_address(str(found["userinfo_endpoint"]))
    return found


def get_json(address: str, **options: Any) -> dict[str, Any]:
    """A JSON object. Raises IssuerFailed for everything else."""
    try:
        with Session() as session:
            response = session.get(address, **options)
            response.raise_for_status()
            found = response.json()
    except (requests.RequestException, ValueError, RecursionError) as problem:
        raise IssuerFailed(f"{_host(address)} could not be read: {type(problem).__name__}.") from problem
    if not isinstance(found, dict):
        raise IssuerFailed(f"{_host(address)} sent something else than expected.")
    return found


def post(address: str, **options: Any) -> Any:
    """Send something; what comes back as JSON, None for anything else. Raises IssuerFailed, for an error status too."""
    try:
        with Session() as session:
            response = session.post(address, **options)
    except requests.RequestException as problem:
        raise IssuerFailed(
            f"{_host(address)} could not be reached: {type(problem).__name__}.", UNREACHABLE
        ) from problem
    if not response.ok:
        raise IssuerFailed(f"{_host(address)} answered with {response.status_code}.", status=response.status_code)
    try:
        return response.json()
    except (ValueError, RecursionError):
        return None


def _host(address: str) -> str:
    return urlsplit(address).netloc[:100]


def _is_here(host: str) -> bool:
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"
