"""A model's reasoning is streamed and stored apart from its answer, and shown folded."""

from __future__ import annotations

import json
from typing import Any

import pytest
from django.urls import reverse

from chatbots.models import Chatbot, Message
from engines.reasoning import ReasoningPiece
from tests.chatbots.test_five_kinds import get_text
from tests.factories import Cast, finish_answers, make_chatbot, make_message, make_program, school_document
from tests.scripted import ScriptedLLM

pytestmark = pytest.mark.django_db(transaction=True)

QUESTION = "How strong may acids be?"
STEPS = [ReasoningPiece("Source [2] says <b>"), ReasoningPiece(" so."), "At most 1 mol/l [1]."]
Model = type[ScriptedLLM]


@pytest.fixture
def bot(people: Cast) -> Chatbot:
    return make_chatbot(people.alice, school=[school_document(people.carol)])


def test_it_is_stored_apart_and_shown_folded(people: Cast, bot: Chatbot, model: Model) -> None:
    model.enqueue(STEPS)
    message = Message.objects.get(pk=make_message(people.alice, bot, QUESTION).pk)
    assert (message.answer, message.reasoning) == ("At most 1 mol/l [1].", "Source [2] says <b> so.")
    assert [source.number for source in message.sources.filter(is_cited=True)] == [1]
    text = get_text(people.alice, "chat", message.chat_id)
    assert "<summary>What the model thought first</summary>" in text
    assert "Source [2] says &lt;b&gt; so." in text
    for page in ("print-chat", "export-chat"):
        assert "so." not in get_text(people.alice, page, message.chat_id)
    answer = make_program(people.alice).get(reverse("api:message", args=[message.pk])).json()
    assert "Source [2]" not in json.dumps(answer["answer"])


def test_the_reasoning_of_a_draft_that_is_dropped_goes_with_it(people: Cast, bot: Chatbot, model: Model) -> None:
    model.enqueue([ReasoningPiece("First."), "No marker."], [ReasoningPiece("Second."), "At most 1 mol/l [1]."])
    message = Message.objects.get(pk=make_message(people.alice, bot, QUESTION).pk)
    assert message.reasoning == "Second."


@pytest.mark.needs("openai_api")
def test_programs_get_it_apart(people: Cast, bot: Chatbot, model: Model) -> None:
    api = make_program(people.alice)
    events = streamed(api, reverse("api:ask", args=[bot.pk]), {"question": QUESTION, "stream": True}, model)
    assert "".join(data["text"] for name, data in events if name == "reasoning") == "Source [2] says <b> so."
    assert "".join(data["text"] for name, data in events if name == "token") == "At most 1 mol/l [1]."
    body = {"model": str(bot.pk), "messages": [{"role": "user", "content": QUESTION}]}
    model.enqueue(STEPS)
    done = json.loads(api.post(reverse("api:openai-completions"), body, content_type="application/json").content)
    assert done["choices"][0]["message"] == {
        "role": "assistant",
        "content": "At most 1 mol/l [1].",
        "reasoning_content": "Source [2] says <b> so.",
    }
    chunks = streamed(api, reverse("api:openai-completions"), body | {"stream": True}, model)
    deltas = [data["choices"][0]["delta"] for _, data in chunks if data]
    assert "".join(delta.get("reasoning_content", "") for delta in deltas) == "Source [2] says <b> so."
    assert "".join(delta.get("content", "") for delta in deltas) == "At most 1 mol/l [1]."


def streamed(api: Any, url: str, body: dict[str, Any], model: Model) -> list[tuple[str, Any]]:
    """The events of an answer whose model pauses, so that the reader is there."""
    model.enqueue([0.5, *STEPS[:2], 0.5, STEPS[2]])
    response = api.post(url, body, content_type="application/json")
    text = b"".join(response).decode()
    finish_answers()
    found = []
    for block in text.strip().split("\n\n"):
        lines = dict(line.split(": ", 1) for line in block.splitlines() if ": " in line)
        data = lines["data"]
        found.append((lines.get("event", ""), json.loads(data) if data != "[DONE]" else None))
    return found
