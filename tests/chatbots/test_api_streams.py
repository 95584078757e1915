"""Asking by the API for a stream of events (T2)."""

from __future__ import annotations

import threading

import pytest
from django.test import Client

from chatbots.models import Chatbot
from tests.chatbots.programs import QUESTION, ask, post, read_events
from tests.scripted import ScriptedLLM

pytestmark = pytest.mark.django_db
Model = type[ScriptedLLM]


def test_a_stream_brings_sources_then_text_then_the_whole(alice: Client, chatbot: Chatbot, model: Model) -> None:
    model.enqueue("Use 0.5 mol/l [1].")
    response = ask(alice, chatbot, stream=True)
    assert response["Content-Type"] == "text/event-stream"
    events = read_events(response)
    names = [name for name, _ in events]
    assert names[0] == "sources"
    assert names[-1] == "done"
    assert set(names[1:-1]) == {"token"}
    assert "".join(data["text"] for name, data in events if name == "token") == "Use 0.5 mol/l [1]."
    [(_, found), *_, (_, whole)] = events
    assert found["sources"][0]["number"] == 1
    assert found["message_id"] == whole["message_id"]
    assert whole["answer"] == "Use 0.5 mol/l [1]."
    assert whole["citations"][0]["number"] == 1


def test_a_stream_can_be_asked_for_by_its_header(alice: Client, chatbot: Chatbot) -> None:
    wish = {"Accept": "text/event-stream"}
    url = f"chatbots/{chatbot.pk}/ask"
    assert read_events(post(alice, url, {"question": QUESTION}, headers=wish))[-1][0] == "done"
    refused = post(alice, url, {"question": ""}, headers=wish)
    assert (refused.status_code, refused["Content-Type"]) == (400, "application/problem+json")


@pytest.mark.django_db(transaction=True)
def test_a_dropped_draft_is_replaced(alice: Client, chatbot: Chatbot, model: Model) -> None:
    go_on = threading.Event()
    model.enqueue(["Without a source. ", go_on], "Use 0.5 mol/l [1].")
    response = ask(alice, chatbot, stream=True)
    threading.Timer(0.4, go_on.set).start()
    text = ""
    for name, data in read_events(response):
        if name in ("token", "text"):
            text = text + data["text"] if name == "token" else data["text"]
    assert text == "Use 0.5 mol/l [1]."
