"""Lectern behind the proxies of docs/proxy, as people are told to set them up: the real programs, with HTTPS."""

from __future__ import annotations

import asyncio
import os
import re
import shutil
import ssl
import subprocess
import threading
from collections.abc import AsyncGenerator, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from http.client import HTTPResponse, HTTPSConnection
from pathlib import Path
from typing import Any
from urllib.parse import urlencode
from uuid import uuid4

import pytest
import uvicorn
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from django.conf import settings as django_settings
from django.http import HttpResponse
from pytest_django import Settings

from chatbots.streaming.responses import make_event_stream
from config.handler import Handler
from schools.audit.models import AuditEntry
from schools.models import User
from tests.factories import PASSWORD
from tests.running import free_port, wait_for

pytestmark = pytest.mark.django_db(transaction=True)
EXAMPLES = Path(django_settings.BASE_DIR) / "docs" / "proxy"
LOGIN = "/accounts/login/"
WITH_KEYS = ("/accounts/invitation/7/a-swordfish/", "/accounts/password/reset/key/1a-swordfish/", "/c/SWORDFISH/room")
HERE, ELSEWHERE = "127.0.0.9", "127.0.0.10"


@dataclass
class Proxy:
    """A proxy that runs, with Lectern behind it. `goes_on` lets the event stream of /events end;
    `has_begun` is set when /size gets its first bytes."""

    port: int
    folder: Path
    lectern: uvicorn.Server
    goes_on: threading.Event
    has_begun: threading.Event

    def ask(self, path: str, body: bytes | None = None, *, source: str = HERE, **headers: str) -> HTTPResponse:
        """The response, of which the body may still be read."""
        context = ssl._create_unverified_context()
        link = HTTPSConnection("localhost", self.port, timeout=20, context=context, source_address=(source, 0))
        link.request("GET" if body is None else "POST", path, body, headers)
        return link.getresponse()

    def sign_in(self, email: str, password: str, **others: str) -> str:
        """What the page says, or where it leads to."""
        page = self.ask(LOGIN, None, **others)
        cookies = "; ".join(value.partition(";")[0] for value in page.headers.get_all("Set-Cookie", []))
        found = re.search(r'name="csrfmiddlewaretoken" value="(\w+)"', page.read().decode())
        assert found
        form = {"csrfmiddlewaretoken": found[1], "login": email, "password": password}
        origin = f"https://localhost:{self.port}"
        headers = {"Cookie": cookies, "Origin": origin, "Content-Type": "application/x-www-form-urlencoded", **others}
        answer = self.ask(LOGIN, urlencode(form).encode(), **headers)
        return answer.headers["Location"] or answer.read().decode()

    def logs(self) -> str:
        return "".join(path.read_text() for path in self.folder.glob("*.log"))


@pytest.fixture(params=["nginx", "caddy"])
def proxy(request: pytest.FixtureRequest, settings: Settings, tmp_path: Path) -> Iterator[Proxy]:
    program = shutil.which(request.param) or shutil.which(request.param, path="/usr/sbin")
    if program is None:
        pytest.skip(f"{request.param} is not installed")
    settings.HTTPS = settings.SESSION_COOKIE_SECURE = settings.CSRF_COOKIE_SECURE = True
    settings.SECURE_PROXY_SSL_HEADER = ("HTTP_X_FORWARDED_PROTO", "https")
    goes_on, has_begun, upstream, port = threading.Event(), threading.Event(), free_port(), free_port()
    lectern = uvicorn.Server(
        uvicorn.Config(application(goes_on, has_begun), port=upstream, lifespan="off", log_level="warning")
    )
    thread = threading.Thread(target=lectern.run, daemon=True)
    thread.start()
    make_certificate(tmp_path)
    configure = configure_nginx if request.param == "nginx" else configure_caddy
    with (tmp_path / "output.log").open("wb") as output:
        process = subprocess.Popen(
            [program, *configure(tmp_path, port, upstream)],
            env={**os.environ, "HOME": str(tmp_path), "XDG_DATA_HOME": str(tmp_path)},
            stdout=output,
            stderr=output,
        )
    found = Proxy(port, tmp_path, lectern, goes_on, has_begun)
    try:
        wait_for(lambda: process.poll() is not None or answers(found))
        assert process.poll() is None, found.logs()
        yield found
    finally:
        goes_on.set()
        lectern.should_exit = True
        thread.join(120)
        process.terminate()
        process.wait(120)


def application(goes_on: threading.Event, has_begun: threading.Event) -> Any:
    """Lectern with two routes more: /events sends an event and later another, /size counts the bytes that it gets."""
    handler = Handler()

    async def events() -> AsyncGenerator[bytes]:
        yield b"data: one\n\n"
        await asyncio.to_thread(goes_on.wait, 20)
        yield b"data: two\n\n"

    async def serve(scope: Any, receive: Any, send: Any) -> None:
        if scope["path"] == "/events":
            await handler.send_response(make_event_stream(events()), send)
        elif scope["path"] == "/size":
            size, more = 0, True
            while more:
                message = await receive()
                has_begun.set()
                size, more = size + len(message["body"]), message["more_body"]
            await handler.send_response(HttpResponse(str(size)), send)
        else:
            await handler(scope, receive, send)

    return serve


def make_certificate(folder: Path) -> None:
    key, name = ec.generate_private_key(ec.SECP256R1()), x509.Name([])
    now = datetime.now(UTC)
    certificate = (
        x509.CertificateBuilder(name, name, key.public_key(), x509.random_serial_number())
        .not_valid_before(now - timedelta(hours=1))
        .not_valid_after(now + timedelta(hours=1))
        .add_extension(x509.SubjectAlternativeName([x509.DNSName("localhost")]), critical=True)
        .sign(key, hashes.SHA256())
    )
    pem = serialization.Encoding.PEM
    (folder / "fullchain.pem").write_bytes(certificate.public_bytes(pem))
    private = key.private_bytes(pem, serialization.PrivateFormat.PKCS8, serialization.NoEncryption())
    (folder / "privkey.pem").write_bytes(private)


def changed(example: str, *changes: tuple[str, str]) -> str:
    """The example with other ports and paths. Each of them must be in it."""
    text = (EXAMPLES / example).read_text()
    for old, new in changes:
        assert old in text, old
        text = text.replace(old, new)
    return text


def configure_nginx(folder: Path, port: int, upstream: int) -> list[str]:
    example = changed(
        "nginx.conf",
        ("    listen [::]:80;\n", ""),
        ("    listen [::]:443 ssl http2;\n", ""),
        ("listen 80;", f"listen 127.0.0.1:{free_port()};"),
        ("listen 443 ", f"listen 127.0.0.1:{port} "),
        ("lectern.school.example", "localhost"),
        ("/etc/ssl/lectern", str(folder)),
        ("/var/log/nginx", str(folder)),
        ("127.0.0.1:8000", f"127.0.0.1:{upstream}"),
    )
    paths = "".join(
        f"{kind}_temp_path {folder / kind};\n" for kind in ("client_body", "proxy", "fastcgi", "uwsgi", "scgi")
    )
    user = "user root;\n" if os.geteuid() == 0 else ""  # the folder is closed to others
    main = f"{user}pid {folder / 'pid'};\ndaemon off;\nerror_log stderr;\nevents {{}}\nhttp {{\n{paths}{example}}}\n"
    (folder / "main.conf").write_text(main)
    return ["-p", str(folder), "-c", str(folder / "main.conf")]


def configure_caddy(folder: Path, port: int, upstream: int) -> list[str]:
    site = f"localhost:{port} {{\n\ttls {folder / 'fullchain.pem'} {folder / 'privkey.pem'}"
    example = changed(
        "Caddyfile",
        ("\nlectern.school.example {", f"\n{site}"),
        ("\n{\n", "\n{\n\tadmin off\n\tauto_https disable_redirects\n"),
        ("/var/log/caddy", str(folder)),
        ("127.0.0.1:8000", f"127.0.0.1:{upstream}"),
    )
    (folder / "Caddyfile").write_text(example)
    return ["run", "--config", str(folder / "Caddyfile"), "--adapter", "caddyfile"]


def answers(proxy: Proxy) -> bool:
    try:
        return proxy.ask("/healthz").status == 200
    except OSError:
        return False


def test_invented_addresses_do_not_get_around_the_limit_on_guessing(proxy: Proxy) -> None:
    """At a port other than 443, where the header `Host` must have the port, or every form is refused."""
    email = User.objects.create_user(f"{uuid4()}@riverside.example", PASSWORD, name="Zoe").email
    said = [proxy.sign_in(email, "a-guess", **{"X-Forwarded-For": f"198.51.100.{number}"}) for number in range(6)]
    assert all("not correct" in page for page in said[:5])
    assert "Too many" in said[5]
    assert set(AuditEntry.objects.values_list("address", flat=True)) == {HERE}
    assert proxy.sign_in(email, PASSWORD, source=ELSEWHERE) == "/"


def test_no_key_of_a_mailed_link_is_in_a_log(proxy: Proxy) -> None:
    for path in WITH_KEYS:
        assert proxy.ask(f"{path}?query=swordfish", Referer="https://localhost/swordfish").status < 500
    proxy.lectern.should_exit = True
    wait_for(lambda: proxy.ask(WITH_KEYS[0]).status == 502)
    wait_for(lambda: "502" in proxy.logs())
    logs = proxy.logs()
    assert all(part in logs for part in ("/accounts/invitation/7/...", "/accounts/password/reset/key/...", "/c/..."))
    assert "swordfish" not in logs.lower() and HERE in logs


def test_events_come_at_once(proxy: Proxy) -> None:
    answer = proxy.ask("/events", None, **{"Accept-Encoding": "gzip"})
    assert answer.headers["Content-Type"] == "text/event-stream"
    assert answer.readline() == b"data: one\n"
    proxy.goes_on.set()
    assert answer.read() == b"\ndata: two\n\n"


def test_a_file_of_the_usual_size_comes_through(proxy: Proxy) -> None:
    size = django_settings.LECTERN_MAX_UPLOAD_MB * 1024 * 1024 + 2000
    assert proxy.ask("/size", bytes(size)).read() == str(size).encode()


def test_a_body_is_passed_on_as_it_comes(proxy: Proxy) -> None:
    """A proxy that waits for the whole of it takes on its disk what Lectern refuses."""
    link = HTTPSConnection("localhost", proxy.port, timeout=20, context=ssl._create_unverified_context())
    link.putrequest("POST", "/size")
    link.putheader("Content-Length", "2000000")
    link.endheaders(bytes(1_000_000))
    wait_for(proxy.has_begun.is_set)
    link.send(bytes(1_000_000))
    assert link.getresponse().read() == b"2000000"
