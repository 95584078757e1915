"""Terms that are offered where an author marked few: which, and how a teacher adds one."""

from __future__ import annotations

from typing import Any

import pytest
from django.test import Client
from django.urls import reverse

from engines.embedding import get_embedder
from learning.concepts.suggest_terms import MAX_SUGGESTED, suggest_terms
from learning.models import PlanStatus, StudyPlan
from learning.planning.making import make_next_plan
from learning.planning.services import create_plan
from tests.factories import Cast, personal_document
from tests.learning.passages import passage
from tests.learning.plans import RIVERS

PLAGUE = """# England in 1348

The plague came with trade. Ships carried rats, and the rats carried fleas. When a rat died its fleas looked for another
warm body. Educated physicians blamed miasma, and they lit fires against miasma.

In 1351 the landlords passed the Statute of Labourers. The Statute of Labourers was widely ignored, since a lord who
kept to it lost his harvest. Villeins walked away by night, and nobody could keep the villeins at the manor.
"""
TEXTS = {
    "en": (PLAGUE, "Statute of Labourers"),
    "de": (
        "Die Pflanze braucht Kohlenstoffdioxid. Durch die Spaltöffnungen gelangt Kohlenstoffdioxid ins Blatt. Nachts "
        "sind die Spaltöffnungen schnell geschlossen. Im Blatt entsteht dann Traubenzucker.",
        "Kohlenstoffdioxid",
    ),
    "fr": (
        "On fait monter le magma jusqu'à la chambre magmatique. Dans la chambre magmatique, le gaz reste dissous. "
        "Quand la chambre magmatique se vide, le sol descend.",
        "chambre magmatique",
    ),
    "es": (
        "Cuando hacemos deporte sube la frecuencia cardíaca. En reposo baja la frecuencia cardíaca. Con los años "
        "cambia también la frecuencia cardíaca de cada uno.",
        "frecuencia cardíaca",
    ),
}


@pytest.mark.parametrize("language", TEXTS)
@pytest.mark.parametrize("embeds", [True, False])
def test_what_a_text_speaks_of_is_suggested(language: str, embeds: bool) -> None:
    text, term = TEXTS[language]
    embedder = get_embedder() if embeds else None
    found = suggest_terms([passage(text)], known=[], language=language, embedder=embedder)
    assert term in found and len(found) <= MAX_SUGGESTED
    assert not any(one != other and f" {one} " in f" {other} " for one in found for other in found)
    assert term not in suggest_terms([passage(text)], known=[term], language=language, embedder=embedder)


def test_nothing_is_suggested_of_nothing() -> None:
    assert suggest_terms([], known=[], language="en", embedder=get_embedder()) == []
    assert suggest_terms([passage("It was so.")], known=[], language="en", embedder=get_embedder()) == []


def make(people: Cast, text: str) -> StudyPlan:
    document = personal_document(people.alice, text, "text.md")
    create_plan(member=people.alice, title="Plan", documents=[document.pk])
    make_next_plan()
    return StudyPlan.objects.get()


@pytest.mark.django_db
def test_a_suggested_term_is_added_with_one_click(client: Client, people: Cast) -> None:
    plan = make(people, PLAGUE)
    assert plan.status == PlanStatus.FAILED or plan.concepts.exists()
    client.force_login(people.alice.user)
    page = reverse("learning:plan", args=[plan.pk])
    assert 'name="name" value="Statute of Labourers"' in client.get(page).content.decode()
    added = client.post(
        reverse("learning:add-concept", args=[plan.pk]), {"name": "Statute of Labourers", "suggested": "1"}
    )
    assert added.status_code == 302 and added["Location"] == page
    assert 'name="name" value="Statute of Labourers"' not in client.get(page).content.decode()
    make_next_plan()
    plan.refresh_from_db()
    concept = plan.concepts.get(name="Statute of Labourers")
    assert plan.status == PlanStatus.READY and "was widely ignored" in concept.definition
    assert concept.sources.exists() and concept.questions_at
    client.post(reverse("learning:undo", args=[plan.pk]))
    assert 'name="name" value="Statute of Labourers"' in client.get(page).content.decode()


@pytest.mark.django_db
def test_the_api_has_the_suggestions_and_nobody_else_sees_them(client: Client, people: Cast) -> None:
    plan = make(people, PLAGUE)
    address = reverse("api:plan", args=[plan.pk])
    client.force_login(people.alice.user)
    assert "Statute of Labourers" in client.get(address).json()["suggestions"]
    for other in (people.bob, people.charlie):
        client.force_login(other.user)
        assert client.get(address).status_code == 404
        assert client.get(reverse("learning:plan", args=[plan.pk])).status_code == 404


@pytest.mark.django_db
def test_a_text_with_marked_terms_gets_no_suggestions(people: Cast) -> None:
    names = ("Erosion", "Abrasion", "Attrition", "Load", "Traction", "Saltation", "Deposition", "A meander")
    text = RIVERS
    for name in names:
        text = text.replace(f"\n{name} is", f"\n**{name}** is")
    plan = make(people, text)
    assert plan.concepts.count() >= 8 and plan.suggested == []


@pytest.mark.django_db
@pytest.mark.parametrize(("is_set", "is_shown"), [(None, False), (True, True)])
def test_without_a_model_pupils_get_what_somebody_has_reviewed(
    people: Cast, is_set: bool | None, is_shown: bool
) -> None:
    document = personal_document(people.alice, RIVERS, "rivers.md")
    chosen: dict[str, Any] = {} if is_set is None else {"shows_unreviewed": is_set}
    plan = create_plan(member=people.alice, title="Plan", documents=[document.pk], **chosen)
    make_next_plan()
    assert StudyPlan.objects.offered().filter(pk=plan.pk).exists() == is_shown
