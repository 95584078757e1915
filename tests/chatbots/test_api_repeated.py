"""A question that is sent twice under one Idempotency-Key is asked once."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest
from django.test import Client

from chatbots.models import Chatbot, Message
from engines.errors import ModelUnavailable
from rest.models import IdempotencyRecord
from tests.factories import Cast, make_message, make_program
from tests.learning.plans import make_plan
from tests.scripted import ScriptedLLM

pytestmark = pytest.mark.django_db(transaction=True)
Model = type[ScriptedLLM]
QUESTION = {"question": "How strong may hydrochloric acid be?"}
SELECTION = QUESTION | {"selected_text": "At most 1 mol/l of hydrochloric acid."}


def post(client: Client, url: str, body: dict[str, Any], key: str = "one", **headers: str) -> tuple[Any, str | None]:
    """The answer, of a stream that in its last event, and whether it came before."""
    response: Any = client.post(f"/api/v1/{url}", body, "application/json", headers={"Idempotency-Key": key, **headers})
    content = b"".join(response)
    assert response.status_code == 200, content
    return json.loads(content.strip().rpartition(b"data: ")[2]), response.get("Idempotent-Replayed")


def test_both_get_the_same_answer_as_json_and_as_a_stream(people: Cast, chatbot: Chatbot) -> None:
    client, url = make_program(people.alice), f"chatbots/{chatbot.pk}/ask"
    (first, new), (second, replayed) = (post(client, url, QUESTION) for _ in range(2))
    assert (first, new, replayed) == (second, None, "true")
    message = Message.objects.get()
    assert second["message_id"] == str(message.pk)
    as_stream, _ = post(client, url, QUESTION, Accept="text/event-stream")
    assert as_stream["message_id"] == str(message.pk)
    streams = [post(client, url, QUESTION | {"stream": True}, "two")[0] for _ in range(2)]
    assert streams[0] == streams[1]
    assert Message.objects.count() == 2
    other = client.post(f"/api/v1/{url}", {"question": "Why?"}, "application/json", headers={"Idempotency-Key": "one"})
    assert other.status_code == 422


ROUTES: dict[str, Callable[[Cast, Chatbot], tuple[str, dict[str, Any]]]] = {
    "selection": lambda people, chatbot: ("ask-selection", SELECTION),
    "tutor": lambda people, chatbot: (f"plans/{make_plan(people.alice).pk}/ask", {"question": "What is erosion?"}),
    "again": lambda people, chatbot: (f"messages/{make_message(people.alice, chatbot).pk}/again", {}),
    "openai": lambda people, chatbot: (
        "openai/chat/completions",
        {"model": str(chatbot.pk), "messages": [{"role": "user", "content": QUESTION["question"]}]},
    ),
}


@pytest.mark.needs("learning", "openai_api")
@pytest.mark.parametrize("name", ROUTES)
def test_it_holds_for_every_way_to_ask(people: Cast, chatbot: Chatbot, name: str) -> None:
    url, body = ROUTES[name](people, chatbot)
    before = Message.objects.count()
    (first, _), (second, replayed) = (post(make_program(people.alice), url, body) for _ in range(2))
    assert (first, replayed, Message.objects.count()) == (second, "true", before + 1)


def test_one_that_failed_is_written_once_more(people: Cast, chatbot: Chatbot, model: Model) -> None:
    client, url = make_program(people.alice), f"/api/v1/chatbots/{chatbot.pk}/ask"
    model.enqueue(ModelUnavailable("It is down."), "Use 0.5 mol/l [1].", "It is another one [1].")
    failed, answered, same = (
        client.post(url, QUESTION, "application/json", headers={"Idempotency-Key": "one"}) for _ in range(3)
    )
    assert (failed.status_code, answered.status_code) == (502, 200)
    assert same.json()["message_id"] == answered.json()["message_id"] and Message.objects.count() == 2
    assert answered.json()["version_of"] == failed.json()["message_id"]
    assert Message.objects.filter(version_of=None).count() == 1


def test_it_is_the_persons_own_and_only_as_long_as_the_conversation(people: Cast, chatbot: Chatbot) -> None:
    client, url = make_program(people.alice), f"chatbots/{chatbot.pk}/ask"
    post(client, url, QUESTION)
    bob = make_program(people.bob).post(
        f"/api/v1/{url}", QUESTION, "application/json", headers={"Idempotency-Key": "one"}
    )
    assert bob.status_code == 404
    IdempotencyRecord.objects.update(owner=people.bob.user)
    taken = make_program(people.bob).post(
        f"/api/v1/{url}", QUESTION, "application/json", headers={"Idempotency-Key": "one"}
    )
    assert taken.status_code == 404
    IdempotencyRecord.objects.update(owner=people.alice.user)
    client.delete(f"/api/v1/chats/{Message.objects.get().chat_id}")
    gone = client.post(f"/api/v1/{url}", QUESTION, "application/json", headers={"Idempotency-Key": "one"})
    assert gone.status_code == 404
