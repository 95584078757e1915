"""An answer as chunks of OpenAI's chat completions."""

from __future__ import annotations

import time
from collections.abc import AsyncGenerator, Callable
from uuid import UUID

from chatbots.answering.draft import Kind
from chatbots.models import Message
from chatbots.streaming.access import Subscriber
from chatbots.streaming.outcomes import Failure, follow_whole, read_failure
from chatbots.streaming.registry import AnswerJob
from chatbots.streaming.responses import encode_json
from engines import background

RESTART = "\n\n---\n\n"
"""Separates a dropped draft from its replacement, since this protocol cannot retract text."""


async def stream_openai(
    message_id: UUID,
    reader: Subscriber,
    *,
    model: str,
    extra: Callable[[Message], dict[str, object]],
    usage: Callable[[Message], dict[str, int]] | None = None,
    job: AnswerJob | None = None,
) -> AsyncGenerator[bytes]:
    """Encoded chunks until the answer is finished, the last one with the fields from `extra`; or an error.

    With `usage`, another one follows, of no choice.
    """
    try:
        has_text, is_dropped, ended = False, False, None
        head = {"id": f"chatcmpl-{message_id}", "model": model}
        yield _chunk(head, {"role": "assistant", "content": ""})
        async for event in follow_whole(message_id, reader, job):
            if isinstance(event, Failure):
                yield _failed(event)
                return
            match event.kind:
                case Kind.DROPPED:
                    is_dropped = is_dropped or has_text
                case Kind.TEXT:
                    yield _chunk(head, {"content": RESTART + event.text if is_dropped else event.text})
                    is_dropped, has_text = False, True
                case Kind.REASONING:
                    yield _chunk(head, {"reasoning_content": event.text})
                case Kind.DONE:
                    ended = event.message
        if ended:
            yield _chunk(head, {}, finish=finish_reason(ended), **extra(ended))
        if ended and usage:
            yield _chunk(head, {}, choices=[], usage=await background.run_in_pool("requests", usage, ended))
        yield b"data: [DONE]\n\n"
    except Exception as failure:
        yield _failed(read_failure(message_id, failure))


def finish_reason(message: Message) -> str:
    """The finish reason in OpenAI's terms. An answer without an end signal counts as cut off."""
    return {"incomplete": "length", "": "stop"}.get(message.finish_reason, message.finish_reason)


def build_error(status: int, message: str, param: str | None, **ids: str) -> dict[str, object]:
    """A problem in OpenAI's shape."""
    kind = "server_error" if status >= 500 else "rate_limit_error" if status == 429 else "invalid_request_error"
    codes = {401: "invalid_api_key", 404: "model_not_found" if param == "model" else None, 429: "rate_limit_exceeded"}
    return {"error": {"message": message, "type": kind, "param": param, "code": codes.get(status), **ids}}


def _failed(failure: Failure) -> bytes:
    return _encoded(build_error(failure.status, failure.detail, None, **failure.ids))


def _chunk(head: dict[str, str], delta: dict[str, str], *, finish: str | None = None, **extra: object) -> bytes:
    choice = {"index": 0, "delta": delta, "finish_reason": finish}
    body = {**head, "object": "chat.completion.chunk", "created": int(time.time()), "choices": [choice]}
    return _encoded({**body, **extra})


def _encoded(body: dict[str, object]) -> bytes:
    return f"data: {encode_json(body)}\n\n".encode()
