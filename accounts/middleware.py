"""What a request does for whoever is signed in: it ends what does not hold any more, and notes that they were here."""

from __future__ import annotations

from collections.abc import Callable

from django.http import HttpRequest, HttpResponse

from accounts import browsers
from accounts.single_sign_on import sessions


def watch_sessions(get_response: Callable[[HttpRequest], HttpResponse]) -> Callable[[HttpRequest], HttpResponse]:
    """Middleware, inside of `schools.http.membership`, so that the audit log knows the request that ends a session."""

    def middleware(request: HttpRequest) -> HttpResponse:
        sessions.watch(request)
        response = get_response(request)
        browsers.touch(request)
        return response

    return middleware
