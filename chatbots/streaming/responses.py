"""Event streams as responses, and what is done outside of the event loop for them."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from typing import TypeVar

from asgiref.sync import sync_to_async
from django.db import connection
from django.http import StreamingHttpResponse

T = TypeVar("T")


def event_stream(events: AsyncIterator[bytes]) -> StreamingHttpResponse:
    """A response of these events, which no proxy holds back and nobody stores."""
    return StreamingHttpResponse(
        events, content_type="text/event-stream", headers={"X-Accel-Buffering": "no", "Cache-Control": "no-store"}
    )


async def release_connection() -> None:
    """Give back the request's own connection, which is of no use while an answer is waited for."""
    await sync_to_async(lambda: connection.close())()


async def in_thread(work: Callable[..., T], *of: object) -> T:
    """Have this done in a thread, with a connection that is given back afterwards."""

    def done() -> T:
        try:
            return work(*of)
        finally:
            connection.close()

    return await sync_to_async(done, thread_sensitive=False)()
