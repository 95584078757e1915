"""How requests come in: files and pages by one handler, with the same protection."""

from __future__ import annotations

import asyncio
import re
import threading
from collections.abc import Callable
from io import BytesIO
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from django.contrib.sessions.backends.db import SessionStore
from django.core.management import call_command
from django.db import connection
from django.http import FileResponse, HttpRequest, HttpResponse, StreamingHttpResponse
from django.templatetags.static import static
from django.test import AsyncRequestFactory, Client
from django.urls import reverse
from pytest_django import Settings

from config.handler import Handler
from tests.factories import Cast, personal_document
from tests.running import wait_for


@pytest.fixture
def handler(tmp_path: Path, settings: Settings) -> Handler:
    return collect(settings, tmp_path, "let one = 1;")


def collect(settings: Settings, folder: Path, script: str) -> Handler:
    """A version of Lectern whose static files are this script, and a style sheet that names it."""
    source = folder / "source"
    source.mkdir(exist_ok=True)
    (source / "page.js").write_text(script)
    (source / "page.css").write_text("body { background: url(page.js); }")
    settings.STATICFILES_DIRS, settings.STATIC_ROOT = [source], folder / "static"
    settings.STATICFILES_FINDERS = ["django.contrib.staticfiles.finders.FileSystemFinder"]
    call_command("collectstatic", interactive=False, verbosity=0)
    return Handler()


def get(
    handler: Handler, path: str, cookie: str = "", on_sent: Callable[[], object] = lambda: None
) -> tuple[int, dict[str, str], bytes]:
    """Status, headers and body of a request as a web server passes it on."""
    sent: list[dict[str, Any]] = []

    async def request() -> None:
        incoming = [{"type": "http.request", "body": b"", "more_body": False}]

        async def receive() -> dict[str, Any]:
            if incoming:
                return incoming.pop()
            await asyncio.sleep(3600)
            return {"type": "http.disconnect"}

        async def send(message: dict[str, Any]) -> None:
            sent.append(message)
            on_sent()

        scope = {"type": "http", "http_version": "1.1", "method": "GET", "path": path, "query_string": b""}
        await handler({**scope, "headers": [(b"host", b"localhost"), (b"cookie", cookie.encode())]}, receive, send)

    asyncio.run(request())
    headers = {name.decode().lower(): value.decode() for name, value in sent[0]["headers"]}
    return sent[0]["status"], headers, b"".join(part.get("body", b"") for part in sent[1:])


def test_a_static_file_is_served_for_ever_and_not_sniffed(handler: Handler) -> None:
    path = static("page.js")
    assert re.fullmatch(r"/static/page\.[0-9a-f]{12}\.js", path)
    status, headers, body = get(handler, path)
    assert (status, body) == (200, b"let one = 1;")
    assert headers["content-type"].startswith("text/javascript")
    assert headers["x-content-type-options"] == "nosniff"
    assert headers["cache-control"] == "max-age=315360000, public, immutable"
    assert path.rpartition("/")[2] in get(handler, static("page.css"))[2].decode()
    assert get(handler, "/static/page.js")[0] == 404


def test_two_versions_side_by_side_do_not_serve_each_others_files(tmp_path: Path, settings: Settings) -> None:
    (tmp_path / "new").mkdir()
    old, old_path = collect(settings, tmp_path, "let one = 1;"), static("page.js")
    new, new_path = collect(settings, tmp_path / "new", "let two = 2;"), static("page.js")
    assert old_path != new_path
    assert get(old, old_path)[2] == b"let one = 1;" and get(new, new_path)[2] == b"let two = 2;"
    assert get(new, old_path)[0] == get(old, new_path)[0] == 404


def test_a_file_that_was_not_collected_keeps_its_name(handler: Handler) -> None:
    assert static("none.js") == "/static/none.js"


def test_nothing_beside_the_static_files_is_served(handler: Handler, tmp_path: Path) -> None:
    (tmp_path.parent / "secret.txt").write_text("swordfish")
    for path in ("/static/../secret.txt", "/static/%2e%2e/secret.txt", "/static/none.js"):
        status, _, body = get(handler, path)
        assert status == 404
        assert b"swordfish" not in body


@pytest.mark.django_db(transaction=True)
def test_a_page_comes_with_what_the_middleware_adds(handler: Handler) -> None:
    status, headers, body = get(handler, "/accounts/login/")
    assert status == 200
    assert b"<form" in body
    assert "no-store" in headers["cache-control"]
    assert headers["x-content-type-options"] == "nosniff"
    assert headers["x-frame-options"] == "DENY"
    assert "default-src 'self'" in headers["content-security-policy"]


def test_a_download_is_read_as_it_is_sent(handler: Handler) -> None:
    """A slow reader must not make the process hold the whole file."""
    file, ahead = BytesIO(b"x" * 3_000_000), list[int]()
    handler.get_response = lambda _: FileResponse(file)  # type: ignore[assignment, method-assign]
    _, _, body = get(handler, "/", on_sent=lambda: ahead.append(file.closed or file.tell()))
    assert body == b"x" * 3_000_000
    steps = [later - earlier for earlier, later in pairwise(ahead)]
    assert len(steps) > 40
    assert max(steps) <= handler.chunk_size
    assert file.closed


def test_what_was_begun_is_done_although_its_sender_has_left() -> None:
    """The body must not be closed while a thread reads it."""
    begun, go_on, read, handler = threading.Event(), threading.Event(), list[bytes](), Handler()

    def respond(request: HttpRequest) -> HttpResponse:
        begun.set()
        go_on.wait(60)
        read.append(request.body)
        return HttpResponse()

    handler.get_response = respond  # type: ignore[method-assign]

    async def request() -> None:
        incoming = [{"type": "http.request", "body": b"what was typed", "more_body": False}]

        async def receive() -> dict[str, Any]:
            if incoming:
                return incoming.pop()
            await asyncio.to_thread(begun.wait, 60)
            asyncio.get_running_loop().call_later(0.2, go_on.set)
            return {"type": "http.disconnect"}

        async def send(_: object) -> None: ...

        scope = {"type": "http", "http_version": "1.1", "method": "POST", "path": "/", "query_string": b""}
        await handler({**scope, "headers": [(b"host", b"localhost")]}, receive, send)

    asyncio.run(request())
    assert read == [b"what was typed"]


@pytest.mark.django_db(transaction=True)
def test_no_database_connection_is_held_by_a_download(handler: Handler, people: Cast) -> None:
    document = personal_document(people.alice, b"long\n" * 100_000, "long.txt", indexed=False)
    client = Client()
    client.force_login(people.alice.user)
    connection.close()
    pool = connection.pool  # type: ignore[attr-defined]

    def is_returned() -> bool:
        stats = pool.get_stats()
        return bool(stats["pool_available"] == stats["pool_size"])

    path, cookie = reverse("knowledge:file", args=[document.pk]), f"sessionid={client.cookies['sessionid'].value}"
    status, headers, body = get(handler, path, cookie, on_sent=lambda: wait_for(is_returned))
    assert (status, body) == (200, b"long\n" * 100_000)
    assert headers["content-disposition"] == 'attachment; filename="long.txt"'


def test_a_request_is_light_while_its_response_streams() -> None:
    request = AsyncRequestFactory().get("/", headers={"X-Long": "long " * 100})
    request.META["CSRF_COOKIE"], request.session = "token", SessionStore()

    async def answer() -> Any:
        handler = Handler()
        handler.get_response = lambda _: StreamingHttpResponse(iter(()))  # type: ignore[assignment, method-assign]
        return await handler.get_response_async(request)

    response = asyncio.run(answer())
    assert response.streaming and request.META == {"CSRF_COOKIE": "token"}
    assert hasattr(request, "session") and not hasattr(request, "scope")
    request.close()
