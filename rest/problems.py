"""Errors under /api/ as problem details (RFC 9457), and the error pages for everything else."""

from __future__ import annotations

import errno
import logging
import sys
from collections.abc import Callable, Iterator, Mapping
from http import HTTPStatus
from typing import Any

from django.conf import settings
from django.core.exceptions import BadRequest, PermissionDenied, RequestDataTooBig, SuspiciousOperation
from django.db import Error, IntegrityError, InterfaceError, OperationalError
from django.http import Http404, HttpRequest, HttpResponse, JsonResponse
from django.http.multipartparser import MultiPartParserError
from django.http.response import HttpResponseBase
from django.template.loader import render_to_string
from django.views import defaults
from psycopg.errors import DiskFull, ForeignKeyViolation
from rest_framework import exceptions

from schools.http import FileUnreachable

logger = logging.getLogger(__name__)

SOON = 10
"""Seconds for `Retry-After` when one of our services is away."""

MEDIA_TYPE = "application/problem+json"
NOTHING = "There is nothing here."
UNKNOWN_SENDER = "Send an access token: “Authorization: Bearer lectern_…”."
AWAY = "The database does not answer just now. Please try again later."
FULL = "The disk of the server is full. Please try again later, and tell whoever runs this server."
OVERTAKEN = (
    "Something that this is about was changed or deleted at the same moment, so that nothing was done. Look how it "
    "stands now, and try again."
)

_EXPECTED = {
    503: (AWAY, "The database did not answer a request, or a disk is full"),
    409: (
        OVERTAKEN,
        "A request was overtaken by what somebody else did at the same moment; or it pointed to a row that is not "
        "there, or not in its school, which is a fault of ours if it comes again",
    ),
}
"""By status: what the client reads, and what the log says."""

Errors = Mapping[str, list[str]]


class Problem(exceptions.APIException):
    """An error response that any view may raise.

    `detail` is for people; `errors` says for each field what is wrong with it.
    """

    def __init__(
        self,
        status: int,
        detail: str,
        *,
        errors: Errors | None = None,
        headers: Mapping[str, str] | None = None,
    ) -> None:
        self.status_code = status
        self.errors = errors
        self.headers = dict(headers or {})
        super().__init__(detail)


def describe_problem(status: int, detail: str, **more: str) -> dict[str, Any]:
    """The body of an error response."""
    return {"type": "about:blank", "title": HTTPStatus(status).phrase, "status": status, "detail": detail, **more}


def make_problem(
    status: int,
    detail: str,
    *,
    errors: Errors | None = None,
    headers: Mapping[str, str] | None = None,
    more: Mapping[str, str] | None = None,
) -> HttpResponse:
    """The error response."""
    body = describe_problem(status, _presentable(detail), **(more or {}))
    if errors:
        body["errors"] = {_presentable(name): [_presentable(w) for w in words] for name, words in errors.items()}
    dumps = {"ensure_ascii": False}
    answer = JsonResponse(body, status=status, content_type=MEDIA_TYPE, json_dumps_params=dumps, headers=headers)
    answer["Cache-Control"] = "no-store"
    if status == HTTPStatus.SERVICE_UNAVAILABLE:
        answer.headers.setdefault("Retry-After", str(SOON))
    return answer


def handle_exception(exception: Exception, context: Mapping[str, object]) -> HttpResponseBase | None:
    """REST framework's exception handler. It returns None for a bug of ours, which Django turns into a 500."""
    match exception:
        case Problem():
            words, headers = str(exception.detail), exception.headers
            return make_problem(exception.status_code, words, errors=exception.errors, headers=headers)
        case exceptions.ValidationError():
            errors = dict(_by_field(exception.detail))
            return make_problem(400, "What was sent cannot be taken. “errors” says why.", errors=errors)
        case Http404():
            return make_problem(404, NOTHING)
        case PermissionDenied():
            return make_problem(403, str(exception) or "You may not do this.")
        case RequestDataTooBig():
            return make_problem(413, "The request is too large.")
        case SuspiciousOperation() | BadRequest() | MultiPartParserError():
            return make_problem(400, "The request cannot be understood.")
        case Error() | OSError() if (status := get_status(exception)) in _EXPECTED:
            words, noted = _EXPECTED[status]
            logger.exception(noted)
            return make_problem(status, FULL if is_disk_full(exception) else words)
        case FileUnreachable():
            return make_problem(503, str(exception))
        case RecursionError():
            return make_problem(400, "What was sent is nested too deeply.")
        case exceptions.APIException():
            said = getattr(exception, "auth_header", None)
            headers = {"WWW-Authenticate": said} if said else {}
            return make_problem(exception.status_code, str(exception.detail), headers=headers)
    return None


def get_status(failure: BaseException | None) -> int:
    """503 when the database or a file is away or a disk is full, 409 when another request interfered, 500 for a bug."""
    match failure:
        case OSError() if is_disk_full(failure):
            return 503
        case InterfaceError() | FileUnreachable():
            return 503
        case OperationalError():
            state = getattr(failure.__cause__, "sqlstate", None)
            if state is None or state.startswith(("08", "53", "57P")):  # no connection, no room, shut down
                return 503
            if state in ("40001", "40P01"):  # not in any order, or each waiting for the other
                return 409
        case IntegrityError(__cause__=ForeignKeyViolation()):
            return 409
    return 500


def is_disk_full(failure: BaseException | None) -> bool:
    """Whether a disk of this server, or that of the database, has no room left."""
    is_full = getattr(failure, "errno", None) in (errno.ENOSPC, errno.EDQUOT)
    return is_full or isinstance(getattr(failure, "__cause__", None), DiskFull)


def _handler(page: Callable[[HttpRequest, Exception], HttpResponse]) -> Callable[..., HttpResponseBase]:
    """A handler for `config.urls`: under /api/ a problem, elsewhere this error page of Django."""

    def handle(request: HttpRequest, exception: Exception) -> HttpResponseBase:
        answer = handle_exception(exception, {}) if _is_api(request) else None
        return answer or page(request, exception)

    return handle


bad_request = _handler(defaults.bad_request)
forbidden = _handler(defaults.permission_denied)
not_found = _handler(defaults.page_not_found)


def handle_failure(request: HttpRequest, failure: BaseException | None = None) -> HttpResponse:
    """Django's handler500: database or file away, disk full, another request interfered, or a bug of ours.

    The error pages need no database and keep what was typed (static/js/drafts.js).
    """
    failure = failure or sys.exception()
    status = get_status(failure)
    reason = FULL if is_disk_full(failure) else str(failure) if isinstance(failure, FileUnreachable) else ""
    words = "Something went wrong on the server. It has been noted; please try again later."
    if status in _EXPECTED:
        words, noted = _EXPECTED[status]
        if status < HTTPStatus.INTERNAL_SERVER_ERROR:  # no more than a warning for Django
            logger.exception(noted)
    if _is_api(request):
        return make_problem(status, reason or words)
    if status == HTTPStatus.INTERNAL_SERVER_ERROR:
        return defaults.server_error(request)
    page = HttpResponse(render_to_string(f"{status}.html", {"reason": reason}), status=status)
    page["Cache-Control"] = "no-store"
    if status == HTTPStatus.SERVICE_UNAVAILABLE:
        page["Retry-After"] = str(SOON)
    return page


def _is_api(request: HttpRequest) -> bool:
    return request.path_info.startswith(settings.LECTERN_API_PATH)


def _by_field(detail: object, name: str = "") -> Iterator[tuple[str, list[str]]]:
    """Flatten REST framework's nested messages: "sources.personal.0" and so on."""
    if isinstance(detail, Mapping):
        for key, inner in detail.items():
            if key == "non_field_errors":
                key = ""
            yield from _by_field(inner, ".".join(str(part) for part in (name, key) if part != ""))
    elif isinstance(detail, list) and any(isinstance(inner, Mapping | list) for inner in detail):
        for index, inner in enumerate(detail):
            yield from _by_field(inner, f"{name}.{index}" if name else str(index))
    elif words := ([str(word) for word in detail] if isinstance(detail, list) else [str(detail)]):
        yield name or "request", words


def _presentable(text: str) -> str:
    """Replace lone surrogates, which an echoed input may have and UTF-8 cannot encode."""
    return text.encode(errors="replace").decode()
