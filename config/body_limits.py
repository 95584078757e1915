"""Limit the size of a request body, and the time it takes, before it lies on the disk.

Django reads all of it before it calls a view. So anybody may send a small body, a person who is signed in or the owner
of an access token a larger one, and files only to the routes that take them.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable
from typing import Any

from django.conf import settings
from django.contrib.auth import get_user
from django.contrib.sessions.backends.db import SessionStore
from django.http import HttpRequest, HttpResponse
from django.http.cookie import parse_cookie
from django.template.loader import render_to_string
from django.urls import Resolver404, resolve

from engines import background
from rest.parsers import MAX_BYTES, MAX_BYTES_OF_TEXT
from rest.problems import UNKNOWN_SENDER, make_problem
from schools import rate_limits, tokens

MAX_SECONDS = 60
"""Seconds that a body may take, and a second more for each `MIN_BYTES_PER_SECOND` that came."""
MIN_BYTES_PER_SECOND = 10_000

Receive = Callable[[], Awaitable[Any]]


class BodyRefused(Exception):
    """The rest of the body is not read: it is too large for its sender (401, 403, 413 or 429), or too slow (408)."""

    def __init__(self, status: int, most: int = MAX_BYTES) -> None:
        self.status, self.most = status, most
        super().__init__(f"status {status}")


def limit_body(scope: dict[str, Any], receive: Receive) -> Receive:
    """Wrap ASGI's `receive`: it raises BodyRefused. Who sends is looked up once, for a body that is not small."""
    most, read, is_whole, began = MAX_BYTES, 0, False, time.monotonic()

    async def check_size(size: int) -> None:
        nonlocal most
        if size > most == MAX_BYTES:
            most = await background.run_in_pool("requests", _find_limit, scope)
        if size > most:
            raise BodyRefused(413, most)

    async def receive_limited() -> Any:
        nonlocal read, is_whole
        if is_whole:
            return await receive()
        await check_size(_content_length(scope))
        seconds = MAX_SECONDS + read / MIN_BYTES_PER_SECOND - (time.monotonic() - began)
        try:
            async with asyncio.timeout(seconds):
                message = await receive()
        except TimeoutError:
            raise BodyRefused(408) from None
        read += len(message.get("body", b""))
        is_whole = not message.get("more_body", False)
        await check_size(read)
        return message

    return receive_limited


def build_refusal(scope: dict[str, Any], refused: BodyRefused) -> HttpResponse:
    if _is_api(scope):
        words = {
            401: UNKNOWN_SENDER,
            408: "The body of this request came too slowly.",
            429: "Too many requests. Try again in a minute.",
            413: f"The body is too large; at most {refused.most} bytes are allowed here.",
        }
        headers = {"WWW-Authenticate": 'Bearer realm="Lectern"'} if refused.status == 401 else {}
        answer = make_problem(refused.status, words[refused.status], headers=headers)
    else:
        name = "403_csrf.html" if refused.status == 403 else f"{refused.status}.html"
        answer = HttpResponse(render_to_string(name), status=refused.status, headers={"Cache-Control": "no-store"})
    answer["Content-Length"] = str(len(answer.content))
    return answer


def _find_limit(scope: dict[str, object]) -> int:
    """The most bytes that this route accepts from a sender who is known. Raises BodyRefused for anybody else."""
    if not _is_known(scope):
        raise BodyRefused(_count_refusal(scope) if _is_api(scope) else 403)
    if not _takes_files(scope):
        return MAX_BYTES_OF_TEXT if _is_api(scope) else int(settings.DATA_UPLOAD_MAX_MEMORY_SIZE or 0)
    files = 1 if _is_api(scope) else settings.LECTERN_MAX_FILES_PER_UPLOAD
    return int(MAX_BYTES + files * settings.LECTERN_MAX_UPLOAD_MB * 1024 * 1024)


def _count_refusal(scope: dict[str, Any]) -> int:
    """The status for a stranger: their refused requests count, as those with a small body do."""
    limit, (address, *_) = rate_limits.api_limit(), scope.get("client") or ("",)
    is_allowed = not limit or rate_limits.take(limit, "network", rate_limits.find_network(address)).allowed
    return 401 if is_allowed else 429


def _is_known(scope: dict[str, object]) -> bool:
    """Whether the sender has an access token, or is signed in. The route itself checks what they may do."""
    kind, _, secret = _header(scope, b"authorization").strip().partition(" ")
    if kind.lower() == "bearer" and tokens.recognise(secret.strip()):
        return True
    request = HttpRequest()
    request.session = SessionStore(parse_cookie(_header(scope, b"cookie")).get(settings.SESSION_COOKIE_NAME))
    return get_user(request).is_authenticated


def _takes_files(scope: dict[str, object]) -> bool:
    if not _header(scope, b"content-type").lower().startswith("multipart/form-data"):
        return False
    try:
        view = resolve(_path(scope)).func
    except Resolver404:
        return False
    return getattr(view, "takes_files", False) or getattr(getattr(view, "cls", None), "upload", False)


def _content_length(scope: dict[str, object]) -> int:
    length = _header(scope, b"content-length")
    return int(length) if length.isdecimal() else 0


def _is_api(scope: dict[str, object]) -> bool:
    return _path(scope).startswith(settings.LECTERN_API_PATH)


def _path(scope: dict[str, Any]) -> str:
    path: str = scope["path"]
    return path.removeprefix(scope.get("root_path", ""))


def _header(scope: dict[str, Any], name: bytes) -> str:
    return "; ".join(value.decode("latin-1") for key, value in scope["headers"] if key == name)
