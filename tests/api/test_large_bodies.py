"""A body that is too large is refused before it lies on the disk: unread by its stated length, or as soon as it is.

The requests are written by hand: none of them ends, so that whatever answer comes, comes before all was read.
"""

from __future__ import annotations

import contextlib
import json
import socket
import tempfile
import time
from collections.abc import Iterable, Iterator
from functools import partial
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from django.conf import settings
from django.contrib.sessions.backends.db import SessionStore
from django.test import Client
from pytest_django import Settings

from config import body_limits, protocol
from schools.models import AccessToken
from tests.api.conftest import Program
from tests.factories import Cast, make_token

pytestmark = pytest.mark.django_db(transaction=True)
UPLOAD = "multipart/form-data; boundary=x"
MB = 1024 * 1024


def answer_to(server: str, path: str, *headers: str, chunks: Iterable[bytes] = ()) -> tuple[int, str]:
    """Status, head and body of the answer to a request that is still being sent."""
    address = urlsplit(server)
    with socket.create_connection((str(address.hostname), int(address.port or 0)), timeout=30) as line:
        head = [f"POST {path} HTTP/1.1", "Host: localhost", *headers]
        line.sendall("\r\n".join([*head, "", ""]).encode())
        line.settimeout(0.01)
        answer = b""
        for chunk in chunks:
            line.settimeout(30)
            line.sendall(b"%x\r\n%s\r\n" % (len(chunk), chunk))
            line.settimeout(0.01)
            with contextlib.suppress(TimeoutError):
                answer = line.recv(65536)
                break
        line.settimeout(30)
        answer = _whole(line, answer)
    text = answer.decode()
    return int(text.split()[1]), text


def _whole(line: socket.socket, answer: bytes) -> bytes:
    while b"\r\n\r\n" not in answer:
        answer += (more := line.recv(65536))
        assert more, "the server has closed the connection"
    head, _, body = answer.partition(b"\r\n\r\n")
    missing = int(head.lower().partition(b"content-length: ")[2].split()[0]) - len(body)
    while missing > 0:
        answer += (more := line.recv(65536))
        missing -= len(more)
    return answer


def length(number: int) -> str:
    return f"Content-Length: {number}"


def test_of_somebody_without_a_token_no_upload_is_read(server: str, people: Cast) -> None:
    for kind in (UPLOAD, "application/json"):
        status, text = answer_to(server, "/api/v1/documents", f"Content-Type: {kind}", length(65_537))
        assert status == 401
        assert "www-authenticate: bearer" in text.lower()
        assert json.loads(text.partition("\r\n\r\n")[2])["status"] == 401


def test_nor_of_somebody_who_is_not_signed_in_any_more(server: str, people: Cast) -> None:
    for path in ("/documents/upload/", "/accounts/login/", "/nowhere/"):
        status, text = answer_to(server, path, f"Content-Type: {UPLOAD}", length(65_537))
        assert status == 403
        assert "data-stale-form" in text  # by which page.js says how to sign in again


def test_of_a_program_no_more_is_read_than_any_route_takes(server: str, people: Cast) -> None:
    token = f"Authorization: Bearer {make_token(people.alice, write=True)}"
    most = settings.LECTERN_MAX_UPLOAD_MB * MB + 65_536
    for kind, number in ((UPLOAD, most + 1), ("application/json", 262_145), ("text/plain", 262_145)):
        status, text = answer_to(server, "/api/v1/documents", token, f"Content-Type: {kind}", length(number))
        assert status == 413
        assert "content-type: application/problem+json" in text.lower()


def test_media_types_are_known_in_any_case(server: str, people: Cast) -> None:
    token = f"Authorization: Bearer {make_token(people.alice, write=True)}"
    kind = "Content-Type: Multipart/Form-Data; boundary=x"
    ended = [b"--x--\r\n" + b" " * 300_000, b""]  # more than is taken of any other kind
    chunked = "Transfer-Encoding: chunked"
    status, text = answer_to(server, "/api/v1/documents", token, kind, chunked, chunks=ended)
    assert status != 413, text


def test_a_script_of_a_site_that_may_call_reads_the_refusal(server: str, people: Cast, settings: Settings) -> None:
    settings.CORS_ALLOWED_ORIGINS = ["https://school.example"]
    token = f"Authorization: Bearer {make_token(people.alice, write=True)}"
    for who, refused in (("X-Nobody: 1", 401), (token, 413)):
        for site, may_read in (("https://school.example", True), ("https://elsewhere.example", False)):
            headers = [who, f"Origin: {site}", "Content-Type: application/json", length(300_000)]
            status, text = answer_to(server, "/api/v1/ask-selection", *headers)
            assert status == refused
            assert (f"access-control-allow-origin: {site}" in text.lower()) == may_read


def test_nor_of_a_person(server: str, people: Cast) -> None:
    browser = Client()
    browser.force_login(people.alice.user)
    session = f"Cookie: theme=dark; sessionid={browser.cookies['sessionid'].value}"
    most = settings.LECTERN_MAX_FILES_PER_UPLOAD * settings.LECTERN_MAX_UPLOAD_MB * MB + 65_536
    form = "application/x-www-form-urlencoded"
    for kind, number in ((UPLOAD, most + 1), (form, settings.DATA_UPLOAD_MAX_MEMORY_SIZE + 1)):
        status, text = answer_to(server, "/documents/upload/", session, f"Content-Type: {kind}", length(number))
        assert status == 413
        assert "<h1>That is too large</h1>" in text


JUNK = ("X-Nobody: 1", "Cookie: sessionid=junk", "Authorization: Bearer junk")


@pytest.mark.parametrize("path", ["/documents/upload/", "/accounts/login/", "/nothing", "/c/", "/api/v1/documents"])
@pytest.mark.parametrize("who", JUNK)
def test_a_made_up_session_or_token_is_nobodys(server: str, people: Cast, path: str, who: str) -> None:
    """Neither when they say how much it is, nor when they just send it."""
    refused = 401 if path.startswith("/api/") else 403
    assert answer_to(server, path, who, f"Content-Type: {UPLOAD}", length(400 * MB))[0] == refused
    sent = [b"x" * 16_384] * 64
    chunked = ("Transfer-Encoding: chunked", f"Content-Type: {UPLOAD}")
    unread = iter(sent)
    assert answer_to(server, path, who, *chunked, chunks=unread)[0] == refused
    assert next(unread, None), "it was answered before all was sent"


def test_nor_is_one_that_was_somebodys(server: str, people: Cast) -> None:
    session, browser = SessionStore(), Client()
    session["began"] = "a sign-in"  # as that of anybody who opens the page of a provider
    session.create()
    browser.force_login(people.bob.user)
    people.bob.user.is_active = False
    people.bob.user.save()
    token = make_token(people.alice, write=True)
    AccessToken.objects.update(expires_at="2020-01-01T00:00Z")
    cookies = [session.session_key, browser.cookies["sessionid"].value]
    for who in [f"Authorization: Bearer {token}", *(f"Cookie: sessionid={key}" for key in cookies)]:
        kind = f"Content-Type: {UPLOAD}"
        assert answer_to(server, "/documents/upload/", who, kind, length(MB))[0] == 403
        assert answer_to(server, "/api/v1/documents", who, kind, length(MB))[0] == 401


def test_files_go_only_to_the_routes_that_take_them(server: str, people: Cast) -> None:
    browser = Client()
    browser.force_login(people.alice.user)
    session = f"Cookie: sessionid={browser.cookies['sessionid'].value}"
    token = f"Authorization: Bearer {make_token(people.alice, write=True)}"
    for path, who in (("/accounts/login/", session), ("/nothing", session), ("/api/v1/chatbots", token)):
        assert answer_to(server, path, who, f"Content-Type: {UPLOAD}", length(5 * MB))[0] == 413


@pytest.mark.parametrize(("path", "shape"), [("/accounts/login/", "<h1>That took"), ("/api/v1/documents", "problem+")])
def test_a_body_that_does_not_come_is_not_waited_for(
    server: str, people: Cast, monkeypatch: pytest.MonkeyPatch, path: str, shape: str
) -> None:
    monkeypatch.setattr(body_limits, "MAX_SECONDS", 0.1)
    status, text = answer_to(server, path, "Content-Type: text/plain", length(100))
    assert status == 408
    assert shape in text


def closed(server: str, sent: bytes) -> bytes:
    """What was received until the server closed the connection, to which nothing more is sent."""
    address = urlsplit(server)
    with socket.create_connection((str(address.hostname), int(address.port or 0)), timeout=30) as line:
        received = b""
        with contextlib.suppress(ConnectionError):  # it was closed while more was sent
            line.sendall(sent)
            while more := line.recv(65536):
                received += more
        return received


def test_nor_are_headers(server: str, people: Cast, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(protocol, "MAX_HEAD_SECONDS", 0.2)
    whole = b"GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n"
    for half in (b"", b"\r\n", b"GET /heal", whole[:-2]):
        assert closed(server, half) == b""
        assert closed(server, whole + half).startswith(b"HTTP/1.1 200"), "one that came before is answered"


def test_headers_without_end_are_not_read(server: str, people: Cast, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(protocol, "MAX_HEAD_SECONDS", 3600.0)
    for endless in (b"GET /" + b"x" * MB, b"GET / HTTP/1.1\r\nX-Long: " + b"x" * MB):
        assert closed(server, endless) == b""


def test_the_time_for_headers_is_not_that_of_a_request(
    server: str, people: Cast, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(protocol, "MAX_HEAD_SECONDS", 0.2)

    def chunks() -> Iterator[bytes]:
        yield b"a"
        time.sleep(0.5)
        yield b"a"
        yield b""

    headers = ["Content-Type: text/plain", "Transfer-Encoding: chunked"]
    assert answer_to(server, "/accounts/login/", *headers, chunks=chunks())[0] == 403


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="this system has no full disk")
def test_a_full_temporary_folder_is_said_in_words(
    alice: Program, people: Cast, monkeypatch: pytest.MonkeyPatch
) -> None:
    full = partial(open, "/dev/full", "w+b", buffering=0)
    monkeypatch.setattr(tempfile, "TemporaryFile", lambda **_: full())
    answer = alice.upload("a line of twenty signs\n" * (3 * MB // 23), "large.txt")
    assert answer.status_code == 503
    assert answer.headers["content-type"] == "application/problem+json"
    assert "disk of the server is full" in answer.json()["detail"]
    assert answer.headers["retry-after"]
    browser = Client()
    browser.force_login(people.alice.user)
    alice.headers["Cookie"] = f"sessionid={browser.cookies['sessionid'].value}"
    page = alice.post(str(alice.base_url.join("/documents/upload/")), files={"files": ("large.txt", b"x" * 3 * MB)})
    assert page.status_code == 503
    assert "disk of the server is full" in page.text
    assert alice.get("documents").status_code == 200, "everything else goes on"


@pytest.mark.parametrize(("who", "most", "status"), [("stranger", 65_536, 401), ("program", 262_144, 413)])
def test_one_whose_length_is_not_said_is_read_so_far_and_no_further(
    server: str, people: Cast, who: str, most: int, status: int
) -> None:
    sent = 0

    def endless() -> Iterator[bytes]:
        nonlocal sent
        while sent < 50 * MB:
            sent += 16_384
            yield b"x" * 16_384

    token = [f"Authorization: Bearer {make_token(people.alice)}"] if who == "program" else []
    headers = [*token, "Content-Type: application/json", "Transfer-Encoding: chunked"]
    answered, _ = answer_to(server, "/api/v1/ask-selection", *headers, chunks=endless())
    assert answered == status
    assert most < sent < 50 * MB


def test_what_is_as_large_as_it_may_be_is_taken(alice: Program) -> None:
    text = "a line of twenty signs\n" * (2 * MB // 23)
    assert alice.upload(text, "large.txt").status_code == 201
