"""Which web addresses, and which IP addresses behind them, may be fetched. Pure."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable
from dataclasses import dataclass
from ipaddress import IPv4Address, IPv6Address, ip_address, ip_network
from urllib.parse import quote, urljoin, urlsplit

import idna

from references.fetching.errors import FetchFailed

MAX_ADDRESS_LENGTH = 2000
"""Characters of an address, as many as are stored."""

DEFAULT_PORTS = {"https": 443, "http": 80}
_FORBIDDEN = re.compile(r"[\x00-\x20\x7f\\]")  # urlsplit would drop some of them, and browsers read \ as /
_LABEL = re.compile(r"[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?")
_NUMBER = re.compile(r"0x[0-9a-f]*|[0-9]+")
_PLACE = re.compile(r"(?P<host>\[[^\[\]]*\]|[^:\[\]]+)(?::(?P<port>[0-9]{1,5}))?")
_KEPT = "/%:@!$&'()*+,;=~?"  # stays as it is in a path or a query
_LOOPBACK = (ip_network("127.0.0.0/8"), ip_network("::1/128"))
_PRIVATE = tuple(map(ip_network, ("10.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16", "fc00::/7")))
_GLOBAL_UNICAST = ip_network("2000::/3")
# Python calls some of these global. Most carry an IPv4 address that a translator or a tunnel would connect to.
_NOT_PUBLIC = tuple(
    ip_network(network)
    for network in (
        "192.0.0.0/24",  # IETF protocol assignments
        "192.88.99.0/24",  # 6to4 relays
        "2001::/23",  # IETF protocol assignments: Teredo (2001::/32), ORCHID, benchmarks
        "2002::/16",  # 6to4
        "3fff::/20",  # documentation
        # Outside 2000::/3 already, and named for the reader:
        "64:ff9b::/96",  # NAT64
        "64:ff9b:1::/48",  # NAT64 of a local network
        "::/96",  # IPv4-compatible
        "::ffff:0:0/96",  # IPv4-mapped
        "::ffff:0:0:0/96",  # IPv4-translated
    )
)


@dataclass(frozen=True)
class Target:
    """A checked address: `host` is in ASCII and lower case, an IPv6 address without brackets; `path` has the query."""

    scheme: str
    host: str
    port: int
    path: str

    @property
    def netloc(self) -> str:
        host = f"[{self.host}]" if ":" in self.host else self.host
        return host if self.port == DEFAULT_PORTS[self.scheme] else f"{host}:{self.port}"

    def __str__(self) -> str:
        return f"{self.scheme}://{self.netloc}{self.path}"


def parse_target(address: str, *, hosts: Iterable[str] | None, allow_http: bool) -> Target:
    """The address, if it leads to one of the hosts, or to any with None. Raises FetchFailed.

    `hosts` may carry a port ("wiki.example:8443"); without one only the scheme's own port is allowed.
    """
    if len(address) > MAX_ADDRESS_LENGTH:
        raise FetchFailed(f"The address is longer than {MAX_ADDRESS_LENGTH} characters.")
    if _FORBIDDEN.search(address):
        raise FetchFailed("The address has a character that does not belong there.")
    scheme, userinfo, host, port, path = _parts(address)
    if scheme not in DEFAULT_PORTS:
        raise FetchFailed("The address must begin with https://.")
    if scheme == "http" and not allow_http:
        raise FetchFailed("The address begins with http://, and only encrypted pages (https://) are fetched.")
    if userinfo:
        raise FetchFailed("The address has a user name or a password before the name of the site.")
    target = Target(scheme, normal_host(host), DEFAULT_PORTS[scheme] if port is None else port, path)
    if hosts is not None and (target.host, target.port) not in (_entry(one, scheme) for one in hosts):
        raise FetchFailed(f"{target.netloc} is not on the list.")
    return target


def resolve_redirect(target: Target, location: str) -> str:
    """Where a redirect of the target leads, not yet checked. Raises FetchFailed."""
    try:
        return urljoin(str(target), location).partition("#")[0]
    except ValueError:
        raise _no_address() from None


def normal_host(host: str) -> str:
    """A host name in ASCII, lower case and without its trailing dot, or an IP address in its only spelling.

    Raises FetchFailed for what is neither: a name with forbidden characters, or an IP address written as one number,
    in octal or in hexadecimal, which systems read differently.
    """
    if host.startswith("["):
        return _ipv6(host)
    try:
        name = host if host.isascii() else idna.encode(host, uts46=True).decode()
    except (idna.IDNAError, UnicodeError):
        raise FetchFailed("The name of the site is not a valid host name.") from None
    name = name.lower().removesuffix(".")
    if _NUMBER.fullmatch(name.rpartition(".")[2]):
        return _ipv4(name)
    if len(name) > 253 or not all(_LABEL.fullmatch(label) for label in name.split(".")):
        raise FetchFailed("The name of the site is not a valid host name.")
    return name


def may_connect(addresses: Collection[str], *, allow_loopback: bool = False, allow_private: bool = False) -> bool:
    """Whether there are IP addresses, and each is public, or of this machine or a private network where allowed."""
    more = (_LOOPBACK if allow_loopback else ()) + (_PRIVATE if allow_private else ())
    try:
        found = [ip_address(address) for address in addresses]
    except ValueError:
        return False
    return bool(found) and all(_is_public(ip) or any(ip in network for network in more) for ip in found)


def _is_public(ip: IPv4Address | IPv6Address) -> bool:
    """Whether a connection to this address leaves every private network."""
    if isinstance(ip, IPv6Address) and ip not in _GLOBAL_UNICAST:
        return False
    return ip.is_global and not ip.is_multicast and not any(ip in network for network in _NOT_PUBLIC)


def _parts(address: str) -> tuple[str, str, str, int | None, str]:
    """Scheme, what stands up to an @, host, port, path with query. Raises FetchFailed."""
    try:
        parts = urlsplit(address)
    except ValueError:
        raise _no_address() from None
    before, at, place = parts.netloc.rpartition("@")
    match = _PLACE.fullmatch(place)
    port = int(match["port"]) if match and match["port"] else None
    if not match or (port is not None and not 0 < port < 65536):
        raise _no_address()
    path = (quote(parts.path, safe=_KEPT) or "/") + (f"?{quote(parts.query, safe=_KEPT)}" if parts.query else "")
    return parts.scheme, before + at, match["host"], port, path


def _no_address() -> FetchFailed:
    return FetchFailed("This is not a web address.")


def _ipv4(name: str) -> str:
    try:
        return str(IPv4Address(name))
    except ValueError:
        raise FetchFailed("The name of the site is a number in an unusual spelling.") from None


def _ipv6(host: str) -> str:
    try:
        ip = IPv6Address(host[1:-1])
    except ValueError:
        raise FetchFailed("The name of the site is not a valid IPv6 address.") from None
    if ip.scope_id is not None:
        raise FetchFailed("The name of the site is an address of one network card only.")
    return str(ip)


def _entry(entry: str, scheme: str) -> tuple[str, int] | None:
    """Host and port of an entry of the list; None for one that is no host."""
    try:
        _, userinfo, host, port, _ = _parts(f"//{entry}")
        return None if userinfo else (normal_host(host), DEFAULT_PORTS[scheme] if port is None else port)
    except FetchFailed:
        return None
