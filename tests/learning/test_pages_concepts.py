"""The page of a concept: its sources, the edits of the graph, and what they say when they are refused."""

from __future__ import annotations

from uuid import uuid4

import pytest
from django.test import Client
from django.urls import reverse

from learning.models import Concept, StudyPlan
from tests.factories import Cast, personal_document
from tests.learning.plans import RIVERS, add, link, links, make_plan, names

pytestmark = pytest.mark.django_db


@pytest.fixture
def alice(client: Client, people: Cast) -> Client:
    client.force_login(people.alice.user)
    return client


@pytest.fixture
def plan(people: Cast) -> StudyPlan:
    return make_plan(people.alice)


def concept(plan: StudyPlan, name: str) -> Concept:
    return plan.concepts.get(name=name, removed_at=None)


def url(name: str, row: Concept | StudyPlan) -> str:
    return reverse(f"learning:{name}", args=[row.pk])


def test_the_definition_cites_its_source(alice: Client, plan: StudyPlan) -> None:
    erosion = concept(plan, "Erosion")
    source = erosion.sources.get()
    html = alice.get(url("concept", erosion)).content.decode()
    assert "Erosion is what a river does." in html
    assert f'href="#note-{source.pk}"' in html
    assert f'id="note-{source.pk}"' in html
    assert f'href="/plans/sources/{source.pk}/#passage"' in html


def test_neighbours_are_links(alice: Client, plan: StudyPlan) -> None:
    link(concept(plan, "Abrasion"), concept(plan, "Erosion"))
    link(concept(plan, "Deposition"), concept(plan, "Abrasion"))
    html = alice.get(url("concept", concept(plan, "Abrasion"))).content.decode()
    first, needed = html.index("Learn first"), html.index("Needed for")
    assert first < html.index(f'href="{url("concept", concept(plan, "Erosion"))}"', first) < needed
    assert html.index(f'href="{url("concept", concept(plan, "Deposition"))}"', needed)


def test_renaming_can_be_undone_from_the_message(alice: Client, plan: StudyPlan) -> None:
    erosion = concept(plan, "Erosion")
    data = {"name": "Wearing away", "definition": "My own words."}
    html = alice.post(url("edit-concept", erosion), data, follow=True).content.decode()
    assert "My own words." in html
    assert "In the words of the teacher" in html
    assert f'action="{url("undo", plan)}"' in html
    alice.post(url("undo", plan))
    assert names(plan) == ["Erosion", "Abrasion", "Deposition"]


def test_a_name_that_is_taken_is_refused_and_stays_in_the_form(alice: Client, plan: StudyPlan) -> None:
    response = alice.post(url("edit-concept", concept(plan, "Erosion")), {"name": "abrasion", "definition": "Typed."})
    html = response.content.decode()
    assert response.status_code == 422
    assert "The plan has a concept with this name already." in html
    assert "Typed." in html
    assert "<details open><summary>Name and definition" in html


def test_a_circle_is_refused_in_words(alice: Client, plan: StudyPlan) -> None:
    erosion, abrasion = concept(plan, "Erosion"), concept(plan, "Abrasion")
    alice.post(url("add-prerequisite", abrasion), {"other": erosion.pk})
    assert links(plan) == {("Abrasion", "Erosion")}
    again = alice.post(url("add-prerequisite", abrasion), {"other": erosion.pk})
    assert again.status_code == 422 and "This concept cannot be chosen any more." in again.content.decode()
    assert plan.edits.count() == 1
    response = alice.post(url("add-prerequisite", erosion), {"other": abrasion.pk})
    assert response.status_code == 422
    assert "That would make a circle" in response.content.decode()
    assert links(plan) == {("Abrasion", "Erosion")}
    alice.post(url("remove-prerequisite", abrasion), {"other": erosion.pk})
    assert links(plan) == set()


def test_concepts_are_added_merged_split_and_removed(alice: Client, plan: StudyPlan) -> None:
    alice.post(url("add-concept", plan), {"name": "Delta", "definition": "A plain."})
    assert names(plan)[-1] == "Delta"
    alice.post(url("merge-concept", concept(plan, "Abrasion")), {"other": concept(plan, "Erosion").pk})
    assert concept(plan, "Erosion").synonyms == ["Abrasion"]
    alice.post(url("split-concept", concept(plan, "Erosion")), {"name": "Bank", "sources": ["1"]})
    assert concept(plan, "Bank").sources.count() == 1
    alice.post(url("remove-concept", concept(plan, "Deposition")))
    assert "Deposition" not in names(plan)
    for _ in range(4):
        alice.post(url("undo", plan))
    assert names(plan) == ["Erosion", "Abrasion", "Deposition"]
    html = alice.post(url("undo", plan), follow=True).content.decode()
    assert "There is nothing to undo." in html


def test_a_concept_of_another_plan_cannot_be_chosen(alice: Client, people: Cast, plan: StudyPlan) -> None:
    other = add(make_plan(people.alice, "Acid"), "Base")
    response = alice.post(url("merge-concept", concept(plan, "Erosion")), {"other": other.pk})
    assert response.status_code == 422
    assert "This concept cannot be chosen any more." in response.content.decode()
    assert alice.post(url("remove-prerequisite", concept(plan, "Erosion")), {"other": other.pk}).status_code == 404


def test_a_source_opens_at_its_passage(alice: Client, people: Cast, plan: StudyPlan) -> None:
    document = personal_document(people.alice, RIVERS, "rivers.md")
    source = concept(plan, "Erosion").sources.get()
    source.document_id, source.document_title = document.pk, "rivers"
    source.excerpt = "Abrasion is erosion by stones that the river drags along its bed."
    source.save()
    html = alice.get(source.get_absolute_url()).content.decode()
    assert 'id="passage"' in html
    assert "Source 1 of the concept" in html
    assert "Open the document" in html


def test_a_source_whose_document_is_gone_shows_what_the_plan_used(alice: Client, plan: StudyPlan) -> None:
    html = alice.get(concept(plan, "Erosion").sources.get().get_absolute_url()).content.decode()
    assert "Below is the section as the study plan used it" in html
    assert "It can be seen on every bank." in html


@pytest.mark.parametrize("who", ["bob", "carol", "charlie"])
def test_concepts_and_sources_are_their_owners(client: Client, people: Cast, plan: StudyPlan, who: str) -> None:
    client.force_login(getattr(people, who).user)
    erosion = concept(plan, "Erosion")
    assert client.get(url("concept", erosion)).status_code == 404
    assert client.get(erosion.sources.get().get_absolute_url()).status_code == 404
    for name in ("edit-concept", "remove-concept", "merge-concept", "split-concept", "more-questions"):
        assert client.post(url(name, erosion), {"name": "X"}).status_code == 404
    assert names(plan) == ["Erosion", "Abrasion", "Deposition"]


@pytest.mark.parametrize("who", ["alice", "bob", "carol", "charlie", None])
def test_reading_changes_nothing(client: Client, people: Cast, who: str | None) -> None:
    if who:
        client.force_login(getattr(people, who).user)
    actions = [
        *("stop", "resume", "refresh", "undo", "review"),
        *("remove-concept", "merge-concept", "split-concept", "add-prerequisite", "remove-prerequisite"),
        *("more-questions", "reject-question", "restore-question", "answer", "rate", "end-session"),
    ]
    answers = {name: client.get(reverse(f"learning:{name}", args=[uuid4()])).status_code for name in actions}
    assert answers == dict.fromkeys(actions, 405)


def test_many_sources_are_folded_but_that_of_the_definition(alice: Client, plan: StudyPlan) -> None:
    erosion = concept(plan, "Erosion")
    source = erosion.sources.get()
    for number in range(2, 7):
        source.pk, source.number, source._state.adding = uuid4(), number, True
        source.save()
    Concept.objects.filter(pk=erosion.pk).update(definition_source=6)
    page = alice.get(url("concept", erosion))
    assert [one.number for one in page.context["sources"]] == [6, 1, 2, 3, 4, 5]
    assert "3 more sources" in page.content.decode()
