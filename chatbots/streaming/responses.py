"""Event stream responses, and helpers for blocking work."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from typing import TypeVar

from asgiref.sync import SyncToAsync, sync_to_async
from django.db import connection
from django.http import StreamingHttpResponse

T = TypeVar("T")


def event_stream(events: AsyncIterator[bytes]) -> StreamingHttpResponse:
    """A streaming response that proxies neither buffer nor store."""
    return StreamingHttpResponse(
        events, content_type="text/event-stream", headers={"X-Accel-Buffering": "no", "Cache-Control": "no-store"}
    )


async def release_connection() -> None:
    """Close the request's database connection and end its thread while an answer is waited for.

    asgiref keeps a thread for each request until its response has been sent; if it is needed again, it starts another.
    """
    await sync_to_async(lambda: connection.close())()  # of the request’s thread, not of this one
    context = SyncToAsync.thread_sensitive_context.get(None)
    executor = SyncToAsync.context_to_thread_executor.pop(context, None) if context else None
    if executor:
        executor.shutdown(wait=False)


async def in_thread(work: Callable[..., T], *of: object) -> T:
    """Run blocking work in a thread and close its database connection afterwards."""

    def done() -> T:
        try:
            return work(*of)
        finally:
            connection.close()

    return await sync_to_async(done, thread_sensitive=False)()
