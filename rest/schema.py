"""The OpenAPI schema. Responses that any route can give are added here, so that views name only their own."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from typing import Any

from drf_spectacular.generators import SchemaGenerator
from drf_spectacular.openapi import AutoSchema
from drf_spectacular.utils import OpenApiParameter

from rest.problems import MEDIA_TYPE
from rest.serializers import ProblemSerializer

_WORDS = {
    "400": "What was sent cannot be understood, or not be taken; `errors` says why, by field.",
    "401": "No access token, or one that is unknown, revoked or expired.",
    "403": "This person, or this token, may not do that.",
    "404": "There is nothing here that this person may see.",
    "406": "Only JSON is sent from here.",
    "409": "Something that it is about was changed or deleted at the same moment, so that nothing was done; or a "
    "request with this Idempotency-Key is being worked on.",
    "411": "The length of the body must be said.",
    "412": "It has changed since it was read (`If-Match`).",
    "413": "The body is too large.",
    "415": "This route takes another media type.",
    "422": "It was understood, but cannot be done; `detail` says why.",
    "429": "Too many requests; `Retry-After` says how many seconds to wait.",
    "503": "The database does not answer just now.",
}

_DONE = {"200": "What was asked for.", "201": "It is made.", "202": "It is begun.", "204": "It is done."}

_STRING, _NUMBER = {"schema": {"type": "string"}}, {"schema": {"type": "integer"}}
_LIMITS = {
    "RateLimit-Policy": {"description": "The limit: `q` requests in `w` seconds.", **_STRING},
    "RateLimit": {"description": "`r` requests are left; the oldest one is forgotten in `t` seconds.", **_STRING},
}
_WAIT = {"Retry-After": {"description": "Seconds to wait.", **_NUMBER}}


class Schema(AutoSchema):
    """Adds to each operation its possible errors and its headers.

    The first sentence of a method's docstring is the summary of its operation, the rest is the description.
    """

    view: Any  # a MemberView

    def _map_basic_serializer(self, serializer: object, direction: Any) -> dict[str, object]:
        schema: dict[str, Any] = super()._map_basic_serializer(serializer, direction)  # type: ignore[no-untyped-call]
        if direction == "request" and not self.view.ignores_unknown:
            schema["additionalProperties"] = False
        return schema

    def get_tags(self) -> list[str]:
        return getattr(self.view, "tags", None) or super().get_tags()

    def get_summary(self) -> str:
        return self._document().partition(". ")[0].removesuffix(".")

    def get_description(self) -> str:  # type: ignore[override]  # as drf-spectacular has it, without types
        return self._document().partition(". ")[2]

    def _document(self) -> str:
        return " ".join((getattr(self.view, self.method.lower()).__doc__ or "").split())

    def get_override_parameters(self) -> list[Any]:
        return [*super().get_override_parameters(), *self._header_parameters()]

    def _get_response_bodies(self, direction: Any = "response") -> dict[str, Any]:
        bodies: dict[str, Any] = super()._get_response_bodies(direction)
        media_type, serializer = getattr(self.view, "problem_shape", (MEDIA_TYPE, ProblemSerializer))
        schema = self.resolve_serializer(serializer(), "response").ref
        for code in {*self._problems(), *(code for code in bodies if code >= "400")}:
            described = bodies.get(code, {}).get("description")
            content = {media_type: {"schema": schema}}
            bodies[code] = {"description": described or _WORDS[code], "content": content}
        if self.view.etags and self.method == "GET":
            bodies.setdefault("304", {"description": "It is still what `If-None-Match` says."})
        for code, body in bodies.items():
            body["description"] = body["description"] or _DONE.get(code, "")
            if code != "401":
                limits = _LIMITS if code != "503" else {}  # before anything is counted, too
                wait = _WAIT if code in ("429", "503") else {}
                body["headers"] = {**body.get("headers", {}), **limits, **wait}
        return dict(sorted(bodies.items()))

    def _problems(self) -> Iterator[str]:
        yield from ("400", "401", "403", "406", "429", "503")
        if "{" in self.path:
            yield "404"
        if self.method in ("POST", "PUT", "PATCH"):
            yield from ("411", "413", "415")
        if self.method != "GET" and self.view.writes:
            yield "409"
        if self._is_idempotent():
            yield "422"
        if self._takes_if_match():
            yield "412"

    def _is_idempotent(self) -> bool:
        return bool(getattr(getattr(self.view, self.method.lower()), "is_idempotent", False))

    def _takes_if_match(self) -> bool:
        return self.view.etags and self.method in ("PATCH", "PUT", "DELETE")

    def _header_parameters(self) -> Iterator[OpenApiParameter]:
        if self._is_idempotent():
            words = "Of your choice, such as a UUID: the same request sent again under it is not done again."
            yield OpenApiParameter("Idempotency-Key", str, OpenApiParameter.HEADER, description=words)
        if self._takes_if_match():
            words = "The `ETag` of what you read: 412 if it is another by now."
            yield OpenApiParameter("If-Match", str, OpenApiParameter.HEADER, description=words)
        elif self.view.etags and self.method == "GET":
            words = "The `ETag` of what you have: 304 if there is nothing newer."
            yield OpenApiParameter("If-None-Match", str, OpenApiParameter.HEADER, description=words)


@cache
def build_schema() -> dict[str, Any]:
    """The whole schema. Each process builds it once."""
    generator: Any = SchemaGenerator  # has no types
    found: dict[str, Any] = generator().get_schema(request=None, public=True)
    return found


def drop_unused_tags(result: dict[str, Any], **_: object) -> dict[str, object]:
    """A hook of drf-spectacular: a plug-in that is off leaves a tag without routes."""
    used = {tag for methods in result["paths"].values() for one in methods.values() for tag in one["tags"]}
    result["tags"] = [tag for tag in result.get("tags", []) if tag["name"] in used]
    return result
