"""Programs that talk to the running server, as they do outside: over HTTP, with access tokens."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from typing import Any

import httpx
import pytest
import uvicorn
from django.db import connection
from pytest_django import DjangoDbBlocker

from chatbots.models import Chatbot
from config.handler import Handler
from config.protocol import LimitedProtocol
from engines.embedding.models import DEFAULT
from engines.embedding.runtime import Embedder, create_embedder
from schools.models import Membership
from tests import factories
from tests.factories import Cast, finish_answers, make_token
from tests.running import free_port, wait_for


@pytest.fixture(scope="session")
def server(django_db_setup: None, django_db_blocker: DjangoDbBlocker) -> Iterator[str]:
    """Where the product is served, by uvicorn as in production; it reaches the database while a test does."""
    port = free_port()
    config = uvicorn.Config(Handler(), http=LimitedProtocol, port=port, lifespan="off", log_level="warning")
    uvicorn_server = uvicorn.Server(config)
    thread = threading.Thread(target=uvicorn_server.run, daemon=True)
    thread.start()
    wait_for(lambda: uvicorn_server.started)
    yield f"http://127.0.0.1:{port}"
    uvicorn_server.should_exit = True
    thread.join(120)


@pytest.fixture
def people(transactional_db: None) -> Iterator[Cast]:
    yield factories.cast()
    finish_answers()


class Program(httpx.Client):
    """A program of somebody, with an access token."""

    def __init__(self, server: str, member: Membership, **options: Any) -> None:
        headers = {"Authorization": f"Bearer {make_token(member, write=True)}"}
        super().__init__(base_url=f"{server}/api/v1/", headers=headers, timeout=60, **options)

    def ask(self, chatbot: Chatbot, question: str, **more: Any) -> httpx.Response:
        return self.post(f"chatbots/{chatbot.pk}/ask", json={"question": question, **more})

    def upload(self, text: str | bytes, name: str = "notes.md", **more: str) -> httpx.Response:
        content = text.encode() if isinstance(text, str) else text
        return self.post("documents", files={"file": (name, content)}, data=more)

    def get_text(self, document: str) -> str:
        """All passages of a document, in order."""
        passages = self.get(f"documents/{document}/chunks", params={"limit": 200}).json()["results"]
        return "\n".join("\n".join([*one["heading_path"], one["text"]]) for one in passages)


@pytest.fixture
def alice(server: str, people: Cast) -> Iterator[Program]:
    with Program(server, people.alice) as program:
        yield program


@pytest.fixture(autouse=True)
def no_connection_left() -> Iterator[None]:
    yield
    connection.close()


@pytest.fixture(scope="session")
def packaged() -> Embedder:
    return create_embedder(DEFAULT, "auto", 1)
