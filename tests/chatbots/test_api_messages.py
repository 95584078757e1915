"""One message by the API: read, answered again, stopped, thought of (T2, C9)."""

from __future__ import annotations

import threading
from typing import Any

import pytest
from django.test import Client

from chatbots.models import Channel, Chatbot, Feedback, Message
from chatbots.streaming import jobs, registry
from tests.chatbots.programs import QUESTION, post, read_events
from tests.factories import Cast, finish_answers, make_message, make_program
from tests.running import wait_for
from tests.scripted import ScriptedLLM

pytestmark = pytest.mark.django_db
Model = type[ScriptedLLM]
URL = "/api/v1/messages"


def test_a_message_is_read_with_its_sources(alice: Client, people: Cast, chatbot: Chatbot) -> None:
    message = make_message(people.alice, chatbot, QUESTION)
    read = alice.get(f"{URL}/{message.pk}").json()
    [listed] = alice.get(f"/api/v1/chats/{message.chat_id}/messages").json()["results"]
    assert read == listed
    assert read["sources"]


def test_a_question_is_answered_again_and_both_answers_are_kept(alice: Client, people: Cast, chatbot: Chatbot) -> None:
    first = make_message(people.alice, chatbot, QUESTION)
    again = post(alice, f"messages/{first.pk}/again", {}).json()
    assert (again["status"], again["version_of"]) == ("done", str(first.pk))
    streamed = post(alice, f"messages/{again['message_id']}/again", {"stream": True})
    name, third = read_events(streamed)[-1]
    assert (name, third["version_of"]) == ("done", str(first.pk))
    messages = alice.get(f"/api/v1/chats/{first.chat_id}/messages").json()["results"]
    assert [one["message_id"] for one in messages] == [
        str(first.pk),
        again["message_id"],
        third["message_id"],
    ]
    assert Message.objects.filter(channel=Channel.API).count() == 2


def test_what_later_questions_lean_on_is_not_answered_again(alice: Client, people: Cast, chatbot: Chatbot) -> None:
    first = make_message(people.alice, chatbot, QUESTION)
    last = make_message(people.alice, chatbot, "And for year 9?", chat=first.chat)
    refused = post(alice, f"messages/{first.pk}/again", {})
    assert (refused.status_code, refused["Content-Type"]) == (409, "application/problem+json")
    assert Message.objects.count() == 2
    assert post(alice, f"messages/{last.pk}/again", {}).status_code == 200


def test_one_that_failed_is_answered_again_wherever_it_stands(alice: Client, people: Cast, chatbot: Chatbot) -> None:
    first = make_message(people.alice, chatbot, QUESTION)
    make_message(people.alice, chatbot, "And for year 9?", chat=first.chat)
    Message.objects.filter(pk=first.pk).update(status="failed", failure="busy")
    assert post(alice, f"messages/{first.pk}/again", {}).json()["status"] == "done"


@pytest.mark.django_db(transaction=True)
def test_an_answer_is_stopped_where_it_is(alice: Client, people: Cast, chatbot: Chatbot, model: Model) -> None:
    silence = threading.Event()
    model.enqueue(["So far ", silence, "and no further."])
    message = make_message(people.alice, chatbot, QUESTION, answered=False)
    jobs.start(message)
    wait_for(lambda: message.pk in registry.jobs and registry.jobs[message.pk].state.text == "So far")
    stopped = post(alice, f"messages/{message.pk}/stop", {}).json()
    assert (stopped["status"], stopped["answer"]) == ("stopped", "So far")
    silence.set()
    finish_answers()
    assert post(alice, f"messages/{message.pk}/stop", {}).json() == stopped
    assert alice.get(f"{URL}/{message.pk}").json()["answer"] == "So far"


def test_what_one_thinks_of_an_answer_is_said_changed_and_taken_back(
    alice: Client, people: Cast, chatbot: Chatbot
) -> None:
    message = make_message(people.alice, chatbot, QUESTION)
    url = f"{URL}/{message.pk}/feedback"
    nothing = {"verdict": None, "reason": "", "words": ""}
    assert alice.get(url).json() == nothing
    down = {"verdict": "down", "reason": "citation", "words": "It is on page 3."}
    assert put(alice, url, down).json() == down
    assert alice.get(url).json() == down
    up = put(alice, url, {"verdict": "up", "reason": "unclear", "words": "Not kept."}).json()
    assert up == {"verdict": "up", "reason": "", "words": ""}
    assert alice.delete(url).status_code == 204
    assert alice.delete(url).status_code == 204
    assert alice.get(url).json() == nothing
    assert not Feedback.objects.exists()


@pytest.mark.parametrize(
    ("said", "field"),
    [
        ({}, "verdict"),
        ({"verdict": "great"}, "verdict"),
        ({"verdict": "down", "reason": "mood"}, "reason"),
        ({"verdict": "down", "words": "x" * 501}, "words"),
        ({"verdict": "down", "words": "a\x00b"}, "words"),
    ],
    ids=["nothing", "no verdict", "no reason", "long", "nul"],
)
def test_what_cannot_be_said_is_told_by_field(
    alice: Client, people: Cast, chatbot: Chatbot, said: dict[str, Any], field: str
) -> None:
    message = make_message(people.alice, chatbot, QUESTION)
    refused = put(alice, f"{URL}/{message.pk}/feedback", said)
    assert (refused.status_code, list(refused.json()["errors"])) == (400, [field])
    assert not Feedback.objects.exists()


def test_of_an_answer_that_is_being_written_nothing_is_said_yet(alice: Client, people: Cast, chatbot: Chatbot) -> None:
    message = make_message(people.alice, chatbot, QUESTION, answered=False)
    refused = put(alice, f"{URL}/{message.pk}/feedback", {"verdict": "up"})
    assert refused.status_code == 409
    assert "being written" in refused.json()["detail"]


def test_messages_are_for_who_asked_and_not_in_deleted_conversations(
    alice: Client, people: Cast, chatbot: Chatbot
) -> None:
    message = make_message(people.alice, chatbot, QUESTION)

    def statuses(client: Client) -> set[int]:
        url = f"{URL}/{message.pk}"
        return {
            client.get(url).status_code,
            post(client, f"messages/{message.pk}/again", {}).status_code,
            post(client, f"messages/{message.pk}/stop", {}).status_code,
            client.get(f"{url}/feedback").status_code,
            put(client, f"{url}/feedback", {"verdict": "up"}).status_code,
            client.delete(f"{url}/feedback").status_code,
        }

    for stranger in (people.bob, people.carol, people.charlie):
        assert statuses(make_program(stranger)) == {404}
    assert statuses(Client()) == {401}
    assert alice.delete(f"/api/v1/chats/{message.chat_id}").status_code == 204
    assert statuses(alice) == {404}
    assert Message.objects.count() == 1


def put(client: Client, url: str, body: Any) -> Any:
    return client.put(url, body, content_type="application/json")
