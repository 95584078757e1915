"""A body that is too large is refused before it lies on the disk: unread by its stated length, or as soon as it is.

The requests are written by hand: none of them ends, so that whatever answer comes, comes before all was read.
"""

from __future__ import annotations

import contextlib
import json
import socket
from collections.abc import Iterable, Iterator
from urllib.parse import urlsplit

import pytest
from django.conf import settings
from django.test import Client
from pytest_django import Settings

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
        answer += line.recv(65536)
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
