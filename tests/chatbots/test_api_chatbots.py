"""Chatbots by the API: made, changed, given sources and deleted, each by its owner alone (T2)."""

from __future__ import annotations

from typing import Any
from uuid import uuid4

import pytest
from django.test import Client

from chatbots.models import Chatbot
from tests.factories import Cast, make_chatbot, make_message, make_program, personal_document, school_document

pytestmark = pytest.mark.django_db
URL = "/api/v1/chatbots"
JSON = "application/json"


@pytest.fixture
def alice(people: Cast) -> Client:
    return make_program(people.alice)


def post(client: Client, body: Any, url: str = URL) -> Any:
    return client.post(url, body, content_type=JSON)


def test_a_chatbot_is_made_with_what_is_usual(alice: Client, people: Cast) -> None:
    response = post(alice, {"name": "  Chemistry  "})
    made = response.json()
    assert response.status_code == 201
    assert response["Location"].endswith(f"{URL}/{made['id']}")
    assert {key: made[key] for key in made if key not in ("id", "created_at", "updated_at")} == {
        "name": "Chemistry",
        "description": "",
        "instructions": "",
        "subject": "",
        "language": "en",
        "kind": "general",
        "personal_weight": 60,
        "school_weight": 40,
        "places": 5,
        "when_unsure": "refuse",
        "role": "owner",
        "shared": False,
        "archived_at": None,
        "template": False,
    }
    chatbot = Chatbot.objects.get()
    assert (chatbot.school, chatbot.owner) == (people.alice.school, people.alice.user)
    assert alice.get(f"{URL}/{made['id']}").json() == made


def test_of_one_weight_follows_the_other(alice: Client) -> None:
    made = post(alice, {"name": "A", "school_weight": 70}).json()
    assert (made["personal_weight"], made["school_weight"]) == (30, 70)
    url = f"{URL}/{made['id']}"
    changed = alice.patch(url, {"personal_weight": 100}, content_type=JSON).json()
    assert (changed["personal_weight"], changed["school_weight"]) == (100, 0)
    both = alice.patch(url, {"personal_weight": 20, "school_weight": 80}, content_type=JSON)
    assert both.status_code == 200
    assert both.json()["school_weight"] == 80


@pytest.mark.parametrize(
    ("body", "field"),
    [
        ({}, "name"),
        ({"name": " "}, "name"),
        ({"name": "x" * 101}, "name"),
        ({"name": "A\x00"}, "name"),
        ({"name": "A", "personal_weight": 60, "school_weight": 60}, "school_weight"),
        ({"name": "A", "personal_weight": 101}, "personal_weight"),
        ({"name": "A", "places": 0}, "places"),
        ({"name": "A", "places": 21}, "places"),
        ({"name": "A", "language": "tlh"}, "language"),
        ({"name": "A", "kind": "textbook", "when_unsure": "general"}, "when_unsure"),
    ],
)
def test_what_cannot_be_taken_is_said_by_field(alice: Client, body: dict[str, Any], field: str) -> None:
    response = post(alice, body)
    assert response.status_code == 400
    assert list(response.json()["errors"]) == [field]
    assert not Chatbot.objects.exists()


def test_a_change_is_held_against_what_stays(alice: Client, people: Cast) -> None:
    general = make_chatbot(people.alice, when_unsure="general")
    response = alice.patch(f"{URL}/{general.pk}", {"kind": "textbook"}, content_type=JSON)
    assert (response.status_code, list(response.json()["errors"])) == (400, ["when_unsure"])
    general.refresh_from_db()
    assert general.kind == "general"


def test_a_change_based_on_an_old_state_is_refused(alice: Client, people: Cast) -> None:
    url = f"{URL}/{make_chatbot(people.alice).pk}"
    known = alice.get(url)["ETag"]
    assert alice.get(url, headers={"If-None-Match": known}).status_code == 304
    alice.patch(url, {"name": "New"}, content_type=JSON)
    late = {"If-Match": known}
    assert alice.patch(url, {"name": "Late"}, content_type=JSON, headers=late).status_code == 412
    assert alice.delete(url, headers=late).status_code == 412
    assert alice.get(url).json()["name"] == "New"


def test_lists_come_in_pages_and_by_kind(alice: Client, people: Cast) -> None:
    for name in ("C", "A", "B"):
        make_chatbot(people.alice, name=name)
    make_chatbot(people.alice, name="D", kind="textbook")
    make_chatbot(people.bob, name="Bob's")
    first = alice.get(f"{URL}?limit=3").json()
    assert [one["name"] for one in first["results"]] == ["A", "B", "C"]
    rest = alice.get(first["next"]).json()
    assert [one["name"] for one in rest["results"]] == ["D"]
    assert rest["next"] is None
    assert [one["name"] for one in alice.get(f"{URL}?kind=textbook").json()["results"]] == ["D"]


def documents(response: Any) -> dict[str, Any]:
    return {name: keys for name, keys in response.json().items() if name != "kinds"}


def test_sources_are_set_as_a_whole(alice: Client, people: Cast) -> None:
    own, library = personal_document(people.alice), school_document(people.carol)
    url = f"{URL}/{make_chatbot(people.alice).pk}/sources"
    assert documents(alice.get(url)) == {"personal": [], "school": []}
    wanted = {"personal": [str(own.pk)], "school": [str(library.pk)]}
    response = alice.put(url, wanted, content_type=JSON)
    assert (response.status_code, documents(response)) == (200, wanted)
    assert documents(alice.get(url)) == wanted
    alice.put(url, {"personal": [], "school": [str(library.pk)]}, content_type=JSON)
    assert alice.get(url).json()["personal"] == []
    assert alice.put(url, {"personal": []}, content_type=JSON).status_code == 400


def test_an_id_that_is_not_reachable_is_named_and_changes_nothing(alice: Client, people: Cast) -> None:
    own, library = personal_document(people.alice), school_document(people.carol)
    bobs = personal_document(people.bob, "# Bob\n\nBob's notes.\n", "bob.md")
    foreign = school_document(people.chloe, "# Away\n\nElsewhere.\n", "away.md")
    hidden = school_document(people.carol, "# Hidden\n\nWithdrawn.\n", "hidden.md")
    type(hidden).objects.filter(pk=hidden.pk).update(is_published=False)
    url = f"{URL}/{make_chatbot(people.alice, personal=[own]).pk}/sources"
    for field, key in (
        ("personal", bobs.pk),
        ("personal", library.pk),
        ("school", foreign.pk),
        ("school", hidden.pk),
        ("school", own.pk),
        ("school", uuid4()),
    ):
        wanted: dict[str, list[str]] = {"personal": [], "school": []}
        wanted[field].append(str(key))
        response = alice.put(url, wanted, content_type=JSON)
        assert response.status_code == 400
        assert response.json()["errors"] == {field: [f"There is no document {key} here."]}
    assert documents(alice.get(url)) == {"personal": [str(own.pk)], "school": []}


def test_a_deleted_chatbot_takes_its_conversations_along(alice: Client, people: Cast) -> None:
    message = make_message(people.alice, make_chatbot(people.alice), "Why?")
    url = f"{URL}/{Chatbot.objects.get().pk}"
    assert alice.delete(url).status_code == 204
    assert alice.get(url).status_code == 404
    assert alice.get(f"/api/v1/chats/{message.chat_id}").status_code == 404


def test_a_chatbot_is_its_owners_alone(people: Cast) -> None:
    url = f"{URL}/{make_chatbot(people.alice).pk}"
    for stranger in (people.bob, people.carol, people.charlie):
        client = make_program(stranger)
        assert client.get(url).status_code == 404
        assert client.patch(url, {"name": "Mine"}, content_type=JSON).status_code == 404
        assert client.delete(url).status_code == 404
        assert client.get(f"{url}/sources").status_code == 404
        assert client.put(f"{url}/sources", {"personal": [], "school": []}, content_type=JSON).status_code == 404
        assert client.get(URL).json()["results"] == []
    assert Client().get(url).status_code == 401
    reader = make_program(people.alice, write=False)
    assert reader.get(url).status_code == 200
    assert reader.delete(url).status_code == 403
    assert post(reader, {"name": "No"}).status_code == 403
    assert Chatbot.objects.get().name == "Chemistry 9 helper"
