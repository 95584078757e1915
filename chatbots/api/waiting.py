"""Waiting for an answer without holding a thread or a connection to the database.

A view of the API checks the request, stores the question and has it answered; what it returns then is only `Begun`. The
rest happens outside of it, in the event loop, so that a hundred programs that wait cost next to nothing, and one that
leaves keeps nobody.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from functools import wraps
from typing import Any
from uuid import UUID

from asgiref.sync import sync_to_async
from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from rest_framework.renderers import JSONRenderer
from rest_framework.response import Response

from chatbots.api.presenting import answer_of
from chatbots.models import Message
from chatbots.streaming.access import Reader
from chatbots.streaming.follow import follow
from chatbots.streaming.json_events import events
from chatbots.streaming.outcomes import Failure, ending, unread
from chatbots.streaming.responses import event_stream, in_thread, release_connection
from rest.problems import MEDIA_TYPE, SOON


class Begun(Response):
    """An answer is being written; `respond` waits for what is sent."""

    def __init__(self, respond: Callable[[], Awaitable[HttpResponseBase]]) -> None:
        super().__init__(status=200)
        self.respond = respond


def followed(view: Callable[..., Any]) -> Callable[..., Any]:
    """A view of REST framework that may return `Begun`, as one that waits for what was begun."""

    @wraps(view)
    async def waits(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponseBase:
        response: HttpResponseBase = await sync_to_async(view)(request, *args, **kwargs)
        if not isinstance(response, Begun):
            return response
        answer = await response.respond()
        for name, value in response.items():  # such as what is left of the limit
            if not answer.has_header(name):
                answer[name] = value
        return answer

    return waits


async def until_finished(message_id: UUID, reader: Reader) -> Message | Failure:
    """The outcome of an answer, once there is one."""
    await release_connection()
    try:
        async for _ in follow(message_id, reader):
            pass
        return await in_thread(ending, message_id)
    except Exception as error:
        return unread(message_id, error)


async def streamed(message_id: UUID, reader: Reader) -> HttpResponseBase:
    """The response that follows an answer."""
    return event_stream(events(message_id, reader, present=answer_of))


async def written(message_id: UUID, reader: Reader) -> HttpResponseBase:
    """The whole answer, or the problem it has ended with."""
    ended = await until_finished(message_id, reader)
    if isinstance(ended, Failure):
        later = {"Retry-After": str(SOON)} if ended.status == 503 else {}
        body = JSONRenderer().render(ended.body)
        return HttpResponse(body, status=ended.status, content_type=MEDIA_TYPE, headers=later)
    return HttpResponse(JSONRenderer().render(answer_of(ended)), content_type="application/json")
