"""What people and programs are told while the database is away."""

from __future__ import annotations

import json
import subprocess
import sys
from typing import Any
from uuid import uuid4

import pytest
from django.conf import settings

from tests.running import environment

AWAY = """
import asyncio, json, os, sys
import django
django.setup()
from django.test import Client
told = []
browser = Client(headers={"host": "localhost"}, raise_request_exception=False)
for method, url, sent, more in json.loads(sys.argv[1]):
    browser.cookies.load({"sessionid": "s" * 32})
    answer = getattr(browser, method)(url, sent, headers=more)
    cookie = answer.cookies.get("sessionid")
    told.append([answer.status_code, dict(answer.headers), answer.content.decode(), cookie and cookie.value])
print(json.dumps(told))
sys.stdout.flush()
os._exit(0)
"""


@pytest.fixture(scope="module")
def told() -> list[Any]:
    """What a server process of its own, whose database does not answer, says to each of these requests."""
    question = {"question": "How strong may the acid be?"}
    steps = [
        ("post", "/accounts/login/", {"login": "a@b.example", "password": "swordfish"}, {}),
        ("post", f"/chatbots/{uuid4()}/ask/", question, {}),
        ("post", f"/chats/{uuid4()}/ask/", question, {"HX-Request": "true"}),
        ("get", "/nothing-here/", {}, {}),
    ]
    gone = "postgres://lectern:swordfish@127.0.0.1:1/lectern"
    done = subprocess.run(
        [sys.executable, "-c", AWAY, json.dumps(steps)],
        cwd=settings.BASE_DIR,
        env=environment(settings.DATA_DIR, DATABASE_URL=gone, LECTERN_DATABASE_PATIENCE="1"),
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert "swordfish" not in done.stdout + done.stderr
    answers: list[Any] = json.loads(done.stdout.splitlines()[-1])
    return answers


def test_every_page_says_so_in_words_and_when_to_come_back(told: list[Any]) -> None:
    for status, headers, text, _ in told:
        assert status == 503
        assert 1 <= int(headers["Retry-After"]) <= 60
        assert headers["Content-Type"].startswith("text/html")
        assert headers["Cache-Control"] == "no-store"
        assert "cannot reach its database just now" in text
        assert "Location" not in headers


def test_nobody_is_signed_out_by_it_and_what_was_typed_stays(told: list[Any]) -> None:
    """drafts.js keeps it in the tab on a page without a member, until its form is back."""
    for _, headers, text, cookie in told:
        assert cookie is None or cookie == "s" * 32
        assert "sessionid" not in headers.get("Set-Cookie", "")
        assert "js/drafts.js" in text
        assert "data-member" not in text
