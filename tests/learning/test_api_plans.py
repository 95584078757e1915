"""The REST API of study plans. Who may not use it: tests/guards/test_api.py."""

from __future__ import annotations

from typing import Any
from uuid import uuid4

import pytest
from django.test import Client

from learning.models import PlanStatus, StudyPlan
from learning.planning import making
from references.models import ReferenceSettings
from tests.factories import Cast, make_chatbot, make_program, personal_document, school_document
from tests.learning.plans import RIVERS, link, make_plan

pytestmark = pytest.mark.django_db

PLANS = "/api/v1/plans"


@pytest.fixture
def alice(people: Cast) -> Client:
    return make_program(people.alice)


def send(client: Client, address: str, data: dict[str, Any] | None = None, method: str = "post", **headers: str) -> Any:
    return getattr(client, method)(address, data or {}, "application/json", headers=headers)


def test_a_plan_is_made_and_read_until_it_is_ready(people: Cast, alice: Client) -> None:
    own = personal_document(people.alice, RIVERS, "rivers.md")
    made = send(alice, PLANS, {"title": "Rivers", "documents": [str(own.pk)], "most_concepts": 5})
    assert made.status_code == 202
    body = made.json()
    assert made["Location"].endswith(f"{PLANS}/{body['id']}")
    assert (body["status"], body["stage"], body["progress"], body["concepts"]) == ("queued", "", 0.0, [])
    assert (body["most_concepts"], body["tutor_style"], body["session_minutes"]) == (5, "hints", 10)
    assert making.make_next_plan()
    read = alice.get(made["Location"]).json()
    assert (read["status"], read["progress"], read["failure"]) == ("ready", 1.0, "")
    assert 3 <= len(read["concepts"]) <= 5
    concept = read["concepts"][0]
    assert concept["plan_id"] == body["id"] and concept["definition"]
    (source, *_) = concept["sources"]
    assert (source["source"], source["document"]["id"], source["revision"]) == ("personal", str(own.pk), "")
    assert source["uri"] == f"/documents/{own.pk}/" and source["excerpt"] and source["number"] == 1
    assert source["id"] and source["heading_path"][0] == "Rivers"
    listed = alice.get(PLANS).json()["results"]
    assert listed == [
        {name: value for name, value in read.items() if name not in ("concepts", "suggestions", "last_edit")}
    ]


def test_a_plan_is_made_from_the_library_a_chatbot_or_a_topic(people: Cast, alice: Client) -> None:
    library = school_document(people.carol, RIVERS, "rivers.md", subject="Geography")
    chatbot = make_chatbot(people.alice, school=[library])
    ReferenceSettings.objects.create(school=people.alice.school, allows_wikipedia_live=True)
    for sent in (
        {"library": {"subject": "Geography"}},
        {"library": {"documents": [str(library.pk)]}},
        {"chatbot": str(chatbot.pk)},
        {"topic": "Rivers", "kinds": ["wikipedia_live"], "language": "de"},
    ):
        made = send(alice, PLANS, {"title": "Rivers"} | sent)
        assert made.status_code == 202, made.json()
    plans = StudyPlan.objects.order_by("pk")
    assert [plan.tutor.school_documents.count() for plan in plans] == [1, 1, 0, 0]
    assert [plan.chatbot for plan in plans] == [None, None, chatbot, None]
    assert (plans[3].language, plans[3].kinds) == ("de", ["wikipedia_live"])


@pytest.mark.parametrize(
    ("sent", "field"),
    [
        ({}, "documents"),
        ({"title": " "}, "title"),
        ({"title": "x" * 161}, "title"),
        ({"documents": [str(uuid4())]}, "documents"),
        ({"documents": ["x"]}, "documents.0"),
        ({"library": {"subject": "Nothing"}}, "library.subject"),
        ({"topic": "Rivers", "kinds": ["wikipedia_live"]}, "kinds"),
        ({"topic": "x" * 301}, "topic"),
        ({"language": "xx"}, "language"),
        ({"most_concepts": 61}, "most_concepts"),
        ({"session_minutes": 0}, "session_minutes"),
        ({"tutor_style": "strict"}, "tutor_style"),
    ],
)
def test_what_is_wrong_is_said_by_field(alice: Client, sent: dict[str, Any], field: str) -> None:
    refused = send(alice, PLANS, {"title": "Rivers"} | sent)
    assert refused.status_code == 400
    assert field in refused.json()["errors"]
    assert not StudyPlan.objects.exists()


def test_a_plan_that_is_sent_twice_is_made_once(people: Cast, alice: Client) -> None:
    own = personal_document(people.alice, RIVERS, "rivers.md", indexed=True)
    sent = {"title": "Rivers", "documents": [str(own.pk)]}
    first, second = (send(alice, PLANS, sent, **{"Idempotency-Key": "k"}) for _ in range(2))
    assert first.json() == second.json() and first["Location"] == second["Location"]
    assert StudyPlan.objects.count() == 1


def test_a_plan_is_changed_and_deleted(people: Cast, alice: Client) -> None:
    plan = make_plan(people.alice)
    one = f"{PLANS}/{plan.pk}"
    etag = alice.get(one)["ETag"]
    assert alice.get(one, headers={"If-None-Match": etag}).status_code == 304
    changed = send(alice, one, {"title": "Streams", "tutor_style": "steps"}, "patch", **{"If-Match": etag})
    assert (changed.json()["title"], changed.json()["tutor_style"]) == ("Streams", "steps")
    assert send(alice, one, {"title": "X"}, "patch", **{"If-Match": etag}).status_code == 412
    refused = send(alice, one, {"kinds": ["wikipedia_live"]}, "patch")
    assert refused.status_code == 400 and list(refused.json()["errors"]) == ["kinds"]
    assert alice.delete(one, headers={"If-Match": etag}).status_code == 412
    assert alice.delete(one).status_code == 204
    assert alice.get(one).status_code == 404 and not StudyPlan.objects.exists()


def test_making_is_stopped_and_taken_up(people: Cast, alice: Client) -> None:
    one = f"{PLANS}/{make_plan(people.alice, status=PlanStatus.QUEUED).pk}"
    stopped = send(alice, f"{one}/stop")
    assert (stopped.status_code, stopped.json()["status"]) == (202, "stopped")
    assert send(alice, f"{one}/resume").json()["status"] == "queued"


def test_a_plan_is_brought_up_to_date(people: Cast, alice: Client) -> None:
    """The documents of its sources are gone."""
    plan = make_plan(people.alice)
    refreshed = send(alice, f"{PLANS}/{plan.pk}/refresh")
    assert (refreshed.status_code, refreshed.json()) == (202, {"concepts": 3})
    read = alice.get(f"{PLANS}/{plan.pk}").json()
    assert read["status"] == "queued" and all(one["outdated"] for one in read["concepts"])


def test_prerequisites_are_ids_of_concepts(people: Cast, alice: Client) -> None:
    plan = make_plan(people.alice)
    first, second, third = plan.concepts.order_by("position")
    link(second, first)
    link(third, first)
    concepts = alice.get(f"{PLANS}/{plan.pk}").json()["concepts"]
    assert [one["prerequisites"] for one in concepts] == [[], [str(first.pk)], [str(first.pk)]]


def test_reading_a_large_plan_takes_few_queries(
    people: Cast, alice: Client, django_assert_max_num_queries: Any
) -> None:
    plan = make_plan(people.alice, *(f"Concept {number}" for number in range(40)))
    with django_assert_max_num_queries(12):
        assert len(alice.get(f"{PLANS}/{plan.pk}").json()["concepts"]) == 40


def test_progress_is_by_concept(people: Cast, alice: Client) -> None:
    plan = make_plan(people.alice)
    first, second, _ = plan.concepts.order_by("position")
    link(second, first)
    answered = send(alice, f"/api/v1/questions/{first.questions.get().pk}/attempts", {"answer": "Erosion"})
    assert answered.json()["verdict"] == "right"
    progress = alice.get(f"{PLANS}/{plan.pk}/progress").json()
    one, two, three = progress["concepts"]
    assert (one["name"], one["attempts"], one["right"]) == ("Erosion", 1, 1) and one["due_at"]
    assert 0 < one["retrievability"] <= 1
    assert (two["state"], two["attempts"], two["retrievability"], two["due_at"]) == ("new", 0, None, None)
    assert two["ready"] == (two["needs"] == []) and three["ready"]
    assert str(three["concept"]) in progress["next"]
