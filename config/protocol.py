"""Uvicorn’s HTTP protocol with limits on the head of a request: Uvicorn waits for it without end, whatever its size."""

from __future__ import annotations

import asyncio

from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

MAX_HEAD_SECONDS = 20.0
"""Seconds in which the first line and the headers of the next request must have come."""


class LimitedProtocol(HttpToolsProtocol):
    """Closes the connection when a limit is passed; to whom could it answer?"""

    _timer: asyncio.TimerHandle | None = None
    _head_bytes: int | None = None  # None outside a head

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        self._await_head()

    def connection_lost(self, exc: Exception | None) -> None:
        super().connection_lost(exc)
        self._cancel_timer()

    def data_received(self, data: bytes) -> None:
        super().data_received(data)
        if self._head_bytes is not None:
            self._head_bytes += len(data)
            if self._head_bytes > 64 * 1024:
                self.transport.close()

    def on_message_begin(self) -> None:
        super().on_message_begin()
        self._head_bytes = 0

    def on_headers_complete(self) -> None:
        super().on_headers_complete()
        self._head_bytes = None
        self._cancel_timer()

    def on_response_complete(self) -> None:
        super().on_response_complete()
        if self.cycle.response_complete and not self.transport.is_closing():
            self._await_head()

    def _await_head(self) -> None:
        self._cancel_timer()
        self._timer = self.loop.call_later(MAX_HEAD_SECONDS, self.transport.close)

    def _cancel_timer(self) -> None:
        if self._timer:
            self._timer.cancel()
            self._timer = None
