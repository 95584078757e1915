"""Wait for an answer without holding a thread or a database connection.

An API view checks the request, stores the question, starts the answer and returns `AnswerStarted`. Waiting happens
outside the view, in the event loop: a hundred waiting clients cost next to nothing, and a disconnect blocks nothing.
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

from chatbots.api.outcomes import Failure, final_outcome, read_failure
from chatbots.api.presenting import answer_of
from chatbots.api.streams import in_a_thread, let_go
from chatbots.models import Message
from chatbots.streaming.jobs import follow
from rest.problems import MEDIA_TYPE, SOON


class AnswerStarted(Response):
    """An answer is being written; `respond` turns the message id into the real response."""

    def __init__(self, message_id: UUID, respond: Callable[[UUID], Awaitable[HttpResponseBase]]) -> None:
        super().__init__(status=200)
        self.message_id, self.respond = message_id, respond


def awaits_answer(view: Callable[..., Any]) -> Callable[..., Any]:
    """Decorator for a REST framework view that may return `AnswerStarted`: awaits the real response."""

    @wraps(view)
    async def waits(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponseBase:
        response: HttpResponseBase = await sync_to_async(view)(request, *args, **kwargs)
        if not isinstance(response, AnswerStarted):
            return response
        answer = await response.respond(response.message_id)
        for name, value in response.items():  # such as rate limit headers
            if not answer.has_header(name):
                answer[name] = value
        return answer

    return waits


async def wait_for_answer(message_id: UUID) -> Message | Failure:
    """Wait for the outcome of an answer."""
    await let_go()
    try:
        async for state in follow(message_id):
            if state.is_finished:
                break
        ended: Message | Failure = await in_a_thread(final_outcome, message_id)
    except Exception as error:
        return read_failure(message_id, error)
    return ended


async def answer_response(message_id: UUID) -> HttpResponse:
    """The finished answer or the problem as JSON."""
    ended = await wait_for_answer(message_id)
    if isinstance(ended, Failure):
        later = {"Retry-After": str(SOON)} if ended.status == 503 else {}
        body = JSONRenderer().render(ended.body)
        return HttpResponse(body, status=ended.status, content_type=MEDIA_TYPE, headers=later)
    return HttpResponse(JSONRenderer().render(answer_of(ended)), content_type="application/json")
