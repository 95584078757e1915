"""Practice questions, answers to them, and files over the API."""

from __future__ import annotations

from typing import Any

import pytest
from django.test import Client

from learning.exports.files import FORMATS
from learning.models import Attempt, Question, StudyPlan
from tests.factories import Cast, finish_answers, make_program
from tests.learning.exported import KINDS, make_exported_plan
from tests.learning.plans import make_plan
from tests.learning.test_api_plans import PLANS, send

pytestmark = pytest.mark.django_db


@pytest.fixture
def alice(people: Cast) -> Client:
    return make_program(people.alice)


@pytest.fixture
def plan(people: Cast) -> StudyPlan:
    return make_exported_plan(people.alice)


def question(kind: str) -> Question:
    return Question.objects.get(kind=kind, concept__name="Acid")


def address(kind: str, more: str = "") -> str:
    return f"/api/v1/questions/{question(kind).pk}{more}"


def test_questions_are_listed_by_concept_and_review(plan: StudyPlan, alice: Client) -> None:
    one = f"{PLANS}/{plan.pk}/questions"
    found = alice.get(one).json()["results"]
    assert len(found) == len(KINDS) + 1
    acid = plan.concepts.get(name="Acid")
    single = next(row for row in found if row["kind"] == "single")
    assert (single["concept"], single["review"], single["answer"]) == (str(acid.pk), "unreviewed", {"correct": 3})
    assert [source["number"] for source in single["sources"]] == [1, 2]
    assert (single["sources"][1]["source"], single["sources"][1]["uri"], single["sources"][1]["revision"]) == (
        "wikipedia_live",
        "https://en.wikipedia.example/wiki/Acid",
        "1234",
    )
    assert len(alice.get(f"{one}?concept={acid.pk}").json()["results"]) == len(KINDS)
    assert alice.get(f"{one}?review=approved").json()["results"] == []
    page = alice.get(f"{one}?limit=5").json()
    assert len(page["results"]) == 5 and len(alice.get(page["next"]).json()["results"]) == 4
    assert alice.get(f"{one}?review=perfect").status_code == 400


def test_a_question_is_edited_which_approves_it(plan: StudyPlan, alice: Client) -> None:
    etag = alice.get(address("single"))["ETag"]
    sent = {"prompt": "Which of these?", "answer": {"correct": 0}, "explanation": "So it is [2]."}
    changed = send(alice, address("single"), sent, "patch", **{"If-Match": etag}).json()
    assert changed["prompt"] == "Which of these?" and changed["options"] == [one.strip() for one in changed["options"]]
    assert (changed["review"], changed["edited"]) == ("approved", True)
    assert [source["number"] for source in changed["sources"]] == [2]
    assert send(alice, address("single"), sent, "patch", **{"If-Match": etag}).status_code == 412


@pytest.mark.parametrize(
    ("sent", "field"),
    [
        ({"answer": {"correct": 9}}, "answer"),
        ({"answer": {"correct": "\x00"}}, "answer"),
        ({"answer": {"correct": 10**400}}, "answer"),
        ({"answer": {"correct": [[[[]]]]}}, "answer"),
        ({"options": ["one"]}, "options"),
        ({"targets": ["one", "two"]}, "targets"),
        ({"explanation": "It cites nothing."}, "explanation"),
        ({"explanation": "It cites [9]."}, "explanation"),
        ({"prompt": ""}, "prompt"),
        ({"review": "perfect"}, "review"),
    ],
)
def test_a_wrong_edit_changes_nothing(plan: StudyPlan, alice: Client, sent: dict[str, Any], field: str) -> None:
    before = alice.get(address("single")).json()
    refused = send(alice, address("single"), sent, "patch")
    assert refused.status_code == 400 and any(name.startswith(field) for name in refused.json()["errors"])
    assert alice.get(address("single")).json() == before


def test_a_question_is_reviewed(plan: StudyPlan, alice: Client) -> None:
    for review in ("approved", "rejected", "unreviewed"):
        changed = send(alice, address("truth"), {"review": review}, "patch").json()
        assert (changed["review"], changed["edited"]) == (review, False)


def test_more_questions_are_queued(people: Cast, plan: StudyPlan, alice: Client) -> None:
    one = f"{PLANS}/{plan.pk}/questions"
    queued = send(alice, one)
    assert (queued.status_code, queued.json()) == (202, {"concepts": 2})
    acid = plan.concepts.get(name="Acid")
    assert send(alice, one, {"concept": str(acid.pk)}).json() == {"concepts": 1}
    other = make_plan(people.alice).concepts.all()[0]
    refused = send(alice, one, {"concept": str(other.pk)})
    assert refused.status_code == 400 and list(refused.json()["errors"]) == ["concept"]


@pytest.mark.parametrize(
    ("kind", "answer", "verdict"),
    [
        ("single", 3, "right"),
        ("single", 0, "wrong"),
        ("several", [2, 0], "right"),
        ("cloze", "acid*", "right"),
        ("truth", False, "right"),
        ("order", [1, 2, 0], "right"),
        ("match", [1, 0], "right"),
        ("match", [0, 1], "wrong"),
    ],
)
def test_an_answer_gets_a_verdict(plan: StudyPlan, alice: Client, kind: str, answer: Any, verdict: str) -> None:
    answered = send(alice, address(kind, "/attempts"), {"answer": answer})
    assert answered.status_code == 201
    body = answered.json()
    assert (body["verdict"], body["question"]) == (verdict, str(question(kind).pk))
    assert body["feedback"] and 0 <= body["share"] <= 1
    numbers = {one["number"] for one in body["citations"]}
    assert numbers and numbers <= {1, 2} and {"source", "uri", "revision", "title"} <= set(body["citations"][0])


@pytest.mark.parametrize(
    ("kind", "answer"),
    [
        *[("single", 9), ("single", None), ("single", "x"), ("several", []), ("order", [0]), ("truth", "perhaps")],
        *[("number", "much"), ("number", 10**400), ("cloze", ""), ("cloze", "\ud800"), ("short", ["x"]), ("match", {})],
    ],
)
def test_what_is_no_answer_is_refused(plan: StudyPlan, alice: Client, kind: str, answer: Any) -> None:
    refused = send(alice, address(kind, "/attempts"), {"answer": answer})
    assert refused.status_code == 400 and list(refused.json()["errors"]) == ["answer"]
    assert not Attempt.objects.exists()


def test_a_short_answer_is_rated_by_whoever_gave_it(plan: StudyPlan, alice: Client, people: Cast) -> None:
    made = send(alice, address("short", "/attempts"), {"answer": "It has a reason."}).json()
    assert (made["verdict"], made["own_rating"]) == ("unsure", "") and "Because <it> is so." in made["feedback"]
    one = f"/api/v1/attempts/{made['id']}"
    for stranger in (people.bob, people.carol, people.charlie):
        assert send(make_program(stranger), one, {"own_rating": "right"}, "patch").status_code == 404
    assert send(alice, one, {"own_rating": "unsure"}, "patch").status_code == 400
    rated = send(alice, one, {"own_rating": "right"}, "patch").json()
    assert (rated["verdict"], rated["own_rating"]) == ("unsure", "right")
    progress = alice.get(f"{PLANS}/{plan.pk}/progress").json()["concepts"][0]
    assert (progress["attempts"], progress["right"]) == (1, 1)
    refused = send(alice, one, {"own_rating": "wrong"}, "patch")
    assert refused.status_code == 400 and list(refused.json()["errors"]) == ["own_rating"]


def test_an_answer_that_is_sent_twice_counts_once(plan: StudyPlan, alice: Client) -> None:
    for _ in range(2):
        send(alice, address("single", "/attempts"), {"answer": 3}, **{"Idempotency-Key": "k"})
    assert Attempt.objects.count() == 1


@pytest.mark.parametrize("name", FORMATS)
def test_each_format_is_downloaded(plan: StudyPlan, alice: Client, name: str) -> None:
    file = alice.get(f"{PLANS}/{plan.pk}/export?format={name}", headers={"Accept": "text/plain"})
    assert file.status_code == 200 and file["Content-Type"].startswith("text/plain")
    assert file["Content-Disposition"].startswith("attachment; filename") and file.content
    assert "RateLimit" in file or file["Cache-Control"] == "private, no-store"


def test_an_unknown_format_is_a_problem(plan: StudyPlan, alice: Client) -> None:
    refused = alice.get(f"{PLANS}/{plan.pk}/export?format=pdf")
    assert refused.status_code == 400 and list(refused.json()["errors"]) == ["format"]
    assert refused["Content-Type"] == "application/problem+json"


@pytest.mark.django_db(transaction=True)
def test_the_tutor_is_asked_as_a_chatbot_is(people: Cast) -> None:
    plan = make_plan(people.alice)
    client = make_program(people.alice)
    answer = send(client, f"{PLANS}/{plan.pk}/ask", {"question": "What is erosion?"})
    assert answer.status_code == 200
    body = answer.json()
    assert body["question"] == "What is erosion?" and body["status"] == "done"
    assert {source["source"] for source in body["sources"]} == {"personal"}
    again = send(client, f"{PLANS}/{plan.pk}/ask", {"question": "And abrasion?", "chat_id": body["chat_id"]}).json()
    assert again["chat_id"] == body["chat_id"]
    streamed = send(client, f"{PLANS}/{plan.pk}/ask", {"question": "What is erosion?", "stream": True})
    assert streamed["Content-Type"].startswith("text/event-stream")
    assert client.get(f"/api/v1/chatbots/{plan.tutor_id}").status_code == 404
    finish_answers()
