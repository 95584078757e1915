"""Asking by the API about a selected text alone (T3)."""

from __future__ import annotations

import hashlib
import json
from typing import Any
from uuid import uuid4

import pytest
from django.test import Client

from chatbots.models import Chat, Chatbot, Message, PromptRecord, Selection
from tests.chatbots.programs import QUESTION, post, read_events
from tests.factories import (
    Cast,
    make_chatbot,
    personal_document,
)
from tests.scripted import ScriptedLLM

pytestmark = pytest.mark.django_db
Model = type[ScriptedLLM]
SELECTED = "Basalt is dark because it has much iron. It comes from volcanoes that erupt under the sea."
REFUSAL = "I cannot answer based on the selected text alone"


def selected(client: Client, question: str = "Why is basalt dark?", **more: Any) -> Any:
    return post(client, "ask-selection", {"question": question, "selected_text": SELECTED, **more})


def test_a_selection_answers_alone(alice: Client, people: Cast, chatbot: Chatbot) -> None:
    response = selected(alice)
    answer = response.json()
    assert response.status_code == 200
    assert (answer["mode"], answer["refused"]) == ("selection", False)
    assert "much iron" in answer["answer"]
    [source] = answer["sources"]
    assert (source["source"], source["document"], source["excerpt"]) == ("selection", None, SELECTED)
    [citation] = answer["citations"]
    assert citation["support"] == "supported"
    message = Message.objects.get()
    assert message.selection_hash == hashlib.sha256(SELECTED.encode()).hexdigest()
    assert message.chat.chatbot is None
    too_little = selected(alice, QUESTION, chatbot_id=str(chatbot.pk)).json()
    assert (too_little["answer"], too_little["refused"], too_little["mode"]) == (REFUSAL, True, "selection")
    assert Chat.objects.get(pk=too_little["chat_id"]).chatbot == chatbot


def test_a_model_gets_nothing_but_the_selection(alice: Client, chatbot: Chatbot, model: Model) -> None:
    model.enqueue("Because of iron [1].")
    answer = selected(alice, chatbot_id=str(chatbot.pk)).json()
    assert answer["answer"] == "Because of iron [1]."
    given = json.dumps(PromptRecord.objects.get().turns)
    assert "Basalt" in given
    assert "acid" not in given


def test_where_a_selection_is_from_must_be_within_reach(alice: Client, people: Cast, chatbot: Chatbot) -> None:
    own = personal_document(people.alice, "# Rocks\n\nBasalt.\n", "rocks.md")
    answer = selected(alice, document_id=str(own.pk)).json()
    assert answer["sources"][0]["document"] == {"id": str(own.pk), "title": own.title, "version": 1}
    foreign = personal_document(people.bob, "# Bob\n\nBob.\n", "bob.md")
    bobs = make_chatbot(people.bob)
    for wrong in (
        {"document_id": str(foreign.pk)},
        {"document_id": str(uuid4())},
        {"chatbot_id": str(bobs.pk)},
        {"chatbot_id": str(uuid4())},
    ):
        assert selected(alice, **wrong).status_code == 404
    assert Selection.objects.count() == 1


@pytest.mark.parametrize(
    ("text", "status"),
    [
        ("", 400),
        (" \n ", 400),
        ("x" * 20_001, 400),
        ("a\x00", 400),
        ("\udfff", 400),
        ("🌋" * 20_000, 200),
        ("x" * 300_000, 413),
    ],
    ids=["empty", "blank", "long", "nul", "half", "longest", "huge"],
)
def test_the_bounds_of_a_selection(alice: Client, text: str, status: int) -> None:
    response = post(alice, "ask-selection", {"question": "Why?", "selected_text": text})
    assert response.status_code == status, response.content[:500]
    if status == 400:
        assert list(response.json()["errors"]) == ["selected_text"]
    assert Selection.objects.count() == (status == 200)


def test_a_selection_can_be_streamed(alice: Client) -> None:
    response = selected(alice, stream=True)
    names = [name for name, _ in read_events(response)]
    assert (names[0], names[-1]) == ("sources", "done")
