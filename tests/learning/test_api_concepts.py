"""Edits of a plan's concepts over the API."""

from __future__ import annotations

from typing import Any
from uuid import uuid4

import pytest
from django.test import Client

from learning.models import Concept, StudyPlan
from tests.factories import Cast, make_program
from tests.learning.plans import link, links, make_plan, names
from tests.learning.test_api_plans import PLANS, send

pytestmark = pytest.mark.django_db


@pytest.fixture
def alice(people: Cast) -> Client:
    return make_program(people.alice)


@pytest.fixture
def plan(people: Cast) -> StudyPlan:
    return make_plan(people.alice)


def address(concept: Concept, more: str = "") -> str:
    return f"/api/v1/concepts/{concept.pk}{more}"


def of(plan: StudyPlan, name: str) -> Concept:
    return Concept.objects.active().get(plan=plan, name=name)


def test_a_concept_is_renamed_and_defined(plan: StudyPlan, alice: Client) -> None:
    one = address(of(plan, "Erosion"))
    etag = alice.get(one)["ETag"]
    changed = send(alice, one, {"name": "River erosion"}, "patch", **{"If-Match": etag}).json()
    assert (changed["name"], changed["definition_source"], changed["edited"]) == ("River erosion", 1, True)
    assert send(alice, one, {"name": "X"}, "patch", **{"If-Match": etag}).status_code == 412
    changed = send(alice, one, {"definition": "Wearing away."}, "patch").json()
    assert (changed["name"], changed["definition"], changed["definition_source"]) == (
        "River erosion",
        "Wearing away.",
        None,
    )
    assert send(alice, one, {}, "patch").json() == changed
    taken = send(alice, one, {"name": "abrasion"}, "patch")
    assert taken.status_code == 400 and "already" in taken.json()["errors"]["name"][0]


def test_a_concept_is_added_after_another(plan: StudyPlan, alice: Client) -> None:
    after = str(of(plan, "Erosion").pk)
    made = send(alice, f"{PLANS}/{plan.pk}/concepts", {"name": "Attrition", "after": after})
    assert made.status_code == 201 and made["Location"].endswith(f"/api/v1/concepts/{made.json()['id']}")
    assert names(plan) == ["Erosion", "Attrition", "Abrasion", "Deposition"]
    for sent, field in (({"name": "Attrition"}, "name"), ({"name": "New", "after": str(uuid4())}, "after")):
        refused = send(alice, f"{PLANS}/{plan.pk}/concepts", sent)
        assert refused.status_code == 400 and list(refused.json()["errors"]) == [field]


def test_a_concept_is_removed_and_brought_back(plan: StudyPlan, alice: Client) -> None:
    one = address(of(plan, "Erosion"))
    assert alice.delete(one).status_code == 204
    assert alice.get(one).status_code == 404 and "Erosion" not in names(plan)
    assert alice.get(f"{PLANS}/{plan.pk}").json()["last_edit"] == "Remove “Erosion”"
    assert send(alice, f"{PLANS}/{plan.pk}/undo").json() == {"undone": "Remove “Erosion”"}
    assert alice.get(one).status_code == 200
    nothing = send(alice, f"{PLANS}/{plan.pk}/undo")
    assert nothing.status_code == 422 and "nothing to undo" in nothing.json()["detail"]


def test_prerequisites_are_set_exactly(plan: StudyPlan, alice: Client) -> None:
    erosion, abrasion, deposition = (of(plan, name) for name in ("Erosion", "Abrasion", "Deposition"))
    link(deposition, erosion)
    one = address(deposition, "/prerequisites")
    assert alice.get(one).json() == {"prerequisites": [str(erosion.pk)]}
    assert send(alice, one, {"prerequisites": [str(abrasion.pk)]}, "put").json() == {
        "prerequisites": [str(abrasion.pk)]
    }
    assert links(plan) == {("Deposition", "Abrasion")}
    assert send(alice, one, {"prerequisites": []}, "put").json() == {"prerequisites": []}


@pytest.mark.parametrize("wanted", ["circle", "itself", "nowhere", "another plan"])
def test_wrong_prerequisites_change_nothing(people: Cast, plan: StudyPlan, alice: Client, wanted: str) -> None:
    erosion, abrasion, deposition = (of(plan, name) for name in ("Erosion", "Abrasion", "Deposition"))
    link(deposition, erosion)
    other = make_plan(people.alice)
    key = {
        "circle": deposition.pk,
        "itself": erosion.pk,
        "nowhere": uuid4(),
        "another plan": of(other, "Erosion").pk,
    }[wanted]
    sent = {"prerequisites": [str(abrasion.pk), str(key)]}
    refused = send(alice, address(erosion, "/prerequisites"), sent, "put")
    assert refused.status_code == 400 and list(refused.json()["errors"]) == ["prerequisites"]
    assert links(plan) == {("Deposition", "Erosion")}


def test_all_unknown_prerequisites_are_named(plan: StudyPlan, alice: Client) -> None:
    abrasion, *unknown = str(of(plan, "Abrasion").pk), str(uuid4()), str(uuid4())
    sent = {"prerequisites": [unknown[0], abrasion, unknown[1], unknown[0]]}
    refused = send(alice, address(of(plan, "Erosion"), "/prerequisites"), sent, "put")
    assert refused.json()["errors"]["prerequisites"] == [f"The plan has no concept {key}." for key in unknown]


def test_concepts_are_merged(plan: StudyPlan, alice: Client) -> None:
    erosion, abrasion = of(plan, "Erosion"), of(plan, "Abrasion")
    merged = send(alice, address(abrasion, "/merge"), {"into": str(erosion.pk)}).json()
    assert merged["id"] == str(erosion.pk) and merged["synonyms"] == ["Abrasion"] and len(merged["sources"]) == 2
    assert alice.get(address(abrasion)).status_code == 404
    refused = send(alice, address(erosion, "/merge"), {"into": str(erosion.pk)})
    assert refused.status_code == 400 and list(refused.json()["errors"]) == ["into"]


def test_a_concept_is_split(plan: StudyPlan, alice: Client) -> None:
    made = send(alice, address(of(plan, "Erosion"), "/split"), {"name": "Attrition", "sources": [1]})
    body: dict[str, Any] = made.json()
    assert made.status_code == 201 and body["prerequisites"] == [str(of(plan, "Erosion").pk)]
    assert [source["number"] for source in body["sources"]] == [1]
