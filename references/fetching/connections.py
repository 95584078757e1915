"""Connections to IP addresses that were checked, with limits on their time and bytes."""

from __future__ import annotations

import socket
import threading
import time
from collections.abc import Callable, Iterable, Sequence
from ssl import SSLContext
from typing import Any

import httpcore

from references.fetching.errors import FetchFailed, NoAnswer

Resolver = Callable[[str, int], Sequence[str]]
"""The IP addresses of a host, for a port. Raises OSError."""


def system_resolver(host: str, port: int) -> list[str]:
    """What this machine's resolver says, best first."""
    found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    return list(dict.fromkeys(str(info[4][0]) for info in found))


class Deadline:
    """The end of the time for a page, redirects and the resolution of names included."""

    def __init__(self, seconds: float) -> None:
        self._seconds, self._end = seconds, time.monotonic() + seconds

    def remaining(self) -> float:
        """Seconds that are left. Raises FetchFailed if there are none."""
        left = self._end - time.monotonic()
        if left <= 0:
            raise self.passed()
        return left

    def passed(self) -> FetchFailed:
        return NoAnswer(f"The site took longer than {max(round(self._seconds, 1), 0.1):g} seconds.")


def resolve_host(host: str, port: int, *, resolver: Resolver, deadline: Deadline) -> Sequence[str]:
    """The IP addresses of a host, none if it has none. Raises FetchFailed if that takes too long.

    The system's resolver knows no time limit, so it runs in a thread that is left alone when it is late.
    """
    found: list[str] = []

    def ask() -> None:
        try:
            found.extend(resolver(host, port))
        except (OSError, UnicodeError):
            found.clear()

    thread = threading.Thread(target=ask, name="resolver", daemon=True)
    thread.start()
    thread.join(deadline.remaining())
    if thread.is_alive():
        raise deadline.passed()
    return found


class CheckedBackend(httpcore.NetworkBackend):
    """Connects to these IP addresses and no others, whatever the host's name leads to by now."""

    def __init__(self, addresses: Sequence[str], *, deadline: Deadline, max_bytes: int) -> None:
        self._addresses, self._deadline, self._max_bytes = addresses[:4], deadline, max_bytes
        self._sockets = httpcore.SyncBackend()

    def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,
        local_address: str | None = None,
        socket_options: Iterable[Any] | None = None,
    ) -> httpcore.NetworkStream:
        """Connect to the first address that accepts; each gets its share of the time. `host` is ignored."""
        for n, address in enumerate(self._addresses):
            share = self._deadline.remaining() / (len(self._addresses) - n)
            try:
                stream = self._sockets.connect_tcp(address, port, share, local_address, socket_options)
            except (httpcore.ConnectError, httpcore.ConnectTimeout):
                if n == len(self._addresses) - 1:
                    raise
            else:
                return _LimitedStream(stream, self._deadline, self._max_bytes)
        raise httpcore.ConnectError("no address")

    def connect_unix_socket(
        self, path: str, timeout: float | None = None, socket_options: Iterable[object] | None = None
    ) -> httpcore.NetworkStream:
        raise httpcore.ConnectError("not a network")


class _LimitedStream(httpcore.NetworkStream):
    """Every step gets the time that is left of the whole, so that no slow drip lasts longer."""

    def __init__(self, stream: httpcore.NetworkStream, deadline: Deadline, max_bytes: int) -> None:
        self._stream, self._deadline, self._left = stream, deadline, max_bytes

    def read(self, max_bytes: int, timeout: float | None = None) -> bytes:
        data = self._stream.read(max_bytes, self._deadline.remaining())
        self._left -= len(data)
        if self._left < 0:
            raise FetchFailed("The page is too large.")
        return data

    def write(self, buffer: bytes, timeout: float | None = None) -> None:
        self._stream.write(buffer, self._deadline.remaining())

    def close(self) -> None:
        self._stream.close()

    def start_tls(
        self, ssl_context: SSLContext, server_hostname: str | None = None, timeout: float | None = None
    ) -> httpcore.NetworkStream:
        encrypted = self._stream.start_tls(ssl_context, server_hostname, self._deadline.remaining())
        return _LimitedStream(encrypted, self._deadline, self._left)

    def get_extra_info(self, info: str) -> object:
        return self._stream.get_extra_info(info)
