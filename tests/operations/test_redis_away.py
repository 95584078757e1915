"""With Redis stopped or frozen people sign in and reset passwords, and /readyz stays 200 and says so at once."""

from __future__ import annotations

import shutil
import signal
import time
from collections.abc import Iterator
from copy import deepcopy
from pathlib import Path
from uuid import uuid4

import pytest
from django.core import mail
from django.test import Client
from django.urls import reverse
from pytest_django import Settings

from config import cache
from operations import embedded, redis_server
from schools.models import User
from tests.running import free_port, wait_for

pytestmark = pytest.mark.django_db
LOGIN, RESET = reverse("account_login"), reverse("account_reset_password")
PASSWORD = "correct horse battery"
AT_ONCE = 4
"""Seconds; half a second is waited for Redis. Without a limit it was five, or for ever."""


@pytest.fixture(params=["stopped", "frozen"])
def away(request: pytest.FixtureRequest, settings: Settings, tmp_path: Path) -> Iterator[None]:
    """No Redis at its address, or one that takes connections and never answers."""
    url, server = f"redis://127.0.0.1:{free_port()}/0", None
    if request.param == "frozen":
        embedded.make_socket_directory(tmp_path)
        server = redis_server.server(tmp_path, tmp_path / "redis.log")
        server.start()
        wait_for(lambda: redis_server.is_ready(tmp_path))
        assert server.process
        server.process.send_signal(signal.SIGSTOP)
        url = embedded.redis_url(tmp_path)
    caches = deepcopy(settings.CACHES)
    caches["default"]["LOCATION"] = url
    settings.CACHES, settings.REDIS_URL = caches, url
    cache.breaker.close()
    yield
    cache.breaker.close()
    if server and server.process:
        server.process.kill()
        server.stop()
        shutil.rmtree(embedded.socket_directory(tmp_path))


@pytest.fixture
def email() -> str:
    return User.objects.create_user(f"{uuid4()}@riverside.example", PASSWORD, name="Alice").email


def sign_in(email: str, password: str = PASSWORD) -> str:
    """Where it leads to, or what the page says."""
    begun = time.monotonic()
    answer = Client(REMOTE_ADDR="192.0.2.20").post(LOGIN, {"login": email, "password": password})
    assert time.monotonic() - begun < AT_ONCE
    assert answer.status_code in (200, 302)
    return answer.headers.get("Location") or answer.content.decode()


def test_people_sign_in(away: None, email: str) -> None:
    assert [sign_in(email) for _ in range(3)] == ["/"] * 3


def test_guessing_stays_limited(away: None, email: str) -> None:
    said = [sign_in(email, "a-guess") for _ in range(6)]
    assert all("not correct" in page for page in said[:5])
    assert "Too many" in said[5]


def test_a_password_can_be_reset(away: None, email: str) -> None:
    begun = time.monotonic()
    answer = Client(REMOTE_ADDR="192.0.2.20").post(RESET, {"email": email})
    assert time.monotonic() - begun < AT_ONCE
    assert (answer.status_code, [message.to for message in mail.outbox]) == (302, [[email]])


def test_readiness_is_degraded_and_not_denied(away: None, client: Client) -> None:
    begun = time.monotonic()
    answer = client.get("/readyz")
    assert time.monotonic() - begun < AT_ONCE
    assert (answer.status_code, answer.json()) == (200, {"status": "degraded", "missing": ["broker"]})


def test_the_log_says_so_once_and_redis_is_left_alone(away: None, email: str, caplog: pytest.LogCaptureFixture) -> None:
    sign_in(email)
    assert [record.getMessage()[:34] for record in caplog.records] == ["Each process counts sign-ins by it"]
    assert cache.breaker.is_open()
