"""The view that every route of the API is: who asks, in which school, how often, with what right, with what body."""

from __future__ import annotations

from typing import Any, ClassVar, TypeVar, cast
from uuid import UUID

from django.conf import settings
from django.db import models
from django.utils.cache import patch_cache_control
from rest_framework.exceptions import APIException, NotAuthenticated
from rest_framework.renderers import JSONRenderer
from rest_framework.request import Request
from rest_framework.serializers import BaseSerializer
from rest_framework.views import APIView

from rest import throttling
from rest.authentication import BearerToken, SessionLogin
from rest.parsers import MOST, JSONBody
from rest.problems import UNKNOWN_SENDER, Problem
from schools.access import must_be_admin
from schools.http import find
from schools.models import AccessToken, Membership

M = TypeVar("M", bound=models.Model)

_READING = ("GET", "HEAD")


class MemberView(APIView):
    """A route for members. `self.member` is the membership acted under, as `request.member` is on pages.

    `writes = False` for a view whose POST stores nothing, such as a search: a reading token may call it.
    `upload = True` for one that takes a file: its body may be as large as a file.
    `problem_shape` is the media type and serializer of its problems, where its programs need another than ours.
    `most` is the bytes that any other body may have.
    `etags = True` for one whose answers are `tagged` (rest.etags), for the schema.
    """

    authentication_classes = (BearerToken, SessionLogin)
    permission_classes = ()
    parser_classes: Any = (JSONBody,)
    renderer_classes: Any = (JSONRenderer,)
    http_method_names = ["get", "head", "post", "put", "patch", "delete"]

    format_kwarg = None  # no ".json" at the end of addresses

    writes: ClassVar[bool] = True
    upload: ClassVar[bool] = False
    most: ClassVar[int] = MOST
    etags: ClassVar[bool] = False

    member: Membership
    token: AccessToken | None = None
    _allowance: throttling.Allowance | None = None

    def initial(self, request: Request, *args: Any, **kwargs: Any) -> None:
        self._identify(request)
        renderer = self.perform_content_negotiation(request)
        request.accepted_renderer, request.accepted_media_type = renderer
        if self.token and not self.token.may_write and self.writes and request.method not in _READING:
            raise Problem(403, "This access token may only read.", headers=_MORE_SCOPE)
        _check_length(
            request, MOST + settings.LECTERN_MAX_UPLOAD_MB * 1024 * 1024 if self.upload else self.most
        )

    def finalize_response(self, request: Request, response: Any, *args: Any, **kwargs: Any) -> Any:
        response = super().finalize_response(request, response, *args, **kwargs)
        if self._allowance:
            for name, value in self._allowance.headers().items():
                response.headers.setdefault(name, value)
        if not response.has_header("Cache-Control"):
            patch_cache_control(response, private=True, no_cache=True)
        return response

    def find(self, rows: models.QuerySet[M], key: UUID | None) -> M:
        """The row with this id behind a door; everything else is 404 in the same words (S2)."""
        return find(rows, key)

    def must_be_admin(self) -> None:
        """403 for a member who is no admin. Ask it after `find`: what one may not see is 404 first."""
        must_be_admin(self.member)

    def query(self, serializer: type[BaseSerializer[Any]]) -> dict[str, Any]:
        """The parameters of the address, checked; 400 by field for what cannot be taken. Of several the last counts."""
        return _checked(serializer(data=self.request.query_params.dict()))

    def body(self, serializer: type[BaseSerializer[Any]], *, partial: bool = False) -> dict[str, Any]:
        """What was sent, checked; 400 by field for what cannot be taken. `partial` for a PATCH."""
        return _checked(serializer(data=self.request.data, partial=partial, context={"view": self}))

    def _identify(self, request: Request) -> None:
        """Sets `member` and `token`, and counts the request: for the token or the person, else for the address."""
        address = request.META.get("REMOTE_ADDR") or "nowhere"
        try:
            user = request.user
        except APIException:
            self._count(f"address:{address}")
            raise
        self.token = cast(AccessToken | None, request.auth)
        if not user.is_authenticated:
            self._count(f"address:{address}")
            raise NotAuthenticated(UNKNOWN_SENDER)
        self._count(f"token:{self.token.pk}" if self.token else f"person:{user.pk}")
        member = self.token.membership if self.token else request._request.member  # type: ignore[attr-defined]
        if not member:
            raise Problem(403, "You do not belong to a school.")
        self.member = request._request.member = member  # type: ignore[attr-defined]

    def _count(self, who: str) -> None:
        self._allowance = throttling.take(who)
        if self._allowance and not self._allowance.allowed:
            seconds = self._allowance.seconds
            raise Problem(
                429, f"Too many requests. Try again in {seconds} s.", headers=self._allowance.headers()
            )


_MORE_SCOPE = {"WWW-Authenticate": 'Bearer realm="Lectern", error="insufficient_scope", scope="write"'}


def _check_length(request: Request, most: int) -> None:
    if "Transfer-Encoding" in request.headers:
        raise Problem(411, "Say how long the body is: send “Content-Length”.")
    try:
        length = int(request.META.get("CONTENT_LENGTH") or 0)
    except ValueError:
        raise Problem(400, "“Content-Length” is no number.") from None
    if length > most:
        raise Problem(413, f"The body has {length} bytes; at most {most} are allowed here.")


def _checked(serializer: BaseSerializer[Any]) -> dict[str, Any]:
    serializer.is_valid(raise_exception=True)
    data: dict[str, Any] = serializer.validated_data
    return data
