"""Conditional requests: `ETag`, `If-None-Match` and `If-Match` (RFC 9110)."""

from __future__ import annotations

import hashlib

from django.http import HttpResponse
from django.http.response import HttpResponseBase
from django.utils.http import parse_etags
from rest_framework.renderers import JSONRenderer
from rest_framework.request import Request
from rest_framework.response import Response

from rest.problems import Problem


def compute_etag(data: object) -> str:
    return f'"{hashlib.sha256(JSONRenderer().render(data)).hexdigest()[:32]}"'


def add_etag(request: Request, data: object) -> HttpResponseBase:
    """The response with its ETag; 304 without a body if the client has this version."""
    etag = compute_etag(data)
    known = [tag.removeprefix("W/") for tag in parse_etags(request.headers.get("If-None-Match", ""))]
    if request.method in ("GET", "HEAD") and (etag in known or "*" in known):
        return HttpResponse(status=304, headers={"ETag": etag})
    return Response(data, headers={"ETag": etag})


def must_match(request: Request, data: object) -> None:
    """Raises Problem (412) when the request has an If-Match header that names another version."""
    wanted = parse_etags(request.headers.get("If-Match", "*"))
    if "*" not in wanted and compute_etag(data) not in wanted:
        words = "It has changed since you read it. Read it again, then decide. Nothing was changed."
        raise Problem(412, words)
