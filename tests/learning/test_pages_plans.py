"""Pages of study plans: the list, a new one, how far it is, the graph, settings and deletion."""

from __future__ import annotations

import re
from datetime import timedelta
from typing import Any

import pytest
from django.apps import apps
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse
from django.utils import timezone

from chatbots.models import Chatbot
from learning.models import StudyPlan
from schools.models import User
from tests.factories import Cast, make_chatbot, personal_document, school_document
from tests.learning.plans import RIVERS, add_questions, link, make_plan
from tests.scripted import ScriptedLLM

pytestmark = pytest.mark.django_db


def url(name: str, plan: StudyPlan) -> str:
    return reverse(f"learning:{name}", args=[plan.pk])


def get_html(client: Client, address: str, status: int = 200) -> str:
    response = client.get(address)
    assert response.status_code == status
    return response.content.decode()


@pytest.fixture
def alice(client: Client, people: Cast) -> Client:
    client.force_login(people.alice.user)
    return client


def test_an_empty_list_leads_on(alice: Client) -> None:
    html = get_html(alice, "/plans/")
    assert "No study plan yet" in html
    assert f'href="{reverse("learning:create")}"' in html
    assert '<a href="/plans/" aria-current="page">Study plans</a>' in html


def test_the_list_takes_as_many_statements_for_many_plans_as_for_one(alice: Client, people: Cast) -> None:
    taken = []
    get_html(alice, "/plans/")  # makes a row for her
    for number in (1, 5):
        for one in range(number):
            make_plan(people.alice, title=f"Rivers {number} {one}")
        with CaptureQueriesContext(connection) as captured:
            get_html(alice, "/plans/")
        taken.append(len(captured))
    assert taken[0] == taken[1]


def test_the_list_names_concepts_and_progress(alice: Client, people: Cast) -> None:
    make_plan(people.alice, title="Rivers")
    make_plan(people.alice, title="Waiting", status="queued")
    make_plan(people.bob, title="Not hers")
    html = get_html(alice, "/plans/")
    assert "0 of 3 known" in html
    assert "Waiting to be made" in html
    assert "Not hers" not in html


def test_the_form_offers_what_the_person_may_read(alice: Client, people: Cast) -> None:
    personal_document(people.alice, RIVERS, "rivers.md")
    personal_document(people.bob, RIVERS, "secret.md")
    school_document(people.carol, subject="Geography")
    make_chatbot(people.alice, name="River chatbot")
    html = get_html(alice, reverse("learning:create"))
    assert "rivers" in html
    assert "secret" not in html
    assert "Geography" in html
    assert "River chatbot" in html


def test_a_plan_is_made_from_documents(alice: Client, people: Cast) -> None:
    document = personal_document(people.alice, RIVERS, "rivers.md")
    data: dict[str, Any] = {"title": "Rivers", "topic": "Erosion", "language": "en"}
    data["documents_personal"] = [document.pk]
    data |= {"most_concepts": 12, "session_minutes": 5, "tutor_style": "answers"}
    response = alice.post(reverse("learning:create"), data)
    plan = StudyPlan.objects.get()
    assert response.headers["Location"] == url("plan", plan)
    assert (plan.status, plan.most_concepts, plan.tutor_style) == ("queued", 12, "answers")
    assert not plan.shows_unreviewed


def test_what_is_wrong_is_said_and_what_was_typed_stays(alice: Client, people: Cast) -> None:
    data = {"title": "Rivers", "topic": "Erosion", "language": "en", "most_concepts": 12, "session_minutes": 5}
    response = alice.post(reverse("learning:create"), data | {"tutor_style": "hints"})
    html = response.content.decode()
    assert response.status_code == 422
    assert "Choose at least one document" in html
    assert 'value="Erosion"' in html
    assert not StudyPlan.objects.exists()
    assert not Chatbot.objects.exists()


def test_another_persons_documents_are_refused(alice: Client, people: Cast) -> None:
    document = personal_document(people.bob, RIVERS, "rivers.md")
    data = {"title": "Rivers", "language": "en", "documents_personal": [document.pk], "most_concepts": 12}
    response = alice.post(reverse("learning:create"), data | {"session_minutes": 5, "tutor_style": "hints"})
    assert response.status_code == 422
    assert not StudyPlan.objects.exists()


def test_a_plan_that_is_being_made_shows_its_stage_and_can_be_stopped(alice: Client, people: Cast) -> None:
    plan = make_plan(people.alice, status="working", stage="sources", progress_done=2, progress_total=9)
    html = get_html(alice, url("plan", plan))
    assert "Fetching sources for each concept: 2 of 9<" in html, "without a time as long as no pace is known"
    StudyPlan.objects.filter(pk=plan.pk).update(progress_since=timezone.now() - timedelta(minutes=2))
    assert "2 of 9, about 7 minutes left for this step" in get_html(alice, url("plan", plan))
    assert f'hx-get="{url("status", plan)}"' in html
    assert "3 concepts so far" in html
    fragment = alice.get(url("status", plan), headers={"HX-Request": "true"})
    assert "<html" not in fragment.content.decode()
    assert "Fetching sources" in fragment.content.decode()
    alice.post(url("stop", plan))
    plan.refresh_from_db()
    assert plan.status == "stopped"
    assert "Go on" in get_html(alice, url("plan", plan))
    alice.post(url("resume", plan))
    plan.refresh_from_db()
    assert plan.status == "queued"


def test_a_finished_plan_has_the_page_load_again(alice: Client, people: Cast) -> None:
    plan = make_plan(people.alice)
    response = alice.get(url("status", plan), headers={"HX-Request": "true"})
    assert response.headers["HX-Refresh"] == "true"
    assert alice.get(url("status", plan)).headers["Location"] == url("plan", plan)


def test_a_failed_plan_says_why_and_can_be_tried_again(alice: Client, people: Cast) -> None:
    plan = make_plan(people.alice, status="failed", failure="None of the documents can be read.")
    html = get_html(alice, url("plan", plan))
    assert "None of the documents can be read." in html
    assert "Try again" in html


def test_the_graph_is_a_picture_and_a_list_that_says_the_same(alice: Client, people: Cast) -> None:
    plan = make_plan(people.alice)
    erosion, abrasion, deposition = plan.concepts.order_by("position")
    link(abrasion, erosion)
    link(deposition, abrasion)
    link(deposition, erosion)
    html = get_html(alice, url("plan", plan))
    assert f'aria-label="{deposition.name}, new, after {erosion.name}, {abrasion.name}"' in html
    assert html.count('class="line"') == 2  # the third follows from them
    assert "After Erosion, Abrasion" in html
    listed = re.findall(r'<li class="depth-(\d) state-new">', html)
    assert listed == ["0", "1", "2"]
    for concept in (erosion, abrasion, deposition):
        assert html.count(f'href="/plans/concepts/{concept.pk}/"') >= 2


def test_names_are_escaped_in_the_picture(alice: Client, people: Cast) -> None:
    plan = make_plan(people.alice, "<script>alert(1)</script>")
    assert "<script>alert" not in get_html(alice, url("plan", plan))


def test_changed_documents_can_be_brought_up_to_date(alice: Client, people: Cast) -> None:
    plan = make_plan(people.alice)  # its documents are not there
    assert "3 concepts are out of date" in get_html(alice, url("plan", plan))
    alice.post(url("refresh", plan))
    plan.refresh_from_db()
    assert plan.status == "queued"


def test_settings_are_saved_or_refused(alice: Client, people: Cast) -> None:
    plan = make_plan(people.alice)
    data = {"title": "Streams", "most_concepts": 20, "session_minutes": 15, "tutor_style": "answers"}
    assert alice.post(url("settings", plan), data).status_code == 302
    plan.refresh_from_db()
    assert (plan.title, plan.session_minutes, plan.tutor_style) == ("Streams", 15, "answers")
    response = alice.post(url("settings", plan), data | {"session_minutes": 999, "title": "Kept"})
    assert response.status_code == 422
    assert "Kept" in response.content.decode()


def test_a_plan_is_deleted_after_a_question(alice: Client, people: Cast) -> None:
    plan = make_plan(people.alice)
    assert "This cannot be undone" in get_html(alice, url("delete", plan))
    assert StudyPlan.objects.exists()
    alice.post(url("delete", plan))
    assert not StudyPlan.objects.exists()


def test_the_tutor_is_a_chat(alice: Client, people: Cast) -> None:
    plan = make_plan(people.alice)
    address = alice.get(url("tutor", plan)).headers["Location"]
    assert address == reverse("chatbots:new-chat", args=[plan.tutor_id])
    assert alice.get(address).status_code == 200


@pytest.mark.parametrize("who", ["bob", "carol", "charlie", "chloe"])
def test_a_plan_is_its_owners(client: Client, people: Cast, who: str) -> None:
    plan = make_plan(people.alice)
    client.force_login(getattr(people, who).user)
    for name in ("plan", "status", "settings", "delete", "questions", "learn", "worksheet", "export"):
        assert client.get(url(name, plan)).status_code == 404
    for name in ("stop", "resume", "refresh", "undo", "delete", "review"):
        assert client.post(url(name, plan)).status_code == 404
    assert StudyPlan.objects.exists()


def test_operators_find_all_rows_of_a_plan(people: Cast) -> None:
    plan = make_plan(people.alice, "Acid", "Base", title="Chemistry")
    add_questions(plan, 1)
    link(*plan.concepts.order_by("-position"))
    operator = Client()
    operator.force_login(User.objects.create_superuser("operator@lectern.example", name="Operator"))
    for name, words in {"studyplan": people.alice.user.email, "concept": "Chem", "question": "river"}.items():
        shown = operator.get(reverse(f"admin:learning_{name}_changelist"), {"q": words})
        assert shown.status_code == 200 and shown.context["cl"].result_count, name
    for model in apps.get_app_config("learning").get_models():
        shown = operator.get(reverse(f"admin:learning_{model._meta.model_name}_changelist"), {"q": "nothing like it"})
        assert shown.status_code == 200 and not shown.context["cl"].result_count, model


def test_the_form_says_what_a_language_model_costs_before_it_is_asked(alice: Client, model: type[ScriptedLLM]) -> None:
    assert f"“{model.name}” is asked at most 90 times" in get_html(alice, reverse("learning:create"))
    assert not model.history


def test_without_a_language_model_the_form_names_no_cost(alice: Client) -> None:
    assert "is asked at most" not in get_html(alice, reverse("learning:create"))
