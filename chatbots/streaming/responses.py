"""Event stream responses."""

from __future__ import annotations

from collections.abc import AsyncIterator

from django.http import StreamingHttpResponse


def event_stream(events: AsyncIterator[bytes]) -> StreamingHttpResponse:
    """A streaming response that proxies neither buffer nor store."""
    return StreamingHttpResponse(
        events, content_type="text/event-stream", headers={"X-Accel-Buffering": "no", "Cache-Control": "no-store"}
    )
