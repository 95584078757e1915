"""An answer as server-sent events of JSON, for programs.

`sources` has what was found; `token` text that is to be appended, `text` what takes the place of all text so far, as
when a draft was dropped or the end was put in order; `done` the whole answer. An answer that failed ends with `error`,
a problem like any other. Whoever stops reading stops nothing: the answer is finished and kept.
"""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Callable
from typing import Any
from uuid import UUID

from asgiref.sync import sync_to_async
from django.db import connection
from django.http import StreamingHttpResponse
from rest_framework.utils.encoders import JSONEncoder

from chatbots.api.outcomes import Failure, final_outcome, outcome, read_failure
from chatbots.api.presenting import answer_of
from chatbots.streaming.jobs import follow


async def streamed(message_id: UUID) -> StreamingHttpResponse:
    """The response that follows an answer."""
    return event_stream(_events(message_id), message_id, lambda failure: _event("error", failure.body))


def event_stream(
    events: AsyncIterator[bytes], message_id: UUID, error: Callable[[Failure], bytes]
) -> StreamingHttpResponse:
    """A response of these events; whatever fails meanwhile, such as the database, is told by `error` as the last."""

    async def ended_in_words() -> AsyncIterator[bytes]:
        try:
            async for event in events:
                yield event
        except Exception as failure:
            yield error(read_failure(message_id, failure))

    response = StreamingHttpResponse(
        ended_in_words(), content_type="text/event-stream", headers={"X-Accel-Buffering": "no"}
    )
    response["Cache-Control"] = "no-store"
    return response


async def let_go() -> None:
    """Give back the request's own connection, which is of no use while an answer is waited for."""
    await sync_to_async(lambda: connection.close())()


async def _events(message_id: UUID) -> AsyncIterator[bytes]:
    await let_go()
    has_sources, sent, draft = False, "", 1
    async for state in follow(message_id):
        if state.is_finished:
            break
        if state.has_sources and not has_sources:
            has_sources = True
            if found := await in_a_thread(_found, message_id):
                yield _event("sources", found)
        if state.drafts != draft or not state.text.startswith(sent):
            yield _event("text", {"text": state.text})
        elif len(state.text) > len(sent):
            yield _event("token", {"text": state.text[len(sent) :]})
        draft, sent = state.drafts, state.text
    ended = await in_a_thread(final_outcome, message_id)
    if isinstance(ended, Failure):
        yield _event("error", ended.body)
        return
    answer = answer_of(ended)
    if not has_sources:
        yield _event("sources", _of_sources(answer))
    whole = answer["answer"]
    if whole.startswith(sent) and whole != sent:
        yield _event("token", {"text": whole[len(sent) :]})
    elif whole != sent:
        yield _event("text", {"text": whole})
    yield _event("done", answer)


def _found(message_id: UUID) -> dict[str, Any] | None:
    so_far = outcome(message_id)
    return None if isinstance(so_far, Failure) else _of_sources(answer_of(so_far))


def _of_sources(answer: dict[str, Any]) -> dict[str, Any]:
    return {name: answer[name] for name in ("message_id", "chat_id", "mode", "sources", "unavailable")}


async def in_a_thread(work: Any, message_id: UUID) -> Any:
    def done() -> Any:
        try:
            return work(message_id)
        finally:
            connection.close()

    return await sync_to_async(done, thread_sensitive=False)()


def _event(name: str, data: dict[str, Any]) -> bytes:
    return f"event: {name}\ndata: {json.dumps(data, cls=JSONEncoder, ensure_ascii=False)}\n\n".encode()
