"""Event stream responses."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncGenerator, AsyncIterator

from django.http import StreamingHttpResponse
from rest_framework.utils.encoders import JSONEncoder

KEEP_ALIVE_SECONDS = 15.0
"""Seconds of silence after which a comment is sent, so that no proxy takes a stream for dead."""


def make_event_stream(events: AsyncGenerator[bytes]) -> StreamingHttpResponse:
    """A streaming response that proxies neither buffer nor store."""
    headers = {"X-Accel-Buffering": "no", "Cache-Control": "no-store"}
    return StreamingHttpResponse(keep_alive(events), content_type="text/event-stream", headers=headers)


async def keep_alive(events: AsyncGenerator[bytes]) -> AsyncIterator[bytes]:
    """The events, and a comment whenever none comes for a while."""
    following: asyncio.Future[bytes] | None = None
    try:
        while True:
            following = following or asyncio.ensure_future(anext(events))
            await asyncio.wait([following], timeout=KEEP_ALIVE_SECONDS)
            if not following.done():
                yield b": still here\n\n"
                continue
            try:
                event = following.result()
            except StopAsyncIteration:
                return
            following = None
            yield event
    finally:
        if following and following.cancel():
            await asyncio.wait([following])
        await events.aclose()


def encode_event(name: str, data: str) -> bytes:
    """A server-sent event, of one data line for each line."""
    lines = "".join(f"data: {line}\n" for line in data.replace("\r", "").split("\n"))
    return f"event: {name}\n{lines}\n".encode()


def encode_json(data: dict[str, object]) -> str:
    """JSON as programs get it elsewhere."""
    return json.dumps(data, cls=JSONEncoder, ensure_ascii=False)
