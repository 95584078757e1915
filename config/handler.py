"""How a request comes from the web server to its view: not larger than it may be, and in one change of thread."""

from io import BytesIO
from typing import Any

from asgiref.sync import sync_to_async
from corsheaders.middleware import CorsMiddleware
from django.core.handlers.asgi import ASGIHandler
from django.http import HttpRequest
from django.http.response import HttpResponseBase
from servestatic.middleware import ServeStaticMiddleware

from config.bodies import Receive, TooLarge, bounded, refusal
from config.lifespan import lifespan


class Handler(ASGIHandler):
    """Django's own, but with the middleware as one synchronous chain, and static files served before it.

    Run asynchronously each middleware goes to a thread and back, twice a request: some thirty changes of thread, for
    each of which a busy process waits its turn. Nearly all views here are synchronous, so one is enough; a program that
    waits for an answer keeps a thread, and no connection. A response may stream all the same. The static files'
    middleware is the only one that has to be asynchronous.
    """

    def __init__(self) -> None:
        super().__init__()
        self._static_or = ServeStaticMiddleware(self._in_a_thread)

    def load_middleware(self, is_async: bool = False) -> None:
        """Load the chain as it is for synchronous servers, whatever is asked for."""
        super().load_middleware(is_async=False)

    async def __call__(self, scope: Any, receive: Receive, send: Any) -> None:
        """Serve requests as Django does, and the start and the end of the server's process."""
        if scope["type"] == "lifespan":
            await lifespan(receive, send)
        else:
            await super().__call__(scope, receive, send)

    async def handle(self, scope: Any, receive: Receive, send: Any) -> None:
        """Refuse a body that is too large, before Django puts it on the disk."""
        try:
            await super().handle(scope, bounded(scope, receive), send)
        except TooLarge:
            # As a view's, so that a script of another site that may call the API can read it.
            request, _ = self.create_request(scope, BytesIO())
            answer: Any = CorsMiddleware(lambda _: refusal(scope))(request) if request else refusal(scope)
            await self.send_response(answer, send)

    async def get_response_async(self, request: HttpRequest) -> HttpResponseBase:
        """The response of a file or of a view, for `ASGIHandler.handle`."""
        response: HttpResponseBase = await self._static_or(request)
        return response

    async def _in_a_thread(self, request: HttpRequest) -> HttpResponseBase:
        # The request's own thread, in which Django closes its database connection afterwards.
        return await sync_to_async(self.get_response, thread_sensitive=True)(request)
