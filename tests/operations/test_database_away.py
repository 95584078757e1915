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

from uuid import uuid4
from chatbots.api import waiting
from openai_api import api as openai
from chatbots.streaming.access import Subscriber
from chatbots.streaming.page_events import stream_page_events

async def read(stream):
    return b"".join([part async for part in stream]).decode()

async def followed():
    key, reader = uuid4(), Subscriber(1)
    whole = await waiting.answer_response(key, reader)
    return [
        await read(await waiting.stream_answer(key, reader)),
        await read(await openai._answered(key, reader, "m", stream=True, usage=False)),
        await read(stream_page_events(key, reader, render_sources=None, render_done=None)),
        [whole.status_code, whole.content.decode()],
    ]

print(json.dumps(asyncio.run(followed())))
sys.stdout.flush()
os._exit(0)
"""


@pytest.fixture(scope="module")
def said() -> list[list[Any]]:
    """What a server process of its own, whose database does not answer, says to each of these requests; and to those
    who read an answer of another process.
    """
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
    return [json.loads(line) for line in done.stdout.splitlines()[-2:]]


@pytest.fixture
def told(said: list[list[Any]]) -> list[Any]:
    return said[0]


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


def test_whoever_reads_an_answer_is_told_instead_of_left_alone(said: list[list[Any]]) -> None:
    stream, chunks, page, (status, body) = said[1]
    name, _, data = stream.rstrip().rpartition("event: ")[2].partition("\ndata: ")
    assert (name, json.loads(data)["status"]) == ("error", 503)
    assert "does not answer just now" in json.loads(data)["detail"]
    assert "does not answer just now" in json.loads(chunks.rstrip().rpartition("data: ")[2])["error"]["message"]
    assert page.startswith("event: away\ndata: The database does not answer just now.")
    assert (status, json.loads(body)["status"]) == (503, 503)
