"""`Idempotency-Key`: a request that is sent twice is done once, as the IETF draft describes it.

The same key with the same request gets the first answer again, with another request 422, and 409 while the first
request is running. Keys belong to one person in one school and are kept for a day. Only successful answers are kept: a
request that failed changed nothing and may be sent again under its key.

Of an answer that is still written when the view returns, what the view's `resume` needs is kept: the request that is
sent again follows the same answer.

A running request holds an advisory lock of its transaction. PostgreSQL releases it when the process dies, so a retry
after a crash runs at once.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable
from datetime import timedelta
from functools import wraps
from typing import Any, Concatenate, ParamSpec, Protocol, TypeVar, runtime_checkable

from django.core.files.base import File
from django.db import connection, transaction
from django.http import HttpResponse, QueryDict
from django.http.response import HttpResponseBase
from django.utils import timezone
from rest_framework.renderers import JSONRenderer
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.utils.encoders import JSONEncoder

from rest.models import IdempotencyRecord
from rest.problems import Problem
from rest.views import MemberView

P = ParamSpec("P")
V = TypeVar("V", bound=MemberView)

KEPT_FOR = timedelta(hours=24)

_HEADERS = ("ETag", "Location")


@runtime_checkable
class Resuming(Protocol):
    """A view whose answers are written after it returns. The data of its response is what `resume` gets."""

    def resume(self, request: Request, begun: dict[str, object]) -> HttpResponseBase: ...


_Method = Callable[Concatenate[V, Request, P], HttpResponseBase]


def idempotent(method: _Method[V, P]) -> _Method[V, P]:
    """Decorate a view's `post` so that it honours the header.

    The view's work and the record of its answer are one transaction.
    """

    @wraps(method)
    def once(view: V, request: Request, /, *args: P.args, **kwargs: P.kwargs) -> HttpResponseBase:
        key = request.headers.get("Idempotency-Key", "").strip().strip('"')
        if not key:
            return method(view, request, *args, **kwargs)
        _check(key)
        record = IdempotencyRecord(
            school=view.member.school, owner=view.member.user, key=key, fingerprint=_fingerprint(request)
        )
        with transaction.atomic():
            _lock(record)
            if earlier := _earlier_record(record):
                return _replayed(view, request, earlier)
            response = method(view, request, *args, **kwargs)
            if response.status_code < 400 and isinstance(response, Response):
                _keep(record, response)
        return response

    once.is_idempotent = True  # type: ignore[attr-defined]  # for the schema
    return once


def _check(key: str) -> None:
    if len(key) > 255 or not key.isascii() or not key.isprintable():
        words = "An Idempotency-Key has at most 255 printable ASCII characters, such as a UUID."
        raise Problem(400, words, errors={"Idempotency-Key": [words]})


def _lock(record: IdempotencyRecord) -> None:
    """Hold the key until the transaction ends. Raises Problem (409) while another request holds it."""
    name = f"idempotency {record.school_id} {record.owner_id} {record.key}"
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_try_advisory_xact_lock(hashtextextended(%s, 0))", [name])
        (locked,) = cursor.fetchone()
    if not locked:
        raise Problem(409, "A request with this Idempotency-Key is being worked on. Ask again for its answer soon.")


def _earlier_record(record: IdempotencyRecord) -> IdempotencyRecord | None:
    """What this request was answered before. Raises Problem (422) if the key was used for another request."""
    mine = IdempotencyRecord.objects.filter(school=record.school, owner=record.owner, key=record.key)
    mine.filter(created_at__lt=timezone.now() - KEPT_FOR).delete()
    earlier = mine.first()
    if earlier is None:
        return None
    if earlier.fingerprint != record.fingerprint:
        raise Problem(422, "This Idempotency-Key was used for another request. Use a new one for each.")
    return earlier


def _replayed(view: MemberView, request: Request, earlier: IdempotencyRecord) -> HttpResponseBase:
    response: HttpResponseBase
    if isinstance(view, Resuming):
        response = view.resume(request, json.loads(earlier.body))
    else:
        response = HttpResponse(earlier.body, status=earlier.status, content_type="application/json")
    for name, value in {**earlier.headers, "Idempotent-Replayed": "true"}.items():
        response[name] = value
    return response


def _keep(record: IdempotencyRecord, response: Any) -> None:
    record.status = response.status_code
    record.headers = {name: response[name] for name in _HEADERS if response.has_header(name)}
    record.body = JSONRenderer().render(response.data).decode() if response.data is not None else ""
    record.save()


def _fingerprint(request: Request) -> str:
    """A hash of method, address and content. Of a form its parts count, since the boundary differs each time."""
    digest = hashlib.sha256(f"{request.method} {request.get_full_path()}\n".encode())
    for part in _parts(request.data):
        digest.update(hashlib.sha256(part).digest())
    return digest.hexdigest()


def _parts(data: object) -> list[bytes]:
    if not isinstance(data, QueryDict):
        return [json.dumps(data, sort_keys=True, cls=JSONEncoder).encode(errors="surrogatepass")]
    parts: list[bytes] = []
    for name in sorted(data):
        for value in data.getlist(name):
            parts += [name.encode(), _content(value)]
    return parts


def _content(value: object) -> bytes:
    if not isinstance(value, File):
        return str(value).encode(errors="surrogatepass")
    digest = hashlib.sha256(str(value.name).encode())
    for block in value.chunks():
        digest.update(block)
    value.seek(0)
    return digest.digest()
