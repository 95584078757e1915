"""The ASGI handler: it limits bodies, serves static files and runs all middleware in one thread of a pool."""

import asyncio
import logging
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import closing
from io import BytesIO
from typing import IO, Any, cast

from corsheaders.middleware import CorsMiddleware
from django.core import signals
from django.core.exceptions import RequestAborted
from django.core.handlers.asgi import ASGIHandler, get_script_prefix
from django.db import Error
from django.http import HttpRequest
from django.http.response import HttpResponseBase, StreamingHttpResponse
from django.urls import set_script_prefix
from servestatic.middleware import ServeStaticMiddleware

from config.body_limits import BodyRefused, Receive, build_refusal, limit_body
from config.lifespan import lifespan
from engines import background
from operations import cautions
from rest.problems import get_status, handle_failure

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
        """Serve a request, or the start and the end of the server's process."""
        if scope["type"] == "lifespan":
            await lifespan(receive, send)
        else:
            await self.handle(scope, receive, send)

    async def handle(self, scope: Any, receive: Receive, send: Any) -> None:
        """Serve a request until it is answered or its sender has left.

        Django does the same with three switches to a thread that it starts for each request.
        """
        set_script_prefix(get_script_prefix(scope))
        try:
            body = await self.read_body(limit_body(scope, receive))
        except RequestAborted:
            return
        except BodyRefused as refused:
            await self.send_response(self._refuse(scope, refused), send)
            return
        with closing(body):
            request, unreadable = self.create_request(scope, body)
            if request is None:
                await self.send_response(cast("HttpResponseBase", unreadable), send)
                return
            tasks = [
                asyncio.create_task(self.listen_for_disconnect(receive)),
                asyncio.create_task(self._serve(request, send)),
            ]
            try:
                await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
            finally:
                for task in tasks:
                    task.cancel()
                gone, served = await asyncio.gather(*tasks, return_exceptions=True)
        for failure in (gone, served):
            if isinstance(failure, Exception) and not isinstance(failure, RequestAborted):
                raise failure

    async def _serve(self, request: HttpRequest, send: Callable[..., Awaitable[None]]) -> None:
        response = await self.run_get_response(request)
        try:
            await self.send_response(response, send)
        finally:
            if response.streaming:
                await asyncio.shield(background.run_in_pool("requests", response.close))

    def _refuse(self, scope: Any, refused: BodyRefused) -> HttpResponseBase:
        """The response to a body that is too large or too slow, or for which there is no room."""
        request, unreadable = self.create_request(scope, BytesIO())
        if request is None:
            return cast("HttpResponseBase", unreadable)
        said = handle_failure(request, refused.__cause__) if refused.__cause__ else build_refusal(scope, refused)
        # As a view's, so that a script of another site that may call the API can read it.
        return cast("HttpResponseBase", CorsMiddleware(lambda _: said)(request))

    async def read_body(self, receive: Receive) -> IO[bytes]:
        """Read the body as Django does. Raises BodyRefused, also when the disk is full or the database is away."""
        try:
            body: IO[bytes] = await super().read_body(receive)
            return body
        except (Error, OSError) as failure:
            logger.exception("The body of a request could not be read")
            raise BodyRefused(get_status(failure)) from failure

    async def get_response_async(self, request: HttpRequest) -> HttpResponseBase:
        """The response of a static file or of a view. `ASGIHandler.handle` calls this."""
        cautions.warn_once(request)
        response: HttpResponseBase = await self._static_or(request)
        return response

    async def _in_a_thread(self, request: HttpRequest) -> HttpResponseBase:
        request.is_awaited = True  # type: ignore[attr-defined]
        response: Any = await background.run_in_pool("requests", self._respond, request)
        answer: HttpResponseBase = await response.respond() if hasattr(response, "respond") else response
        if answer.streaming:
            _lighten(request)
        return answer

    def _respond(self, request: HttpRequest) -> HttpResponseBase:
        signals.request_started.send(sender=self.__class__, scope=request.scope)  # type: ignore[attr-defined]
        response = self.get_response(request)
        if not response.streaming:
            response.close()
        elif isinstance(response, StreamingHttpResponse) and not response.is_async:
            response.streaming_content = _iterate_in_pool(iter(cast("Iterator[bytes]", response.streaming_content)))
        return response


async def _iterate_in_pool(parts: Iterator[bytes]) -> AsyncIterator[bytes]:
    """One part at a time: Django would read a whole file into memory before it sends the first."""
    while (part := await background.run_in_pool("requests", next, parts, None)) is not None:
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
