"""A server on loopback that speaks OpenAI's chat completions, well or badly, as a test tells it to."""

import json
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

DONE = b"data: [DONE]\n\n"
_PATIENCE = 30  # seconds until an event is not waited for any more


@dataclass(frozen=True)
class Reply:
    """One response: `steps` are bytes to send, and seconds or an event to wait for; without `ends` the connection is
    cut after them."""

    steps: tuple[bytes | float | threading.Event, ...] = ()
    status: int = 200
    content_type: str = "text/event-stream"
    ends: bool = True


HANG_UP = Reply(status=0)  # close the connection without a word


@dataclass
class ChatPeer:
    """Gives the queued `replies` in turn; `asked` holds each request's path, headers and JSON body."""

    url: str
    replies: list[Reply] = field(default_factory=list)
    asked: list[tuple[str, dict[str, str], dict[str, Any]]] = field(default_factory=list)
    left_alone: threading.Event = field(default_factory=threading.Event)  # the client went away mid-answer
    keeps_connections: bool = False
    clients: set[tuple[str, int]] = field(default_factory=set)  # the ends of the connections


def delta(text: str | None = None, *, finish: str | None = None, **others: Any) -> bytes:
    """One chunk of a streamed answer as a server-sent event."""
    choice = {"index": 0, "delta": {"content": text, **others}, "finish_reason": finish}
    chunk = {"id": "1", "object": "chat.completion.chunk", "created": 1, "model": "m", "choices": [choice]}
    return b"data: " + json.dumps(chunk).encode() + b"\n\n"


def refusal(status: int, message: str = "no") -> Reply:
    """An error as OpenAI-compatible servers send it."""
    body = json.dumps({"error": {"message": message, "type": "error", "code": "some_code"}}).encode()
    return Reply((body,), status=status, content_type="application/json")


@contextmanager
def chat_peer() -> Iterator[ChatPeer]:
    """Run a peer on a free port of 127.0.0.1."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), _Handler)
    peer = ChatPeer(f"http://127.0.0.1:{server.server_port}/v1")
    server.peer = peer  # type: ignore[attr-defined]
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)
    thread.start()
    try:
        yield peer
    finally:
        server.shutdown()
        server.socket.close()  # server_close() would wait for replies that are still pausing


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_POST(self) -> None:
        peer: ChatPeer = self.server.peer  # type: ignore[attr-defined]
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        peer.asked.append((self.path, dict(self.headers), body))
        reply = peer.replies.pop(0)
        peer.clients.add(self.client_address)
        self.close_connection = not peer.keeps_connections
        if not reply.status:
            return
        try:
            self._send(reply)
        except OSError:
            peer.left_alone.set()

    def _send(self, reply: Reply) -> None:
        self.send_response(reply.status)
        self.send_header("Content-Type", reply.content_type)
        self.send_header("Transfer-Encoding", "chunked")
        if self.close_connection:  # else the client may use it again before it sees that it was closed
            self.send_header("Connection", "close")
        self.end_headers()
        for step in reply.steps:
            if isinstance(step, bytes):
                self.wfile.write(b"%x\r\n%s\r\n" % (len(step), step))
            elif isinstance(step, threading.Event):
                if not step.wait(_PATIENCE):
                    raise ConnectionAbortedError("The test never let this answer go on.")
            else:
                time.sleep(step)
        if reply.ends:
            self.wfile.write(b"0\r\n\r\n")

    def log_message(self, *_: Any) -> None:
        """Say nothing."""
