"""Programs share, offer, copy and archive chatbots by the same rules as the pages (ADR 26)."""

from __future__ import annotations

from typing import Any
from uuid import uuid4

import pytest
from django.test import Client

from chatbots.models import Chatbot, ChatbotRole, Collaborator
from chatbots.sharing import colleagues
from tests.factories import Cast, make_chatbot, make_member, make_program, personal_document, school_document

pytestmark = pytest.mark.django_db
URL = "/api/v1/chatbots"
JSON = "application/json"


@pytest.fixture
def alice(people: Cast) -> Client:
    return make_program(people.alice)


@pytest.fixture
def mine(people: Cast) -> Chatbot:
    return make_chatbot(people.alice, name="Acids")


def share(client: Client, chatbot: Chatbot, email: str, **more: Any) -> Any:
    return client.post(f"{URL}/{chatbot.pk}/shares", {"colleague": email, **more}, content_type=JSON)


def shared_with_bob(people: Cast, chatbot: Chatbot, role: ChatbotRole) -> Collaborator:
    return colleagues.share_with(chatbot=chatbot, owner=people.alice, colleague=people.bob, role=role)


def emails(response: Any) -> set[str]:
    assert response.status_code == 200
    return {one.get("email") or one["colleague"]["email"] for one in response.json()["results"]}


def test_a_chatbot_is_shared_changed_and_no_longer_shared(alice: Client, people: Cast, mine: Chatbot) -> None:
    bob, url = people.bob.user.email, f"{URL}/{mine.pk}"
    assert emails(alice.get(f"{url}/colleagues")) == {bob, people.carol.user.email}
    made = share(alice, mine, bob.upper())
    assert made.status_code == 201, made.json()
    assert (made.json()["role"], made.json()["colleague"]["email"]) == ("reader", bob)
    assert emails(alice.get(f"{url}/shares")) == {bob}
    assert emails(alice.get(f"{url}/colleagues")) == {people.carol.user.email}
    assert alice.get(url).json()["shared"] is True
    of_bob = make_program(people.bob)
    assert of_bob.get(url).json()["role"] == "reader"
    changed = alice.patch(made["Location"], {"role": "editor"}, content_type=JSON)
    assert (changed.status_code, changed.json()["role"]) == (200, "editor")
    assert of_bob.get(url).json()["role"] == "editor"
    assert alice.delete(made["Location"]).status_code == 204
    assert of_bob.get(url).status_code == 404
    assert emails(alice.get(f"{url}/shares")) == set()


def test_pages_of_colleagues_leave_nobody_out(alice: Client, people: Cast, mine: Chatbot) -> None:
    for number in range(3):
        make_member(people.alice.school, f"member{number}")
    found, address = [], f"{URL}/{mine.pk}/colleagues?limit=2"
    while address:
        answer = alice.get(address).json()
        found += [one["email"] for one in answer["results"]]
        address = answer["next"]
    assert len(found) == len(set(found)) == 5


def test_nobody_is_found_whom_it_cannot_be_shared_with(alice: Client, people: Cast, mine: Chatbot) -> None:
    shared_with_bob(people, mine, ChatbotRole.READER)
    answers = set()
    for email in (
        people.charlie.user.email,
        people.alice.user.email,
        people.bob.user.email,
        "nobody@riverside.example",
    ):
        response = share(alice, mine, email, documents=True)
        assert (response.status_code, list(response.json()["errors"])) == (400, ["colleague"]), email
        answers.add(response.content)
    assert len(answers) == 1, "who is at another school cannot be told from who is nowhere"
    assert share(alice, mine, people.carol.user.email, role="owner").status_code == 400
    mine.refresh_from_db()
    assert mine.colleagues_get_documents is False
    assert Collaborator.objects.count() == 1


def test_the_consent_counts_for_all_colleagues(alice: Client, people: Cast, mine: Chatbot) -> None:
    url = f"{URL}/{mine.pk}/consent"
    assert alice.get(url).json() == {"documents": False}
    assert share(alice, mine, people.bob.user.email, documents=True).status_code == 201
    assert alice.get(url).json() == {"documents": True}
    assert alice.put(url, {"documents": True}, content_type=JSON).json() == {"documents": True}
    assert alice.get(url).json() == {"documents": True}
    assert alice.put(url, {}, content_type=JSON).status_code == 400


def test_a_template_is_offered_copied_and_withdrawn(alice: Client, people: Cast) -> None:
    own, library = personal_document(people.alice), school_document(people.carol)
    mine = make_chatbot(people.alice, personal=[own], school=[library], name="Acids", instructions="Be brief.")
    of_bob, url = make_program(people.bob), f"{URL}/{mine.pk}"
    assert of_bob.post(f"{url}/copy").status_code == 404
    assert alice.put(f"{url}/template").status_code == 204
    [listed] = of_bob.get("/api/v1/templates").json()["results"]
    assert {key: listed[key] for key in ("name", "instructions", "owner", "library_documents")} == {
        "name": "Acids",
        "instructions": "Be brief.",
        "owner": "Alice",
        "library_documents": 1,
    }
    copy = of_bob.post(f"{url}/copy", content_type=JSON, headers={"Idempotency-Key": "once"})
    again = of_bob.post(f"{url}/copy", content_type=JSON, headers={"Idempotency-Key": "once"})
    assert (copy.status_code, copy.json()["role"], copy.json()) == (201, "owner", again.json())
    sources = of_bob.get(f"{copy['Location']}/sources").json()
    assert (sources["personal"], sources["school"]) == ([], [str(library.pk)])
    assert alice.delete(f"{url}/template").status_code == 204
    assert of_bob.get("/api/v1/templates").json()["results"] == []
    assert of_bob.get(copy["Location"]).status_code == 200


def test_an_admin_ends_an_offer_and_a_colleague_does_not(alice: Client, people: Cast, mine: Chatbot) -> None:
    url = f"{URL}/{mine.pk}/template"
    assert make_program(people.carol).delete(url).status_code == 404, "it is no template, so it is not hers to see"
    alice.put(url)
    assert make_program(people.bob).delete(url).status_code == 403
    assert make_program(people.chloe).delete(url).status_code == 404
    assert make_program(people.carol).put(url).status_code == 404
    mine.refresh_from_db()
    assert mine.is_template
    assert make_program(people.carol).delete(url).status_code == 204
    mine.refresh_from_db()
    assert not mine.is_template


def test_archiving_is_each_persons_own(alice: Client, people: Cast, mine: Chatbot) -> None:
    shared_with_bob(people, mine, ChatbotRole.READER)
    of_bob, url = make_program(people.bob), f"{URL}/{mine.pk}"
    assert of_bob.put(f"{url}/archive").json()["archived_at"] is not None
    assert alice.get(url).json()["archived_at"] is None
    assert alice.put(f"{url}/archive").json()["archived_at"] is not None
    assert of_bob.delete(f"{url}/archive").json()["archived_at"] is None
    assert alice.get(url).json()["archived_at"] is not None


@pytest.mark.parametrize("role", [ChatbotRole.READER, ChatbotRole.EDITOR])
def test_only_the_owner_shares(people: Cast, mine: Chatbot, role: ChatbotRole) -> None:
    row = shared_with_bob(people, mine, role)
    expected = {people.bob: 403, people.carol: 404, people.charlie: 404, people.chloe: 404}
    for member, status in expected.items():
        client = make_program(member)
        found = {
            "list": client.get(f"{URL}/{mine.pk}/shares"),
            "share": share(client, mine, people.carol.user.email),
            "colleagues": client.get(f"{URL}/{mine.pk}/colleagues"),
            "consent": client.put(f"{URL}/{mine.pk}/consent", {"documents": True}, content_type=JSON),
            "offer": client.put(f"{URL}/{mine.pk}/template"),
        }
        assert {name: one.status_code for name, one in found.items()} == dict.fromkeys(found, status), str(member)
        for key in (row.pk, uuid4()):
            assert client.patch(f"/api/v1/shares/{key}", {"role": "editor"}, content_type=JSON).status_code == 404
            assert client.delete(f"/api/v1/shares/{key}").status_code == 404
    row.refresh_from_db()
    mine.refresh_from_db()
    assert (row.role, mine.colleagues_get_documents, mine.is_template) == (role, False, False)
    assert Collaborator.objects.count() == 1
