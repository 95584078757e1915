"""Whoever follows an answer is told of every fault of ours in words, and not left with a stream that only ends."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Iterator
from contextlib import contextmanager
from typing import Any
from uuid import UUID

import pytest
from django.db import connection
from django.db.models.signals import post_init
from django.test import Client
from django.urls import reverse

from chatbots.api import waiting
from chatbots.conversations import asking
from chatbots.models import Chatbot, Message, Selection
from chatbots.streaming.access import Subscriber
from chatbots.templatetags.answers import selected_text
from openai_api import api as openai
from tests.factories import Cast, answer, make_message
from tests.scripted import ScriptedLLM

pytestmark = pytest.mark.django_db(transaction=True)
Model = type[ScriptedLLM]


@contextmanager
def broken() -> Iterator[None]:
    """No sources of an answer can be read: a table is not there, which is no fault of the connection."""
    with connection.cursor() as cursor:
        cursor.execute("ALTER TABLE chatbots_messagesource RENAME TO away")
        try:
            yield
        finally:
            cursor.execute("ALTER TABLE away RENAME TO chatbots_messagesource")


async def read(stream: AsyncIterator[bytes]) -> str:
    return b"".join([part async for part in stream]).decode()


def test_a_page_is_told_to_look_again_and_not_to_connect_again(
    people: Cast, chatbot: Chatbot, model: Model, caplog: pytest.LogCaptureFixture
) -> None:
    message = make_message(people.alice, chatbot)
    client = Client()
    client.force_login(people.alice.user)
    response: Any = client.get(reverse("chatbots:stream", args=[message.pk]))
    with broken():
        told = asyncio.run(read(response.streaming_content))
    name, data = told.rstrip().rpartition("event: ")[2].split("\ndata: ")
    assert name == "fault"
    assert "went wrong on our side. Your question is kept" in data
    assert '<a href="">' in data
    assert any(record.levelname == "ERROR" and record.exc_info for record in caplog.records)


def test_programs_are_told_by_an_error(
    people: Cast, chatbot: Chatbot, model: Model, caplog: pytest.LogCaptureFixture
) -> None:
    message = make_message(people.alice, chatbot)

    async def followed() -> tuple[str, str, int, bytes]:
        reader = Subscriber(people.alice.pk)
        stream: Any = await waiting.stream_answer(message.pk, reader)
        chunks: Any = await openai._answered(message.pk, reader, "m", stream=True, usage=False)
        whole: Any = await waiting.answer_response(message.pk, reader)
        return (
            await read(stream.streaming_content),
            await read(chunks.streaming_content),
            whole.status_code,
            whole.content,
        )

    with broken():
        told, chunks, status, body = asyncio.run(followed())
    name, data = told.rstrip().rpartition("event: ")[2].split("\ndata: ")
    problem, error = json.loads(data), json.loads(chunks.rstrip().rpartition("data: ")[2])["error"]
    assert (name, problem["status"], problem["message_id"]) == ("error", 500, str(message.pk))
    assert problem["detail"] == error["message"] == json.loads(body)["detail"]
    assert "Your question is kept" in problem["detail"]
    assert (error["type"], error["message_id"]) == ("server_error", str(message.pk))
    assert (status, json.loads(body)) == (500, problem)
    assert sum(bool(record.levelname == "ERROR" and record.exc_info) for record in caplog.records) == 3


def test_sources_of_a_conversation_erased_this_moment_are_none(people: Cast, chatbot: Chatbot, model: Model) -> None:
    """It goes once the reader has been told that there are sources, and before these are read."""
    message = make_message(people.alice, chatbot, answered=False)
    writing: Any = answer(message.pk)
    next(writing)
    client = Client()
    client.force_login(people.alice.user)

    response: Any = client.get(reverse("chatbots:stream", args=[message.pk]))
    erased: list[UUID] = []

    def erase(**_: object) -> None:
        if not erased:
            erased.append(message.pk)
            message.chat.delete()

    post_init.connect(erase, sender=Message)  # when it is looked how far it is
    try:
        told = asyncio.run(read(response.streaming_content))
    finally:
        post_init.disconnect(erase, sender=Message)
    assert told.startswith("event: sources\ndata: \n\n")
    assert told.endswith("event: done\ndata: \n\n")
    writing.close()


def test_a_selected_text_that_was_erased_this_moment_is_empty(people: Cast, chatbot: Chatbot) -> None:
    message = asking.ask_about_selection(member=people.alice, question="Why?", text="Because.")
    assert selected_text(message) == "Because."
    Selection.objects.all().delete()
    assert selected_text(message) == ""
