"""With Redis stopped or frozen people sign in and reset passwords, and /readyz stays 200 and says so at once."""

from __future__ import annotations

import socket
import threading
from collections.abc import Iterator
from contextlib import suppress
from copy import deepcopy
from uuid import uuid4

import pytest
from django.core import mail
from django.test import Client
from django.urls import reverse
from pytest_django import Settings

from schools import rate_limits
from schools.models import User
from tests.running import free_port

pytestmark = pytest.mark.django_db
LOGIN, RESET = reverse("account_login"), reverse("account_reset_password")
PASSWORD = "correct horse battery"
Waits = list[socket.socket]


@pytest.fixture(params=["stopped", "frozen"])
def away(request: pytest.FixtureRequest, settings: Settings) -> Iterator[Waits]:
    """No Redis at its address, or one that takes connections and never answers: these connections. Half a second is
    waited for each."""
    url, waits = f"redis://127.0.0.1:{free_port()}/0", Waits()
    listener = socket.create_server(("127.0.0.1", 0))
    if request.param == "frozen":
        url = f"redis://127.0.0.1:{listener.getsockname()[1]}/0"
        threading.Thread(target=accept, args=(listener, waits), daemon=True).start()
    assert settings.CACHES["default"]["OPTIONS"]["socket_timeout"] == 0.5
    caches = deepcopy(settings.CACHES)
    caches["default"]["LOCATION"] = url
    settings.CACHES, settings.REDIS_URL = caches, url
    rate_limits.breaker.close()
    yield waits
    rate_limits.breaker.close()
    listener.close()


def accept(listener: socket.socket, waits: Waits) -> None:
    with suppress(OSError):
        while True:
            waits.append(listener.accept()[0])


@pytest.fixture
def email() -> str:
    return User.objects.create_user(f"{uuid4()}@riverside.example", PASSWORD, name="Alice").email


def sign_in(email: str, password: str = PASSWORD) -> str:
    """Where it leads to, or what the page says."""
    answer = Client(REMOTE_ADDR="192.0.2.20").post(LOGIN, {"login": email, "password": password})
    assert answer.status_code in (200, 302)
    return answer.headers.get("Location") or answer.content.decode()


def test_people_sign_in_and_redis_is_waited_for_once(away: Waits, email: str) -> None:
    assert [sign_in(email) for _ in range(3)] == ["/"] * 3
    assert len(away) <= 1


def test_guessing_stays_limited(away: Waits, email: str) -> None:
    said = [sign_in(email, "a-guess") for _ in range(6)]
    assert all("not correct" in page for page in said[:5])
    assert "Too many" in said[5]


def test_a_password_can_be_reset(away: Waits, email: str) -> None:
    answer = Client(REMOTE_ADDR="192.0.2.20").post(RESET, {"email": email})
    assert len(away) <= 1
    assert (answer.status_code, [message.to for message in mail.outbox]) == (302, [[email]])


def test_readiness_is_degraded_and_not_denied(away: Waits, client: Client) -> None:
    answer = client.get("/readyz")
    assert len(away) <= 1
    assert (answer.status_code, answer.json()) == (200, {"status": "degraded", "missing": ["broker"]})


def test_the_log_says_so_once_and_redis_is_left_alone(
    away: Waits, email: str, caplog: pytest.LogCaptureFixture
) -> None:
    sign_in(email)
    assert [record.getMessage()[:35] for record in caplog.records] == ["Each process counts and caches by i"]
    assert rate_limits.breaker.is_open()
