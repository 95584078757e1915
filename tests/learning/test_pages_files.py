"""A plan as a file and on paper."""

from __future__ import annotations

import pytest
from django.test import Client
from django.urls import reverse

from learning.models import StudyPlan
from tests.factories import Cast
from tests.learning.plans import make_plan
from tests.learning.test_pages_questions import BY_KIND, make_question

pytestmark = pytest.mark.django_db


@pytest.fixture
def alice(client: Client, people: Cast) -> Client:
    client.force_login(people.alice.user)
    return client


def url(name: str, plan: StudyPlan) -> str:
    return reverse(f"learning:{name}", args=[plan.pk])


def test_a_plan_is_downloaded(alice: Client, people: Cast) -> None:
    plan = make_plan(people.alice)
    response = alice.get(url("export", plan), {"format": "gift"})
    assert response.status_code == 200
    assert "attachment" in response.headers["Content-Disposition"]
    assert b"Erosion" in response.content
    assert "?format=gift" in alice.get(url("plan", plan)).content.decode()


def test_an_unknown_format_is_not_found(alice: Client, people: Cast) -> None:
    assert alice.get(url("export", make_plan(people.alice)), {"format": "exe"}).status_code == 404


def test_the_worksheet_has_questions_sources_and_a_key(alice: Client, people: Cast) -> None:
    plan = make_plan(people.alice)
    for kind in BY_KIND:
        make_question(plan, kind)
    html = alice.get(url("worksheet", plan)).content.decode()
    sheet, key = html.split('class="sheet-key"')
    assert "a) Stones" in sheet
    assert "[1] Rivers, Rivers › Erosion" in sheet
    assert "It takes stones away." not in sheet
    assert "It takes stones away." in key
    only = plan.concepts.get(name="Abrasion")
    assert "Stones" not in alice.get(url("worksheet", plan), {"concept": str(only.pk)}).content.decode()


def test_an_empty_worksheet_leads_to_the_questions(alice: Client, people: Cast) -> None:
    plan = make_plan(people.alice, shows_unreviewed=False)
    assert "There are no questions to print yet" in alice.get(url("worksheet", plan)).content.decode()
