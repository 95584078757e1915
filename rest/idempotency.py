"""A request that is sent twice is done once: `Idempotency-Key`, as the IETF's draft describes it.

The same key with the same request gets the answer of the first time, with another request 422, and 409 while the
first is at work. Keys belong to a person in a school and are kept for a day. Only what succeeded is kept: a request
that failed changed nothing, and may be sent again under its key.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable
from datetime import timedelta
from functools import wraps
from typing import Any, Concatenate, ParamSpec, TypeVar

from django.core.files.base import File
from django.db import transaction
from django.http import HttpResponse, QueryDict
from django.http.response import HttpResponseBase
from django.utils import timezone
from rest_framework.renderers import JSONRenderer
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.utils.encoders import JSONEncoder

from rest.models import KeptAnswer
from rest.problems import Problem
from rest.views import MemberView

P = ParamSpec("P")
V = TypeVar("V", bound=MemberView)

KEPT = timedelta(hours=24)

_ABANDONED = timedelta(minutes=10)
"""After so long without an answer, whoever worked on a request is dead, and it may be sent again."""

_HEADERS = ("ETag", "Location")

_Method = Callable[Concatenate[V, Request, P], HttpResponseBase]


def idempotent(method: _Method[V, P]) -> _Method[V, P]:
    """Put over a view's `post`: from then on it honours the header. Streamed answers are not kept.

    What the view does and keeping its answer are one transaction.
    """

    @wraps(method)
    def once(view: V, request: Request, /, *args: P.args, **kwargs: P.kwargs) -> HttpResponseBase:
        key = request.headers.get("Idempotency-Key", "").strip().strip('"')
        if not key:
            return method(view, request, *args, **kwargs)
        claimed = _claim(view, key, _fingerprint(request))
        if isinstance(claimed, HttpResponse):
            return claimed
        try:
            with transaction.atomic():  # so that whoever dies in between has done nothing
                response = method(view, request, *args, **kwargs)
                is_kept = response.status_code < 400 and isinstance(response, Response)
                if is_kept:
                    _keep(claimed, response)
        except BaseException:
            _forget(claimed)
            raise
        if not is_kept:
            _forget(claimed)
        return response

    once.is_idempotent = True  # type: ignore[attr-defined]  # for the schema
    return once


def erase_old() -> int:
    """Erase what is older than it is kept, and say how many there were."""
    number, _ = KeptAnswer.objects.filter(created_at__lt=timezone.now() - KEPT).delete()
    return number


def _claim(view: MemberView, key: str, fingerprint: str) -> KeptAnswer | HttpResponse:
    """The row that is ours to answer, or the answer that was given before."""
    if len(key) > 255 or not key.isascii() or not key.isprintable():
        words = "An Idempotency-Key has at most 255 printable ASCII characters, such as a UUID."
        raise Problem(400, words, errors={"Idempotency-Key": [words]})
    mine = {"school": view.member.school, "owner": view.member.user, "key": key}
    now = timezone.now()
    dead = KeptAnswer.objects.filter(**mine)
    dead.filter(created_at__lt=now - KEPT).delete()
    dead.filter(created_at__lt=now - _ABANDONED, status=None).delete()
    row, is_new = KeptAnswer.objects.get_or_create(**mine, defaults={"fingerprint": fingerprint})
    if is_new:
        return row
    if row.fingerprint != fingerprint:
        raise Problem(422, "This Idempotency-Key was used for another request. Use a new one for each.")
    if row.status is None:
        raise Problem(
            409, "A request with this Idempotency-Key is being worked on. Ask again for its answer soon."
        )
    return HttpResponse(
        row.body,
        status=row.status,
        content_type="application/json",
        headers={**row.headers, "Idempotent-Replayed": "true"},
    )


def _keep(row: KeptAnswer, response: Any) -> None:
    body = JSONRenderer().render(response.data).decode() if response.data is not None else ""
    headers = {name: response[name] for name in _HEADERS if response.has_header(name)}
    ours = KeptAnswer.objects.filter(pk=row.pk)
    if not ours.update(status=response.status_code, headers=headers, body=body):
        raise Problem(
            409, "This took so long that the same request was taken up once more. Ask again for its answer."
        )


def _forget(row: KeptAnswer) -> None:
    """Unless its answer is kept: what has failed may have done so after all was stored."""
    KeptAnswer.objects.filter(pk=row.pk, status=None).delete()


def _fingerprint(request: Request) -> str:
    """Of method, address and what was sent. A form's parts are compared, not its bytes: its boundary is drawn anew."""
    digest = hashlib.sha256(f"{request.method} {request.get_full_path()}\n".encode())
    for part in _parts(request.data):
        digest.update(hashlib.sha256(part).digest())
    return digest.hexdigest()


def _parts(data: Any) -> list[bytes]:
    if not isinstance(data, QueryDict):
        return [json.dumps(data, sort_keys=True, cls=JSONEncoder).encode(errors="surrogatepass")]
    parts: list[bytes] = []
    for name in sorted(data):
        for value in data.getlist(name):
            parts.append(name.encode())
            parts.append(_content(value))
    return parts


def _content(value: Any) -> bytes:
    if not isinstance(value, File):
        return str(value).encode(errors="surrogatepass")
    digest = hashlib.sha256(str(value.name).encode())
    for block in value.chunks():
        digest.update(block)
    value.seek(0)
    return digest.digest()
