"""The ASGI handler: it limits bodies, serves static files and runs all middleware in one thread."""

from io import BytesIO
from typing import Any

from asgiref.sync import sync_to_async
from corsheaders.middleware import CorsMiddleware
from django.core.handlers.asgi import ASGIHandler
from django.http import HttpRequest
from django.http.response import HttpResponseBase
from servestatic.middleware import ServeStaticMiddleware

from config.bodies import Receive, TooLarge, limited, refusal
from config.lifespan import lifespan
from operations import cautions


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
        """Refuse a body that is too large before Django writes it to disk."""
        try:
            await super().handle(scope, limited(scope, receive), send)
        except TooLarge:
            # As a view's, so that a script of another site that may call the API can read it.
            request, _ = self.create_request(scope, BytesIO())
            answer: Any = CorsMiddleware(lambda _: refusal(scope))(request) if request else refusal(scope)
            await self.send_response(answer, send)

    async def get_response_async(self, request: HttpRequest) -> HttpResponseBase:
        """The response of a static file or of a view. `ASGIHandler.handle` calls this."""
        cautions.warn_once(request)
        response: HttpResponseBase = await self._static_or(request)
        return response

    async def _in_a_thread(self, request: HttpRequest) -> HttpResponseBase:
        # The request's own thread, in which Django closes its database connection afterwards.
        request.is_awaited = True  # type: ignore[attr-defined]
        response: Any = await sync_to_async(self.get_response, thread_sensitive=True)(request)
        answer: HttpResponseBase = await response.respond() if hasattr(response, "respond") else response
        if answer.streaming:
            _lighten(request)
        return answer


def _lighten(request: HttpRequest) -> None:
    """Let go of what nobody reads while the response streams: readers may wait for minutes, and they are many.

    Templates that are rendered meanwhile need the session with its person, the member and the token against forgery.
    """
    for name in vars(request).keys() & {"htmx", "_messages", "GET", "COOKIES", "headers", "scope"}:
        delattr(request, name)
    request.resolver_match = None
    for name in request.META.keys() - {"CSRF_COOKIE"}:
        del request.META[name]
