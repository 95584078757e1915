"""Sets the current membership of a signed-in person."""

from collections.abc import Callable

from django.http import HttpRequest, HttpResponse
from django.utils.functional import SimpleLazyObject

from schools.services import current_membership


def membership(get_response: Callable[[HttpRequest], HttpResponse]) -> Callable[[HttpRequest], HttpResponse]:
    """Sets `request.member` lazily: a `Membership`, or a false value when there is none."""

    def middleware(request: HttpRequest) -> HttpResponse:
        request.member = SimpleLazyObject(lambda: current_membership(request))  # type: ignore[attr-defined]
        return get_response(request)

    return middleware
