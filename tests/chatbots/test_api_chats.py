"""Conversations and figures by the API (T2)."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from django.db import connection, transaction
from django.test import Client

from chatbots.conversations import asking
from chatbots.models import Chat, Chatbot
from tests.factories import Cast, answer, make_chatbot, make_message, make_program
from tests.locks import waiting
from tests.running import wait_for

pytestmark = pytest.mark.django_db
URL = "/api/v1/chats"
QUESTION = "How strong may hydrochloric acid be?"


@pytest.fixture
def alice(people: Cast) -> Client:
    return make_program(people.alice, write=False)


def test_conversations_are_listed_the_latest_first(alice: Client, people: Cast, chatbot: Chatbot) -> None:
    first = make_message(people.alice, chatbot, QUESTION)
    make_message(people.alice, chatbot, "And for year 9?", chat=first.chat)
    other = make_message(people.alice, make_chatbot(people.alice), "Who won in 1954?")
    make_message(people.bob, make_chatbot(people.bob), "Bob's question?")
    listed = alice.get(URL).json()["results"]
    assert [one["id"] for one in listed] == [str(other.chat_id), str(first.chat_id)]
    assert [one["questions"] for one in listed] == [1, 2]
    assert listed[1]["chatbot_id"] == str(chatbot.pk)
    page = alice.get(f"{URL}?limit=1").json()
    assert alice.get(page["next"]).json()["results"] == listed[1:]

    def found(query: str) -> list[str]:
        return [one["id"] for one in alice.get(f"{URL}?{query}").json()["results"]]

    assert found("q=hydrochloric") == [str(first.chat_id)]
    assert found(f"chatbot={chatbot.pk}") == [str(first.chat_id)]
    assert found(f"chatbot={chatbot.pk}&q=1954") == []
    assert alice.get(f"{URL}?chatbot=nonsense").status_code == 400


def test_messages_come_in_order_with_all_answers_to_a_question(alice: Client, people: Cast, chatbot: Chatbot) -> None:
    first = make_message(people.alice, chatbot, QUESTION)
    again = asking.ask_again(message=first)
    list(answer(again.pk))
    url = f"{URL}/{first.chat_id}/messages"
    messages = alice.get(url).json()["results"]
    assert [(one["message_id"], one["version_of"]) for one in messages] == [
        (str(first.pk), None),
        (str(again.pk), str(first.pk)),
    ]
    assert messages[0]["sources"] and messages[0]["citations"]
    page = alice.get(f"{url}?limit=1").json()
    assert alice.get(page["next"]).json()["results"] == messages[1:]


def test_a_conversation_is_deleted_once(people: Cast, chatbot: Chatbot) -> None:
    chat = make_message(people.alice, chatbot, QUESTION).chat
    url, writer = f"{URL}/{chat.pk}", make_program(people.alice)
    known = writer.get(url)["ETag"]
    assert make_program(people.alice, write=False).delete(url).status_code == 403
    assert writer.delete(url, headers={"If-Match": '"another"'}).status_code == 412
    assert writer.delete(url, headers={"If-Match": known}).status_code == 204
    for gone in (writer.get(url), writer.get(f"{url}/messages"), writer.delete(url)):
        assert gone.status_code == 404
    assert Chat.objects.get().deleted_at


def test_a_conversation_is_renamed(people: Cast, chatbot: Chatbot) -> None:
    chat = make_message(people.alice, chatbot, QUESTION).chat
    url, writer = f"{URL}/{chat.pk}", make_program(people.alice)

    def rename(title: Any, **headers: str) -> Any:
        return writer.patch(url, {"title": title}, content_type="application/json", headers=headers)

    known = writer.get(url)["ETag"]
    renamed = rename(" Acids ", **{"If-Match": known})
    assert (renamed.status_code, renamed.json()["title"]) == (200, "Acids")
    assert renamed["ETag"] == writer.get(url)["ETag"] != known
    assert rename("Bases", **{"If-Match": known}).status_code == 412
    for title in ("", "  ", "x" * 121, "a\x00b", None):
        refused = rename(title)
        assert (refused.status_code, list(refused.json()["errors"])) == (400, ["title"])
    assert writer.patch(url, {}, content_type="application/json").json()["title"] == "Acids"
    assert writer.get(f"{URL}?q=acids").json()["results"][0]["title"] == "Acids"


@pytest.mark.django_db(transaction=True)
def test_of_two_who_rename_what_they_read_at_once_one_is_told(people: Cast, chatbot: Chatbot) -> None:
    chat = make_message(people.alice, chatbot, QUESTION).chat
    url, writer = f"{URL}/{chat.pk}", make_program(people.alice)
    known = {"If-Match": writer.get(url)["ETag"]}

    def rename() -> int:
        sent = writer.patch(url, {"title": "Mine"}, content_type="application/json", headers=known)
        connection.close()
        return int(sent.status_code)

    with ThreadPoolExecutor(1) as pool:
        with transaction.atomic():
            Chat.objects.filter(pk=chat.pk).update(title="Theirs")
            renamed = pool.submit(rename)
            wait_for(waiting)
        assert renamed.result(120) == 412
    chat.refresh_from_db()
    assert chat.title == "Theirs"


def test_a_deleted_conversation_comes_back_with_all_that_was_said(people: Cast, chatbot: Chatbot) -> None:
    chat = make_message(people.alice, chatbot, QUESTION).chat
    url, writer = f"{URL}/{chat.pk}", make_program(people.alice)
    before = writer.get(f"{url}/messages").json()
    writer.delete(url)
    assert make_program(people.bob).post(f"{url}/restore").status_code == 404
    assert writer.get(url).status_code == 404
    for _ in range(2):
        assert writer.post(f"{url}/restore").json()["id"] == str(chat.pk)
    assert writer.get(f"{url}/messages").json() == before


def test_conversations_are_their_owners_alone(people: Cast, chatbot: Chatbot) -> None:
    chat = make_message(people.alice, chatbot, QUESTION).chat
    for stranger in (people.bob, people.carol, people.charlie):
        client = make_program(stranger)
        for url in (f"{URL}/{chat.pk}", f"{URL}/{chat.pk}/messages"):
            assert client.get(url).status_code == 404
        assert client.delete(f"{URL}/{chat.pk}").status_code == 404
        assert client.get(URL).json()["results"] == []
    assert Client().get(URL).status_code == 401


def test_figures_are_of_ones_own_chatbots_and_for_admins_of_the_school(people: Cast, chatbot: Chatbot) -> None:
    make_message(people.alice, chatbot, QUESTION)
    make_message(people.alice, chatbot, "Who won the World Cup in 1954?")
    mine = make_program(people.alice, write=False).get("/api/v1/usage").json()
    [of_chatbot] = mine["chatbots"]
    assert (of_chatbot["id"], of_chatbot["questions"], of_chatbot["answered"], of_chatbot["refused"]) == (
        str(chatbot.pk),
        2,
        1,
        1,
    )
    assert (mine["days"], mine["school"]) == (30, None)
    admin = make_program(people.carol, write=False).get("/api/v1/usage?days=7").json()
    assert (admin["days"], admin["chatbots"], admin["school"]["questions"]) == (7, [], 2)
    assert admin["school"]["documents"][0]["title"]
    assert admin["school"]["people"] == [{"name": "Alice", "questions": 2}]
    assert QUESTION not in str(admin)
    assert make_program(people.carol).get("/api/v1/usage?days=8").status_code == 400
    elsewhere = make_program(people.chloe).get("/api/v1/usage").json()
    assert elsewhere["school"]["questions"] == 0
