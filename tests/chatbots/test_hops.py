"""What an answer costs in threads and statements: one hop in, one hop out."""

from __future__ import annotations

import asyncio
import json
import threading
from collections.abc import AsyncIterator, Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any
from uuid import UUID

import psycopg
import pytest
from django.db.backends.utils import CursorWrapper
from django.urls import reverse
from uuid_utils.compat import uuid7

from chatbots.models import Chatbot, Message, MessageStatus
from config.handler import Handler
from engines import background
from tests.chatbots.programs import QUESTION
from tests.factories import Cast, finish_answers, make_message, make_token, signed_in
from tests.scripted import ScriptedLLM

pytestmark = pytest.mark.django_db(transaction=True)

MAX_HOPS = 2
MAX_STATEMENTS, MAX_MODEL_STATEMENTS, MAX_PAGE_STATEMENTS = 10, 15, 24


class Costs:
    """Hops by pool, statements of Django and of searches, and threads that were started."""

    def __init__(self) -> None:
        self.hops: list[str] = []
        self.statements: list[str] = []
        self.searches: list[str] = []
        self.threads: list[str] = []


@pytest.fixture
def costs(monkeypatch: pytest.MonkeyPatch) -> Iterator[Costs]:
    counted = Costs()

    def count(owner: Any, name: str, found: list[str], describe: Any) -> None:
        original = getattr(owner, name)

        def call(*args: Any, **kwargs: Any) -> Any:
            if threading.current_thread().name != "answers-ticker":
                found.append(describe(*args))
            return original(*args, **kwargs)

        monkeypatch.setattr(owner, name, call)

    count(ThreadPoolExecutor, "submit", counted.hops, lambda pool, *_: pool._thread_name_prefix)
    count(CursorWrapper, "execute", counted.statements, lambda _, statement, *__: str(statement)[:100])
    count(psycopg.RawCursor, "execute", counted.searches, lambda _, statement, *__: str(statement)[:100])
    count(threading.Thread, "start", counted.threads, lambda thread: thread.name)
    yield counted
    finish_answers()


def ask(handler: Handler, chatbot: Chatbot, secret: str) -> dict[str, Any]:
    """Ask as a web server passes it on; what came back."""
    sent: list[dict[str, Any]] = []
    body = json.dumps({"question": QUESTION}).encode()
    headers = {
        "host": "localhost",
        "content-type": "application/json",
        "content-length": str(len(body)),
        "authorization": f"Bearer {secret}",
    }

    async def request() -> None:
        incoming = [{"type": "http.request", "body": body, "more_body": False}]

        async def receive() -> dict[str, Any]:
            if incoming:
                return incoming.pop()
            await asyncio.sleep(3600)
            return {"type": "http.disconnect"}

        async def send(message: dict[str, Any]) -> None:
            sent.append(message)

        scope = {"type": "http", "http_version": "1.1", "method": "POST", "query_string": b""}
        scope["path"] = f"/api/v1/chatbots/{chatbot.pk}/ask"
        await handler({**scope, "headers": [(k.encode(), v.encode()) for k, v in headers.items()]}, receive, send)

    asyncio.run(request())
    assert sent[0]["status"] == 200, sent
    answer: dict[str, Any] = json.loads(b"".join(part.get("body", b"") for part in sent[1:]))
    return answer


def warm_up(handler: Handler, chatbot: Chatbot, secret: str) -> None:
    """Start what a process starts once."""
    background.event_loop()
    for name in ("requests", "before", "after"):
        pool = background.get_pool(name)
        started = threading.Barrier(pool._max_workers + 1)
        for _ in range(pool._max_workers):
            pool.submit(started.wait, 60)
        started.wait(60)
    ask(handler, chatbot, secret)
    finish_answers()


def test_an_answer_of_quotations_takes_one_hop_and_ten_statements(people: Cast, chatbot: Chatbot, costs: Costs) -> None:
    secret, handler = make_token(people.alice, write=True), Handler()
    warm_up(handler, chatbot, secret)
    for counted in vars(costs).values():
        counted.clear()
    answer = ask(handler, chatbot, secret)
    assert answer["status"] == "done" and answer["citations"]
    assert costs.hops == ["pool-requests", "pool-before"], "the request itself, and one hop"
    assert len(costs.statements) <= MAX_STATEMENTS, costs.statements
    assert len(costs.searches) == 2, "one for each source"
    assert not [name for name in costs.threads if not name.startswith("answers-")], "none is started for a question"


def test_a_further_question_on_a_page_takes_few_statements(people: Cast, chatbot: Chatbot, costs: Costs) -> None:
    last = make_message(people.alice, chatbot, QUESTION)
    browser = signed_in(people.alice)

    def ask_further(last: UUID) -> UUID:
        form = {"question": QUESTION, "message_id": (key := uuid7()), "last": last}
        browser.post(reverse("chatbots:ask", args=[chat]), form, headers={"HX-Request": "true"})
        stream: Any = browser.get(reverse("chatbots:stream", args=[key]))
        assert asyncio.run(collect(stream.streaming_content)).count("event: done") == 1
        return key

    chat = last.chat_id
    second = ask_further(last.pk)
    finish_answers()
    costs.statements.clear()
    ask_further(second)
    finish_answers()
    assert len(costs.statements) <= MAX_PAGE_STATEMENTS, costs.statements


async def collect(content: AsyncIterator[bytes]) -> str:
    return b"".join([part async for part in content]).decode()


def test_an_answer_of_a_model_takes_one_hop_in_and_one_out(
    people: Cast, chatbot: Chatbot, model: type[ScriptedLLM], costs: Costs
) -> None:
    secret, handler = make_token(people.alice, write=True), Handler()
    warm_up(handler, chatbot, secret)
    model.enqueue("At most 1 mol/l is allowed [1].")
    for counted in vars(costs).values():
        counted.clear()
    answer = ask(handler, chatbot, secret)
    assert answer["answer"] == "At most 1 mol/l is allowed [1]." and answer["citations"][0]["support"]
    hops = [name for name in costs.hops if name in ("pool-before", "pool-after")]
    assert hops == ["pool-before", "pool-after"] and len(hops) <= MAX_HOPS
    assert len(costs.statements) <= MAX_MODEL_STATEMENTS, costs.statements
    assert Message.objects.filter(status=MessageStatus.DONE).count() == 2
