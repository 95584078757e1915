"""Wait for an answer without holding a thread or a database connection.

An API view checks the request, stores the question, starts the answer and returns `AnswerStarted`. Waiting happens
outside the view, in the event loop: a hundred waiting clients cost next to nothing, and a disconnect blocks nothing.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from contextlib import nullcontext, suppress
from functools import wraps
from typing import Any
from uuid import UUID

from asgiref.sync import async_to_sync
from django.db import connection
from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from rest_framework.renderers import JSONRenderer
from rest_framework.response import Response

from chatbots.api.presenting import present_answer, present_sources
from chatbots.models import Message
from chatbots.streaming import registry
from chatbots.streaming.access import Subscriber, watch_access
from chatbots.streaming.follow import READER_CHECK_SECONDS, follow
from chatbots.streaming.json_events import stream_json
from chatbots.streaming.outcomes import Failure, load_outcome, read_failure
from chatbots.streaming.registry import AnswerJob
from chatbots.streaming.responses import make_event_stream
from engines import background
from rest.problems import make_problem


class AnswerStarted(Response):
    """An answer is being written; `respond` waits for what is sent. Its data is what `resume` of its view needs."""

    def __init__(
        self, message_id: UUID, options: dict[str, bool], respond: Callable[[], Awaitable[HttpResponseBase]]
    ) -> None:
        super().__init__({"message_id": str(message_id), "options": options}, status=200)
        self._respond = respond

    async def respond(self) -> HttpResponseBase:
        """What is sent instead, with the headers and cookies of this response, such as what is left of the limit."""
        answer = await self._respond()
        for name, value in self.items():
            if name != "Content-Length" and not answer.has_header(name):
                answer[name] = value
        answer.cookies.update(self.cookies)
        answer._resource_closers.extend(self._resource_closers)  # type: ignore[attr-defined]
        return answer


def awaits_answer(view: Callable[..., Any]) -> Callable[..., Any]:
    """Decorator for a REST framework view that may return `AnswerStarted`.

    The product's handler awaits the real response without a thread (`config.handler`). Elsewhere, as with Django's test
    client, this waits for it.
    """

    @wraps(view)
    def waits(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponseBase:
        response: HttpResponseBase = view(request, *args, **kwargs)
        if isinstance(response, AnswerStarted) and not getattr(request, "is_awaited", False):
            connection.close()  # none is held while an answer is waited for
            return async_to_sync(response.respond)()
        return response

    return waits


async def wait_for_answer(message_id: UUID, reader: Subscriber, job: AnswerJob | None = None) -> Message | Failure:
    """The outcome of an answer, once there is one. Its reader is checked while it takes long."""
    try:
        job = job or registry.jobs.get(message_id)
        ended = await _wait_for_job(job, reader) if job else None
        if job is None or job.is_elsewhere:
            with watch_access(reader) as watch:
                async for _ in follow(message_id, watch):
                    pass
        if ended:
            return ended
        return await background.run_in_pool("requests", load_outcome, message_id)
    except Exception as error:
        return read_failure(message_id, error)


async def _wait_for_job(job: AnswerJob, reader: Subscriber) -> Message | None:
    loop, over = asyncio.get_running_loop(), asyncio.Event()
    job.result.add_done_callback(lambda _: None if loop.is_closed() else loop.call_soon_threadsafe(over.set))
    with suppress(TimeoutError):
        async with asyncio.timeout(READER_CHECK_SECONDS):
            await over.wait()
    with watch_access(reader) if not over.is_set() else nullcontext() as watch:
        while watch and not over.is_set():
            if job.state.is_done:  # it was stopped, although its writer still waits for the model
                return None
            watch.check()
            with suppress(TimeoutError):
                async with asyncio.timeout(READER_CHECK_SECONDS):
                    await over.wait()
    return job.result.result()


async def stream_answer(message_id: UUID, reader: Subscriber, job: AnswerJob | None = None) -> HttpResponseBase:
    return make_event_stream(
        stream_json(message_id, reader, present_sources=present_sources, present=present_answer, job=job)
    )


async def answer_response(message_id: UUID, reader: Subscriber, job: AnswerJob | None = None) -> HttpResponseBase:
    """The whole answer, or the problem it has ended with."""
    ended = await wait_for_answer(message_id, reader, job)
    if isinstance(ended, Failure):
        return make_problem(ended.status, ended.detail, more=ended.ids)
    return HttpResponse(JSONRenderer().render(present_answer(ended)), content_type="application/json")
