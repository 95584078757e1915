"""The base class of all API views: authentication, school, rate limit, scope and body."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, ClassVar, TypeVar, cast
from uuid import UUID

from django.conf import settings
from django.db import models
from django.urls import reverse
from rest_framework.authentication import SessionAuthentication
from rest_framework.exceptions import APIException, NotAuthenticated, ValidationError
from rest_framework.renderers import JSONRenderer
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.serializers import BaseSerializer, CharField
from rest_framework.views import APIView

from accounts import demand
from rest.authentication import BearerToken
from rest.pagination import PageQuery, paginate
from rest.parsers import MAX_BYTES, JSONBody
from rest.problems import UNKNOWN_SENDER, Problem
from rest.serializers import UNKNOWN, unknown_fields
from schools import rate_limits
from schools.access import must_be_admin
from schools.forms import check_visible
from schools.http import find
from schools.models import AccessToken, Membership

M = TypeVar("M", bound=models.Model)

_READING = ("GET", "HEAD")

CharField.default_validators = [check_visible]  # type: ignore[misc]


class MemberView(APIView):
    """A route for members. `self.member` is the current membership, as `request.member` is on pages.

    `writes = False`: its POST stores nothing, as in a search, so a read token may call it.
    `upload = True`: it takes a file, so its body may be as large as a file.
    `ignores_unknown = True`: its clients send fields that it has not, which are refused elsewhere.
    `problem_shape`: media type and serializer of its errors, where its clients need other ones.
    `most`: the most bytes of a body without a file.
    `for_operators = True`: an operator without a school may call it, and then there is no `self.member`.
    `etags = True`: its answers are `tagged` (rest.etags). Only the schema reads this.
    """

    authentication_classes = (BearerToken, SessionAuthentication)
    permission_classes = ()
    parser_classes: Any = (JSONBody,)
    renderer_classes: Any = (JSONRenderer,)
    http_method_names = ["get", "head", "post", "put", "patch", "delete"]

    format_kwarg = None  # no ".json" at the end of addresses

    writes: ClassVar[bool] = True
    upload: ClassVar[bool] = False
    ignores_unknown: ClassVar[bool] = False
    most: ClassVar[int] = MAX_BYTES
    etags: ClassVar[bool] = False
    for_operators: ClassVar[bool] = False

    member: Membership
    token: AccessToken | None = None
    _allowance: rate_limits.Allowance | None = None

    def initial(self, request: Request, *args: object, **kwargs: object) -> None:
        self._identify(request)
        renderer = self.perform_content_negotiation(request)
        request.accepted_renderer, request.accepted_media_type = renderer
        if self.token and not self.token.may_write and self.writes and request.method not in _READING:
            raise Problem(403, "This access token may only read.", headers=_MORE_SCOPE)
        file = settings.LECTERN_MAX_UPLOAD_MB * 1024 * 1024
        _check_length(request, MAX_BYTES + file if self.upload else self.most)

    def finalize_response(self, request: Request, response: Any, *args: Any, **kwargs: Any) -> Any:
        response = super().finalize_response(request, response, *args, **kwargs)
        if self._allowance:
            for name, value in self._allowance.headers().items():
                response.headers.setdefault(name, value)
        if response.has_header("ETag"):
            response.headers.setdefault("Cache-Control", "private, no-cache")
        return response

    def find(self, rows: models.QuerySet[M], key: UUID | None) -> M:
        """The row with this id in the queryset, else 404 in the same words for every reason (S2)."""
        return find(rows, key)

    def must_be_admin(self) -> None:
        """403 for a member who is no admin. Call it after `find`, so that a row one may not see is 404."""
        must_be_admin(self.member)

    def query(self, serializer: type[BaseSerializer[object]]) -> dict[str, Any]:
        """The validated query parameters; 400 by field if they are wrong. Of several with one name the last counts."""
        return _checked(serializer(data=self.request.query_params.dict()))

    def body(self, serializer: type[BaseSerializer[Any]], *, partial: bool = False) -> dict[str, Any]:
        """The validated body; 400 by field if it is wrong. `partial` is for a PATCH."""
        body = serializer(data=self.request.data, partial=partial, context={"view": self})
        return _checked(body, () if self.ignores_unknown else unknown_fields(body, self.request.data))

    def paginate(
        self,
        rows: models.QuerySet[M],
        serializer: type[BaseSerializer[Any]],
        query: dict[str, Any] | None = None,
        *,
        order: Sequence[str] = ("-pk",),
        **context: object,
    ) -> Response:
        """One page of the rows. `query` is the validated subclass of PageQuery, where the list has filters."""

        def present(found: Sequence[M]) -> object:
            return serializer(found, many=True, context=context).data

        return Response(paginate(self.request, rows, query or self.query(PageQuery), present, order=order))

    def respond_created(self, data: object, route: str, key: UUID) -> Response:
        """The answer to whoever made something, with the address of it."""
        where = self.request.build_absolute_uri(reverse(route, args=[key]))
        return Response(data, status=201, headers={"Location": where})

    def _identify(self, request: Request) -> None:
        """Set `member` and `token`, and count the request for the token or person, else for the network."""
        network = rate_limits.get_client_network(request._request)
        try:
            user = request.user
        except APIException:
            self._count("network", network)
            raise
        self.token = cast(AccessToken | None, request.auth)
        if not user.is_authenticated:
            self._count("network", network)
            raise NotAuthenticated(UNKNOWN_SENDER)
        self._count(*("token", self.token.pk) if self.token else ("person", user.pk))
        member = self.token.membership if self.token else request._request.member  # type: ignore[attr-defined]
        if not member:
            if self.for_operators and user.is_superuser:
                return
            raise Problem(403, "You do not belong to a school.")
        if reason := demand.explain_to_member(member):
            raise Problem(403, f"{reason} Sign in on the pages and set one up under “Signing in”.")
        self.member = request._request.member = member  # type: ignore[attr-defined]

    def _count(self, *who: object) -> None:
        limit = rate_limits.api_limit()
        self._allowance = rate_limits.take(limit, *who) if limit else None
        if self._allowance and not self._allowance.allowed:
            seconds = self._allowance.seconds
            raise Problem(429, f"Too many requests. Try again in {seconds} s.", headers=self._allowance.headers())


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


def _checked(serializer: BaseSerializer[object], unknown: Iterable[str] = ()) -> dict[str, object]:
    serializer.is_valid()
    if errors := {**dict(serializer.errors), **{name: [UNKNOWN] for name in unknown}}:
        raise ValidationError(errors)
    data: dict[str, Any] = serializer.validated_data
    return data
