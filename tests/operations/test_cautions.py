"""What is unsafe in an installation is said at its start, in the log and on the operator's page."""

from __future__ import annotations

import asyncio
import html
from io import BytesIO
from typing import Any

import pytest
from django.apps import apps
from django.test import Client, RequestFactory
from django.urls import reverse
from pytest_django import Settings

from config.handler import Handler
from operations import cautions
from schools.models import User
from tests.factories import PASSWORD

UNKNOWN_PROXY: dict[str, Any] = {
    "REMOTE_ADDR": "172.18.0.1",
    "HTTP_X_FORWARDED_FOR": "198.51.100.7",
    "HTTP_X_FORWARDED_PROTO": "https",
}
SILENT_PROXY: dict[str, Any] = {"REMOTE_ADDR": "127.0.0.1", "HTTP_X_FORWARDED_PROTO": "https"}


@pytest.mark.parametrize(
    ("meta", "said"),
    [
        (UNKNOWN_PROXY, "set FORWARDED_ALLOW_IPS=172.18.0.1"),
        (SILENT_PROXY, "The proxy sets no X-Forwarded-For, so everybody counts as 127.0.0.1"),
        ({**UNKNOWN_PROXY, "REMOTE_ADDR": "198.51.100.7"}, ""),  # as Uvicorn leaves it where it trusts the proxy
        ({**UNKNOWN_PROXY, "REMOTE_ADDR": "8.8.8.8"}, ""),  # a stranger who invents headers
        ({**UNKNOWN_PROXY, "REMOTE_ADDR": ""}, ""),
        ({"REMOTE_ADDR": "127.0.0.1"}, ""),
    ],
)
def test_a_proxy_that_hides_addresses_is_noticed(meta: dict[str, Any], said: str, settings: Settings) -> None:
    settings.HTTPS = True
    found = cautions.find_in_request(RequestFactory().get("/", **meta))
    assert said in found and bool(said) == bool(found)


def test_the_log_says_so_once(settings: Settings, caplog: pytest.LogCaptureFixture) -> None:
    settings.HTTPS = True
    cautions._has_warned.clear()
    handler = Handler()

    async def ask(path: str) -> None:
        scope = {"type": "http", "http_version": "1.1", "method": "GET", "path": path, "query_string": b""}
        headers = [(b"host", b"localhost"), (b"x-forwarded-for", b"198.51.100.7")]
        request, _ = handler.create_request({**scope, "client": ("172.18.0.1", 1), "headers": headers}, BytesIO())
        assert request
        await handler.get_response_async(request)

    asyncio.run(ask("/healthz"))
    assert not caplog.records
    for _ in range(2):
        asyncio.run(ask("/.well-known/security.txt"))
    assert [record.getMessage() for record in caplog.records if record.name == cautions.logger.name] == [
        cautions.find_in_request(RequestFactory().get("/", **UNKNOWN_PROXY))
    ]


@pytest.mark.parametrize("is_safe", [True, False])
def test_a_start_says_what_is_unsafe(is_safe: bool, settings: Settings, caplog: pytest.LogCaptureFixture) -> None:
    settings.LECTERN_IS_PUBLIC = True
    kind = "smtp" if is_safe else "filebased"
    settings.EMAIL_BACKEND = f"django.core.mail.backends.{kind}.EmailBackend"
    settings.FORWARDED_ALLOW_IPS = ["192.0.2.1"] if is_safe else ["*"]
    apps.get_app_config("operations").ready()
    said = caplog.text
    assert ("FORWARDED_ALLOW_IPS is *" in said, "nobody gets a mail" in said) == (not is_safe, not is_safe)


@pytest.mark.django_db
def test_the_operators_page_says_it(settings: Settings) -> None:
    client = Client()
    client.force_login(User.objects.create_superuser("operator@lectern.example", PASSWORD, name="Operator"))
    page = reverse("operators:index")
    settings.HTTPS, settings.FORWARDED_ALLOW_IPS = True, ["*"]
    said = html.unescape(client.get(page, secure=True, **UNKNOWN_PROXY).content.decode())
    assert "FORWARDED_ALLOW_IPS is *" in said and "set FORWARDED_ALLOW_IPS=172.18.0.1" in said
    settings.FORWARDED_ALLOW_IPS = ["127.0.0.1"]
    assert "FORWARDED_ALLOW_IPS" not in client.get(page).content.decode()
