"""Fetch one page by a connection to an address that was checked (A3)."""

from __future__ import annotations

import logging
import ssl
import time
import zlib
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from email.utils import parsedate_to_datetime
from functools import cache
from urllib.parse import quote

import certifi
import httpcore
from django.conf import settings

from references.fetching.addresses import DEFAULT_PORTS, Target, may_connect, parse_target, resolve_redirect
from references.fetching.connections import CheckedBackend, Deadline, Resolver, resolve_host, system_resolver
from references.fetching.errors import FetchFailed, NoAnswer
from references.fetching.permit import Permit

__all__ = ["FetchFailed", "FetchedPage", "NoAnswer", "fetch"]

logger = logging.getLogger(__name__)
_HEADERS = 128 * 1024
"""Bytes that an answer may have beside its page: headers, the signs of chunks, encryption."""


@dataclass(frozen=True)
class FetchedPage:
    """The page of a web server, after all redirects. Header names are in lower case."""

    address: str
    body: bytes
    headers: Mapping[str, str] = field(default_factory=dict)

    @property
    def media_type(self) -> str:
        return _media_type(self.headers)


@dataclass(frozen=True)
class _Request:
    """What stays the same over all redirects."""

    media_types: Collection[str]
    max_bytes: int
    deadline: Deadline
    resolver: Resolver
    ssl_context: ssl.SSLContext
    allow_private: bool
    addresses: dict[str, Sequence[str]] = field(default_factory=dict)  # by host: each is resolved once


def fetch(
    address: str,
    *,
    permit: Permit,
    hosts: Collection[str] | None,
    media_types: Collection[str] = ("text/html", "application/xhtml+xml"),
    allow_http: bool = False,
    allow_private: bool = False,
    max_bytes: int = 2_000_000,
    seconds: float = 10,
    redirects: int = 5,
    resolver: Resolver = system_resolver,
    ssl_context: ssl.SSLContext | None = None,
) -> FetchedPage:
    """Fetch an address on one of these hosts. The permit comes from `references.outside_calls.get_permit`.

    Every redirect must lead to one of the hosts too. Each host is resolved once, every address that it has is checked,
    and the connection goes to an address that was checked. `hosts` may carry a port ("wiki.example:8443"); without one
    only the scheme's own port is allowed, and with None any public host on that port. `allow_private` is for hosts that
    the operator has named: they may be in a private network. `max_bytes` counts before and after decompression,
    `seconds` from the start to the last byte. There are no cookies, and no proxies of the
    environment. Raises FetchFailed, also where the installation makes no calls to the outside.
    """
    if settings.LECTERN_OFFLINE:
        raise FetchFailed("This installation makes no calls to the outside (LECTERN_OFFLINE).")
    deadline = Deadline(seconds)
    request = _Request(media_types, max_bytes, deadline, resolver, ssl_context or _default_ssl_context(), allow_private)
    for _ in range(redirects + 1):
        target = parse_target(address, hosts=hosts, allow_http=allow_http)
        # A host that nobody has listed must not be tried for services on other ports.
        if hosts is None and target.port != DEFAULT_PORTS[target.scheme] and not _may_be_here(target):
            raise FetchFailed(f"{target.netloc} is not fetched: pages are on the usual port of a web server.")
        found = _get(target, request)
        if isinstance(found, FetchedPage):
            return found
        address = resolve_redirect(target, found)
    raise FetchFailed(f"The site redirects more than {redirects} times.")


def user_agent() -> str:
    """Product, version, and whom the operator of a site may write to."""
    contact = quote(settings.LECTERN_FETCH_CONTACT.removeprefix("mailto:"), safe="/:@+?&=#%~")  # headers are ASCII
    return f"Lectern/{settings.LECTERN_VERSION}" + (f" ({contact})" if contact else "")


def _get(target: Target, request: _Request) -> FetchedPage | str:
    """The page, or where it redirects to."""
    addresses = _checked_addresses(target, request)
    backend = CheckedBackend(addresses, deadline=request.deadline, max_bytes=request.max_bytes + _HEADERS)
    with _in_words(target, request.deadline), _answer(target, request, backend) as response:
        headers = {name.decode("latin-1").lower(): value.decode("latin-1") for name, value in response.headers}
        if response.status in (301, 302, 303, 307, 308) and "location" in headers:
            return _location(headers["location"])
        if response.status != 200:
            raise FetchFailed(_refusal(response.status), status=response.status, retry_after=_retry_after(headers))
        if (media_type := _media_type(headers)) not in request.media_types:
            kind = f"“{media_type[:60]}”" if media_type else "without a type"
            raise FetchFailed(f"The site sent something else than a page of text ({kind}).", status=200)
        return FetchedPage(str(target), read_body(response.iter_stream(), headers, request.max_bytes), headers)


def _checked_addresses(target: Target, request: _Request) -> Sequence[str]:
    """The IP addresses of the target's host, if all of them may be connected to.

    The message says neither what they are nor whether there are any: whoever lists a host must not learn the names and
    addresses inside our network. The log says it to the operator.
    """
    if target.host not in request.addresses:
        request.addresses[target.host] = resolve_host(
            target.host, target.port, resolver=request.resolver, deadline=request.deadline
        )
    addresses = request.addresses[target.host]
    if not may_connect(addresses, allow_loopback=_may_be_here(target), allow_private=request.allow_private):
        logger.info("Not fetched: %s has the addresses %s", target.host, ", ".join(addresses) or "-")
        raise FetchFailed(f"There is no public site {target.host}: the name is unknown, or is in a private network.")
    return addresses


def _may_be_here(target: Target) -> bool:
    """Whether the operator lets it be on this machine."""
    return settings.LECTERN_FETCH_LOOPBACK or target.netloc == settings.LECTERN_DEMO_PAGES


@contextmanager
def _answer(target: Target, request: _Request, backend: CheckedBackend) -> Iterator[httpcore.Response]:
    """The answer to one request, over a connection of its own. httpcore knows neither cookies nor the environment."""
    headers = {
        "Host": target.netloc,
        "User-Agent": user_agent(),
        "Accept": ", ".join(request.media_types),
        "Accept-Encoding": "gzip",
        "Connection": "close",
    }
    url = httpcore.URL(
        scheme=target.scheme.encode(), host=target.host.encode(), port=target.port, target=target.path.encode()
    )
    with (
        httpcore.ConnectionPool(
            ssl_context=request.ssl_context, network_backend=backend, max_connections=1, retries=0
        ) as pool,
        pool.stream("GET", url, headers=list(headers.items())) as response,
    ):
        yield response


@contextmanager
def _in_words(target: Target, deadline: Deadline) -> Iterator[None]:
    try:
        yield
    except httpcore.TimeoutException:
        raise deadline.passed() from None
    except httpcore.ConnectError as error:
        reason = _tls_reason(error) or "does not accept connections"
        logger.info("No connection to %s: %s", target.netloc, error)
        raise NoAnswer(f"{target.netloc} {reason}.") from None
    except (httpcore.NetworkError, httpcore.ProtocolError) as error:
        logger.info("No answer of %s: %s", target.netloc, error)
        raise NoAnswer(f"{target.netloc} broke off, or its answer is not one of a web server.") from None


def _tls_reason(error: BaseException | None) -> str:
    """What is wrong with the encryption; "" if that is not the reason."""
    while error is not None:
        if isinstance(error, ssl.SSLCertVerificationError):
            return "has a certificate that is not valid for it"
        if isinstance(error, ssl.SSLError):
            return "does not speak the encryption of https"
        error = error.__cause__ or error.__context__
    return ""


def _refusal(status: int) -> str:
    words = {
        401: "wants a password for this page",
        403: "does not let us read this page",
        404: "has no such page",
        410: "has no such page any more",
        429: "asks us to come back later",
        503: "asks us to come back later",
    }
    return f"The site {words.get(status, 'answered with an error')} ({status})."


def _location(value: str) -> str:
    try:
        return value.encode("latin-1").decode()  # some send it as UTF-8
    except UnicodeDecodeError:
        return value


def _media_type(headers: Mapping[str, str]) -> str:
    return headers.get("content-type", "").partition(";")[0].strip().lower()


def read_body(chunks: Iterable[bytes], headers: Mapping[str, str], max_bytes: int) -> bytes:
    """The body, unpacked. Raises FetchFailed if it is larger, before and after unpacking.

    A few bytes can unpack to gigabytes, so no more is unpacked than is still allowed.
    """
    if _declared(headers) > max_bytes:
        raise _too_large(max_bytes)
    encoding = headers.get("content-encoding", "").strip().lower()
    if encoding in ("", "identity"):
        return _joined(chunks, max_bytes)
    if encoding in ("gzip", "x-gzip"):
        return _joined(_unpacked(chunks, max_bytes), max_bytes)
    raise FetchFailed(f"The page is packed in a way that was not asked for (“{encoding[:30]}”).")


def _declared(headers: Mapping[str, str]) -> int:
    value = headers.get("content-length", "")
    return int(value[:20]) if value.isascii() and value.isdigit() else 0


def _joined(chunks: Iterable[bytes], max_bytes: int) -> bytes:
    body = bytearray()
    for chunk in chunks:
        body += chunk
        if len(body) > max_bytes:
            raise _too_large(max_bytes)
    return bytes(body)


def _unpacked(chunks: Iterable[bytes], max_bytes: int) -> Iterable[bytes]:
    unpacker, left = zlib.decompressobj(16 + zlib.MAX_WBITS), max_bytes  # gzip
    try:
        for chunk in chunks:
            piece = unpacker.decompress(chunk, left + 1)
            left -= len(piece)
            yield piece
            if unpacker.unconsumed_tail or left < 0:
                raise _too_large(max_bytes)
    except zlib.error:
        raise FetchFailed("The page cannot be unpacked.") from None
    if not unpacker.eof or unpacker.unused_data:
        raise FetchFailed("The page cannot be unpacked as a whole.")


def _too_large(max_bytes: int) -> FetchFailed:
    return FetchFailed(f"The page is larger than {max_bytes / 1_000_000:g} MB.")


def _retry_after(headers: Mapping[str, str]) -> float | None:
    """Seconds to wait, of a number or of a date."""
    value = headers.get("retry-after", "").strip()
    if value.isascii() and value.isdigit():
        return float(value[:9])
    try:
        return max(parsedate_to_datetime(value).timestamp() - time.time(), 0.0)
    except (ValueError, TypeError, OverflowError):
        return None


@cache
def _default_ssl_context() -> ssl.SSLContext:
    """Trusts the authorities of certifi and those of this machine, where a school's own may be."""
    context = ssl.create_default_context(cafile=certifi.where())
    context.load_default_certs()
    return context
