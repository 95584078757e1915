"""Middleware of the project."""

from collections.abc import Callable

from django.http import HttpRequest, HttpResponse


def no_store(get_response: Callable[[HttpRequest], HttpResponse]) -> Callable[[HttpRequest], HttpResponse]:
    """Add `Cache-Control: no-store` unless the view sets the header. Static files do not come through here."""

    def middleware(request: HttpRequest) -> HttpResponse:
        response = get_response(request)
        response.headers.setdefault("Cache-Control", "private, no-store")
        return response

    return middleware
