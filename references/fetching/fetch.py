"""Fetch one page by a connection to an address that was checked (A3)."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True)
class Fetched:
    """An answer of a web server, after all redirects. Header names are in lower case."""

    address: str
    status: int
    body: bytes
    headers: Mapping[str, str] = field(default_factory=dict)

    @property
    def media_type(self) -> str:
        return self.headers.get("content-type", "").partition(";")[0].strip().lower()


class FetchFailed(Exception):
    """A page could not be fetched. The message says why, in words for a school's admin.

    `status` is that of the answer, 0 without one; `retry_after` the seconds that the server asked to wait.
    """

    def __init__(self, message: str, *, status: int = 0, retry_after: float | None = None) -> None:
        super().__init__(message)
        self.status, self.retry_after = status, retry_after


def fetch(
    address: str,
    *,
    hosts: Collection[str],
    media_types: Collection[str] = ("text/html", "application/xhtml+xml"),
    allow_http: bool = False,
    headers: Mapping[str, str] | None = None,
    max_bytes: int = 2_000_000,
    seconds: float = 10,
    redirects: int = 5,
) -> Fetched:
    """Fetch an address on one of these hosts.

    Every redirect must lead to one of the hosts too. Each host is resolved once, every address that it has is checked,
    and the connection goes to an address that was checked. `hosts` may carry a port ("wiki.example:8443"); without one
    only the scheme's own port is allowed. Raises FetchFailed.
    """
    raise NotImplementedError
