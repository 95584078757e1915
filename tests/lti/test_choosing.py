"""A teacher chooses what an activity opens: by deep linking, and at its first launch."""

from __future__ import annotations

import html
import re
from datetime import timedelta
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from classrooms.links import allow_links
from classrooms.models import ClassLink
from learning.models import StudyPlan
from lti.models import Platform, ResourceLink, TeacherIdentity
from schools.models import AuditEntry, Membership
from tests.classrooms.classes import open_class
from tests.factories import Cast, make_chatbot, signed_in
from tests.learning.plans import add_questions, make_plan
from tests.lti.simulator import DEEP_LINKING, GRADES, LTI, TEACHER, Simulator, begin, go, make_platform, words

pytestmark = pytest.mark.django_db


@pytest.fixture
def teacher(sim: Simulator, connected: TeacherIdentity) -> Client:
    """Alice’s browser."""
    return Client()


def form_for(client: Client, sim: Simulator) -> str:
    """The address of the page on which one chooses, after a launch."""
    response = go(client, sim)
    while response.status_code in (302, 303):
        where = response.headers["Location"]
        response = client.get(where)
    assert "What does the activity open?" in words(response), words(response)
    return str(where)


@pytest.fixture
def plan(plan: StudyPlan) -> StudyPlan:
    add_questions(plan)
    return plan


def new_class(plan: StudyPlan, **fields: Any) -> dict[str, Any]:
    return {
        "chatbot": plan.tutor_id,
        "class_link": "",
        "name": "9b",
        "ends_on": str(timezone.localdate() + timedelta(days=30)),
        **fields,
    }


def test_deep_linking(sim: Simulator, teacher: Client, plan: StudyPlan, platform: Platform) -> None:
    """From the platform to a choice, back, and the activity that came of it opens the class for a pupil."""
    sim.chooses()
    where = form_for(teacher, sim)
    page = words(teacher.get(where))
    assert 'value="Geography 9b"' in page and "study plan: its tutor and practice" in page
    response = teacher.post(where, new_class(plan, sends_grades="on"))
    policy = response.headers["Content-Security-Policy"]
    assert f"form-action {sim.url};" in policy + ";" and "frame-ancestors 'none'" in policy
    text = response.content.decode()
    assert f'action="{sim.url}/return?course=2" data-send' in text
    found = re.search(r'name="JWT" value="([^"]+)"', text)
    assert found
    claims = sim.take(html.unescape(found[1]))
    assert (claims["iss"], claims["aud"]) == ("lectern-at-moodle", [sim.url])
    assert claims[f"{LTI}message_type"] == "LtiDeepLinkingResponse" and claims[f"{LTI}version"] == "1.3.0"
    assert claims[f"{LTI}deployment_id"] == "3" and claims[f"{DEEP_LINKING}data"] == "of this very dialog"
    link = ResourceLink.objects.get()
    (item,) = claims[f"{DEEP_LINKING}content_items"]
    assert item["type"] == "ltiResourceLink" and item["custom"] == {"lectern_link": str(link.pk)}
    assert item["url"] == f"http://testserver{sim.routes['launch']}" and item["lineItem"]["scoreMaximum"] == 100
    assert (link.class_link.name, link.class_link.owner, link.sends_grades) == ("9b", get_teacher(link), True)
    entry = AuditEntry.objects.get(action="lti.linked")
    assert entry.subject_label == "9b" and entry.detail == {"platform": "Moodle", "grades": "sent"}
    sim.opens("7", link=link.pk)
    assert go(Client(), sim).headers["Location"] == reverse(
        "classrooms:practise", args=[link.class_link.code, plan.tutor_id]
    )
    assert teacher.post(where, new_class(plan)).status_code == 302 and ResourceLink.objects.count() == 1


def test_a_plan_with_few_questions_is_no_activity(sim: Simulator, teacher: Client, plan: StudyPlan) -> None:
    sim.chooses()
    where = form_for(teacher, sim)
    StudyPlan.objects.update(shows_unreviewed=False)
    assert f'value="{plan.tutor_id}"' not in words(teacher.get(where))
    assert teacher.post(where, new_class(plan, sends_grades="on")).status_code == 422
    assert not ResourceLink.objects.exists()


def get_teacher(link: ResourceLink) -> Any:
    return TeacherIdentity.objects.get(provider=link.platform).user


def test_a_class_that_is_there(sim: Simulator, teacher: Client, class_link: ClassLink, people: Cast) -> None:
    """The chatbot is opened to it, those that were open stay."""
    chatbot = make_chatbot(people.alice, name="Rivers helper")
    sim.chooses()
    assert "A new class" in words(teacher.get(form_for(teacher, sim)))
    data = {"chatbot": chatbot.pk, "class_link": class_link.pk, "name": "", "ends_on": ""}
    assert teacher.post(form_for(teacher, sim), data).status_code == 200
    link = ResourceLink.objects.get()
    assert link.class_link == class_link and ClassLink.objects.count() == 1 and not link.sends_grades
    assert set(class_link.chatbots.all()) == {chatbot, *[one for one in class_link.chatbots.all() if one.is_tutor]}
    assert class_link.chatbots.count() == 2


@pytest.mark.parametrize(
    ("changes", "told"),
    [
        ({"chatbot": ""}, "Choose a chatbot or a study plan."),
        ({"name": ""}, "Give the new class a name."),
        ({"ends_on": ""}, "Choose the last day"),
        ({"ends_on": "2001-01-01"}, "This day is over"),
        ({"ends_on": "tomorrow"}, "Enter a valid date"),
        ({"chatbot": "helper", "sends_grades": "on"}, "Only practice with a study plan has grades"),
        ({"chatbot": "of bob"}, "not one of the available"),
        ({"class_link": "of bob"}, "not one of the available"),
        ({"class_link": "over"}, "not one of the available"),
    ],
)
def test_a_choice_that_is_not_taken(
    sim: Simulator, teacher: Client, plan: StudyPlan, people: Cast, changes: dict[str, Any], told: str
) -> None:
    bobs = make_chatbot(people.bob)
    over = open_class(people.alice, make_chatbot(people.alice), closed_at=timezone.now())
    known = {
        ("chatbot", "helper"): make_chatbot(people.alice).pk,
        ("chatbot", "of bob"): bobs.pk,
        ("class_link", "of bob"): open_class(people.bob, bobs).pk,
        ("class_link", "over"): over.pk,
    }
    changes = {name: known.get((name, value), value) for name, value in changes.items()}
    sim.chooses()
    where = form_for(teacher, sim)
    response = teacher.post(where, new_class(plan) | {"name": "Kept name"} | changes)
    assert response.status_code == 422 and told in words(response)
    assert changes.get("name") == "" or "Kept name" in words(response)
    assert not ResourceLink.objects.exists() and ClassLink.objects.count() == 2


def test_where_the_school_allows_no_classes(sim: Simulator, teacher: Client, plan: StudyPlan, people: Cast) -> None:
    allow_links(people.alice.school, allowed=False)
    sim.chooses()
    response = teacher.post(form_for(teacher, sim), new_class(plan))
    assert response.status_code == 422 and "switched class links off" in words(response)


def test_a_platform_that_takes_no_grades(sim: Simulator, teacher: Client, plan: StudyPlan) -> None:
    sim.chooses(accept_lineitem=False)
    where = form_for(teacher, sim)
    assert "Send grades" not in words(teacher.get(where))
    teacher.post(where, new_class(plan, sends_grades="on"))
    assert not ResourceLink.objects.get().sends_grades


def test_a_teacher_without_chatbots(sim: Simulator, teacher: Client) -> None:
    sim.chooses()
    assert "You have no chatbot yet" in words(teacher.get(form_for(teacher, sim)))


def test_an_activity_that_opens_nothing_yet(
    sim: Simulator, teacher: Client, plan: StudyPlan, platform: Platform, people: Cast
) -> None:
    """The teacher chooses at the first launch; from then on it is known by where it stands."""
    sim.opens("11", TEACHER, resource="77")
    where = form_for(teacher, sim)
    assert 'value="Rivers"' in words(teacher.get(where))
    response = teacher.post(where, new_class(plan, sends_grades="on"))
    link = ResourceLink.objects.get()
    assert response.headers["Location"] == reverse("classrooms:desk", args=[link.class_link_id])
    assert (link.deployment_id, link.resource_id, link.sends_grades) == ("3", "77", True)
    again = teacher.get(go(teacher, sim).headers["Location"])
    assert again.headers["Location"] == response.headers["Location"]
    sim.opens("7", resource="77")
    assert go(Client(), sim).status_code == 302
    sim.opens("11", TEACHER, resource="78", **{GRADES: None})
    assert "Send grades" not in words(teacher.get(form_for(teacher, sim)))


def test_what_a_colleague_has_chosen_meanwhile(
    sim: Simulator, teacher: Client, plan: StudyPlan, platform: Platform, people: Cast
) -> None:
    sim.opens("11", TEACHER, resource="77")
    where = form_for(teacher, sim)
    theirs = make_plan(people.bob, "Acid")
    ResourceLink.objects.create(
        school=platform.school,
        platform=platform,
        class_link=open_class(people.bob, theirs.tutor),
        chatbot=theirs.tutor,
        deployment_id="3",
        resource_id="77",
    )
    response = teacher.post(where, new_class(plan), follow=True)
    assert "a colleague’s class" in words(response) and ResourceLink.objects.count() == 1


def test_in_moodles_dialog(sim: Simulator, teacher: Client, plan: StudyPlan, platform: Platform) -> None:
    """Which is a frame: one chooses in a window, and the frame takes it over."""
    sim.chooses()
    dialog = Client().post(sim.routes["login"], sim.start(), headers={"Sec-Fetch-Dest": "iframe"})
    text = words(dialog)
    assert "Take over what I chose" in text
    secret = text.partition('name="frame" value="')[2].partition('"')[0]
    frame = f"{reverse('lti:frame', args=[platform.pk])}?frame={secret}"
    waiting = Client().get(frame)
    assert "Nothing is chosen yet" in words(waiting)
    assert f"frame-ancestors {sim.url}" in waiting.headers["Content-Security-Policy"]
    response = begin(teacher, sim, frame=secret)
    proved = Client().post(sim.routes["launch"], sim.authorise(response.headers["Location"]))
    where = teacher.get(teacher.get(proved.headers["Location"]).headers["Location"]).headers["Location"]
    done = teacher.post(where, new_class(plan))
    assert "Chosen" in words(done) and "JWT" not in done.content.decode()
    assert "form-action 'self'" in done.headers["Content-Security-Policy"]
    assert "Nothing is chosen yet" in words(Client().get(frame.replace(secret, "another")))
    taken = Client().get(frame)
    policy = taken.headers["Content-Security-Policy"]
    assert f"form-action {sim.url}" in policy and f"frame-ancestors {sim.url}" in policy
    assert "X-Frame-Options" not in taken.headers
    claims = sim.take(taken.content.decode().partition('name="JWT" value="')[2].partition('"')[0])
    assert claims[f"{DEEP_LINKING}data"] == "of this very dialog"
    assert "What you chose is ready" in words(Client().get(frame))  # the connection may have broken
    other = make_platform(platform.school, "https://moodle2.riverside.example")
    theirs = Client().get(frame.replace(str(platform.pk), str(other.pk)))
    assert "Nothing is chosen yet" in words(theirs)


def test_acting_in_another_school_meanwhile(
    sim: Simulator, connected: TeacherIdentity, plan: StudyPlan, people: Cast
) -> None:
    Membership.objects.create(school=people.charlie.school, user=people.alice.user)
    client = signed_in(people.alice)
    sim.chooses()
    where = form_for(client, sim)
    client.post(reverse("schools:switch"), {"school": people.charlie.school_id})
    assert client.post(where, new_class(plan)).headers["Location"] == "/"
    assert not ResourceLink.objects.exists() and not ClassLink.objects.exists()


def test_another_key_of_the_installation(
    sim: Simulator, people: Cast, connected: TeacherIdentity, plan: StudyPlan, platform: Platform
) -> None:
    client = signed_in(people.alice)
    sim.chooses()
    where = form_for(client, sim)
    Platform.objects.update(key="sealed with another one")
    response = client.post(where, new_class(plan))
    assert response.status_code == 403 and "not set up for each other" in words(response)
    assert not ResourceLink.objects.exists() and not ClassLink.objects.exists()
    assert Client().get(reverse("lti:keys", args=[platform.pk])).status_code == 503
