"""How the tests of the API ask, and read what comes."""

from __future__ import annotations

import json
from typing import Any

from asgiref.sync import async_to_sync
from django.test import Client

from chatbots.models import Chatbot

QUESTION = "How strong may hydrochloric acid be?"


def post(client: Client, url: str, body: Any, **more: Any) -> Any:
    return client.post(f"/api/v1/{url}", body, content_type="application/json", **more)


def ask(client: Client, chatbot: Chatbot, question: str = QUESTION, **more: Any) -> Any:
    return post(client, f"chatbots/{chatbot.pk}/ask", {"question": question, **more})


def read_events(response: Any) -> list[tuple[str, dict[str, Any]]]:
    """What a stream brings, read to its end."""

    async def read() -> bytes:
        return b"".join([part async for part in response.streaming_content])

    found = []
    for block in async_to_sync(read)().decode().strip().split("\n\n"):
        name, data = block.split("\n")
        found.append((name.removeprefix("event: "), json.loads(data.removeprefix("data: "))))
    return found
