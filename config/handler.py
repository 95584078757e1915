"""The ASGI handler: it limits bodies, serves static files and runs all middleware in one thread."""

import logging
from collections.abc import AsyncIterator, Iterator
from io import BytesIO
from typing import IO, Any, cast

from asgiref.sync import sync_to_async
from corsheaders.middleware import CorsMiddleware
from django.core.handlers.asgi import ASGIHandler
from django.db import Error, connection
from django.http import HttpRequest
from django.http.response import HttpResponseBase, StreamingHttpResponse
from servestatic.middleware import ServeStaticMiddleware

from config.bodies import BodyRefused, Receive, limited, refusal
from config.lifespan import lifespan
from operations import cautions
from rest.problems import failed, status_of

logger = logging.getLogger(__name__)


class Handler(ASGIHandler):
    """Django's ASGI handler with a synchronous middleware chain, and static files served before it.

    Asynchronous middleware would switch between threads some thirty times for each request, and a busy process is slow
    to switch. Nearly all views here are synchronous, so one switch is enough. A request that waits for an answer keeps
    no thread and no database connection: a response with a method `respond` is replaced by what that returns. Responses
    can still stream. Only the static files need asynchronous code.
    """

    def __init__(self) -> None:
        super().__init__()
        self._static_or = ServeStaticMiddleware(self._in_a_thread)

    def load_middleware(self, is_async: bool = False) -> None:
        """Always load the synchronous chain."""
        super().load_middleware(is_async=False)

    async def __call__(self, scope: Any, receive: Receive, send: Any) -> None:
        """Serve requests as Django does, and the start and the end of the server's process."""
        if scope["type"] == "lifespan":
            await lifespan(receive, send)
        else:
            await super().__call__(scope, receive, send)

    async def handle(self, scope: Any, receive: Receive, send: Any) -> None:
        """Refuse a body that is too large or too slow, and say so when there is no room for it."""
        try:
            await super().handle(scope, limited(scope, receive), send)
        except BodyRefused as refused:
            answer: Any
            request, answer = self.create_request(scope, BytesIO())
            if request:
                said = failed(request, refused.__cause__) if refused.__cause__ else refusal(scope, refused)
                # As a view's, so that a script of another site that may call the API can read it.
                answer = CorsMiddleware(lambda _: said)(request)
            await self.send_response(answer, send)

    async def read_body(self, receive: Receive) -> IO[bytes]:
        """Read the body as Django does. Raises BodyRefused, also when the disk is full or the database is away."""
        try:
            body: IO[bytes] = await super().read_body(receive)
            return body
        except (Error, OSError) as failure:
            logger.exception("The body of a request could not be read")
            raise BodyRefused(status_of(failure)) from failure

    async def get_response_async(self, request: HttpRequest) -> HttpResponseBase:
        """The response of a static file or of a view. `ASGIHandler.handle` calls this."""
        cautions.warn_once(request)
        response: HttpResponseBase = await self._static_or(request)
        return response

    async def _in_a_thread(self, request: HttpRequest) -> HttpResponseBase:
        # The request's own thread, in which Django closes its database connection afterwards.
        request.is_awaited = True  # type: ignore[attr-defined]
        response: Any = await sync_to_async(self._respond, thread_sensitive=True)(request)
        answer: HttpResponseBase = await response.respond() if hasattr(response, "respond") else response
        if answer.streaming:
            _lighten(request)
        return answer

    def _respond(self, request: HttpRequest) -> HttpResponseBase:
        response = self.get_response(request)
        if isinstance(response, StreamingHttpResponse) and not response.is_async:
            connection.close()  # none is held while somebody downloads
            response.streaming_content = _iterate_in_thread(iter(cast("Iterator[bytes]", response.streaming_content)))
        return response


async def _iterate_in_thread(parts: Iterator[bytes]) -> AsyncIterator[bytes]:
    """One part at a time: Django would read a whole file into memory before it sends the first."""
    while (part := await sync_to_async(lambda: next(parts, None), thread_sensitive=True)()) is not None:
        yield part


def _lighten(request: HttpRequest) -> None:
    """Let go of what nobody reads while the response streams: readers may wait for minutes, and they are many.

    Templates that are rendered meanwhile need the session with its person, the member and the token against forgery.
    """
    for name in vars(request).keys() & {"htmx", "_messages", "GET", "COOKIES", "headers", "scope"}:
        delattr(request, name)
    request.resolver_match = None
    for name in request.META.keys() - {"CSRF_COOKIE"}:
        del request.META[name]
