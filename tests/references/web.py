"""A web server on loopback that counts its connections and answers well or badly, as a test tells it to."""

from __future__ import annotations

import socketserver
import ssl
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field

Step = bytes | float | threading.Event
"""Bytes to send, seconds to wait, or an event to wait for."""
Answer = Callable[[str], Sequence[Step]]

_PATIENCE = 30  # seconds until an event is not waited for any more


@dataclass
class WebPeer:
    """`answer` makes the whole answer to a path, headers included; `asked` holds the requests as they came."""

    address: str
    port: int
    answer: Answer
    connections: int = 0
    asked: list[tuple[str, dict[str, str]]] = field(default_factory=list)

    @property
    def host(self) -> str:
        return f"{self.address}:{self.port}"

    @property
    def url(self) -> str:
        return f"http://{self.host}"

    @property
    def paths(self) -> list[str]:
        return [path for path, _ in self.asked]


def page(
    body: str | bytes = "<p>A page.</p>",
    *,
    status: int = 200,
    media_type: str = "text/html; charset=utf-8",
    **headers: str | int,
) -> tuple[bytes, ...]:
    """An answer with a body of this length; `headers` with _ for -."""
    data = body.encode() if isinstance(body, str) else body
    lines = {"Content-Type": media_type, "Content-Length": len(data), "Connection": "close"} | {
        name.replace("_", "-"): value for name, value in headers.items()
    }
    head = "".join(f"{name}: {value}\r\n" for name, value in lines.items() if value != "")
    return (f"HTTP/1.1 {status} Words\r\n{head}\r\n".encode(), data)


def redirect(to: str, status: int = 302) -> tuple[bytes, ...]:
    return page("", status=status, Location=to)


@contextmanager
def web_peer(answer: Answer, *, address: str = "127.0.0.1", tls: ssl.SSLContext | None = None) -> Iterator[WebPeer]:
    """Run a peer on a free port."""
    with _Server((address, 0), _Handler) as server:
        server.peer = WebPeer(address, server.server_address[1], answer)
        server.tls = tls
        threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True).start()
        try:
            yield server.peer
        finally:
            server.shutdown()


class _Server(socketserver.ThreadingTCPServer):
    daemon_threads = True
    block_on_close = False
    allow_reuse_address = True
    peer: WebPeer
    tls: ssl.SSLContext | None


class _Handler(socketserver.BaseRequestHandler):
    server: _Server

    def handle(self) -> None:
        peer = self.server.peer
        peer.connections += 1
        try:
            connection = (
                self.server.tls.wrap_socket(self.request, server_side=True) if self.server.tls else self.request
            )
            head = b""
            while b"\r\n\r\n" not in head:
                data = connection.recv(65536)
                if not data:
                    return
                head += data
            first, *lines = head.decode("latin-1").split("\r\n\r\n")[0].split("\r\n")
            path = first.split(" ")[1]
            peer.asked.append(
                (path, {name.lower(): value for name, _, value in (one.partition(": ") for one in lines)})
            )
            for step in peer.answer(path):
                if isinstance(step, bytes):
                    connection.sendall(step)
                elif isinstance(step, threading.Event):
                    step.wait(_PATIENCE)
                else:
                    time.sleep(step)
            connection.close()
        except OSError:
            pass  # whoever asked has gone
