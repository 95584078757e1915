"""Limit the size of a request body before any of it is read: Django reads all of it before it calls a view."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any

from django.conf import settings
from django.http import HttpResponse
from django.template.loader import render_to_string

from rest.parsers import LARGEST, MOST
from rest.problems import UNKNOWN_SENDER, problem

Receive = Callable[[], Awaitable[Any]]


class TooLarge(Exception):
    """The body is larger than any route accepts. The rest of it is not read."""


def limited(scope: dict[str, Any], receive: Receive) -> Receive:
    """Wrap ASGI's `receive`: it raises TooLarge when the body, or its Content-Length, is over the limit."""
    limit, read = _limit(scope), 0

    async def receive_limited() -> Any:
        nonlocal read
        if _content_length(scope) > limit:
            raise TooLarge
        message = await receive()
        read += len(message.get("body", b""))
        if read > limit:
            raise TooLarge
        return message

    return receive_limited


def refusal(scope: dict[str, Any]) -> HttpResponse:
    """The response to a body that is too large. Without credentials it is 401 or 403 instead of 413."""
    if _is_api(scope) and _is_anonymous(scope):
        answer = problem(401, UNKNOWN_SENDER, headers={"WWW-Authenticate": 'Bearer realm="Lectern"'})
    elif _is_api(scope):
        answer = problem(413, f"The body is too large; at most {_limit(scope)} bytes are allowed here.")
    else:
        name, status = ("403_csrf.html", 403) if _is_anonymous(scope) else ("413.html", 413)
        answer = HttpResponse(render_to_string(name), status=status, headers={"Cache-Control": "no-store"})
    answer["Content-Length"] = str(len(answer.content))
    return answer


def _limit(scope: dict[str, Any]) -> int:
    """The most bytes that any route accepts from this sender. The route itself checks the token and its own limit."""
    if _is_anonymous(scope):
        return MOST
    if not _header(scope, b"content-type").lower().startswith(b"multipart/form-data"):
        return LARGEST if _is_api(scope) else int(settings.DATA_UPLOAD_MAX_MEMORY_SIZE or 0)
    files = 1 if _is_api(scope) else settings.LECTERN_MAX_FILES_PER_UPLOAD
    return int(MOST + files * settings.LECTERN_MAX_UPLOAD_MB * 1024 * 1024)


def _content_length(scope: dict[str, Any]) -> int:
    length = _header(scope, b"content-length")
    return int(length) if length.isdigit() else 0


def _is_api(scope: dict[str, Any]) -> bool:
    path: str = scope["path"].removeprefix(scope.get("root_path", ""))
    return path.startswith(settings.LECTERN_API_PATH)


def _is_anonymous(scope: dict[str, Any]) -> bool:
    session = f"{settings.SESSION_COOKIE_NAME}=".encode()
    is_program = _header(scope, b"authorization").lower().startswith(b"bearer ")
    return not (is_program or session in _header(scope, b"cookie"))


def _header(scope: dict[str, Any], name: bytes) -> bytes:
    return b"; ".join(value for key, value in scope["headers"] if key == name)
