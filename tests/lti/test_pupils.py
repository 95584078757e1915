"""Pupils who come from a platform: the same one on each launch, by all rules of the class, and unknown by name."""

from __future__ import annotations

import io
import json
import zipfile
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from threading import Barrier

import pytest
from django.db import connection
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from classrooms import erasing
from classrooms.joining import pupils
from classrooms.links import allow_links
from classrooms.models import ClassLink, ClassroomSettings, Pupil, RealName
from learning.models import StudyPlan
from lti import pupils as lti_pupils
from lti.models import GradePassback, Platform, PupilIdentity, ResourceLink
from tests.classrooms.classes import open_class, page
from tests.classrooms.test_erasing import tables_with
from tests.factories import Cast, make_chatbot
from tests.lti.simulator import GRADES, SCORE, Simulator, go, make_platform, words

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def a_pupil_comes(sim: Simulator, link: ResourceLink) -> None:
    sim.opens("subject-4711", link=link.pk)


def test_a_pupil_comes_in_and_comes_again(sim: Simulator, class_link: ClassLink, plan: StudyPlan) -> None:
    client = Client()
    response = go(client, sim)
    assert response.headers["Location"] == page("practise", class_link, plan.tutor_id)
    pupil = Pupil.objects.get()
    assert pupil.class_link == class_link and pupil.nickname
    assert pupil.nickname in words(client.get(response.headers["Location"]))
    cookie = client.cookies[f"class-{class_link.pk.hex[-12:]}"]
    assert cookie["samesite"] == "Lax" and cookie["path"] == "/c/" and "sessionid" not in client.cookies
    elsewhere = Client()
    go(elsewhere, sim)
    assert pupil.nickname in words(elsewhere.get(page("room", class_link), follow=True))
    assert Pupil.objects.count() == 1
    sim.opens("subject-4712", link=ResourceLink.objects.get().pk)
    go(Client(), sim)
    assert Pupil.objects.count() == 2


def test_nothing_is_stored_of_who_it_is(sim: Simulator) -> None:
    go(Client(), sim)
    for word in ("subject-4711", "Erika", "erika@riverside.example"):
        assert tables_with(word) == set()
    assert GradePassback.objects.get().open_subject() == "subject-4711"


def test_a_class_that_notes_names_learns_them_from_the_platform(sim: Simulator, class_link: ClassLink) -> None:
    ClassLink.objects.update(notes_names=True)
    go(Client(), sim)
    assert RealName.objects.get().name.startswith("Erika")
    RealName.objects.update(name="Erik Muster")
    go(Client(), sim)
    assert RealName.objects.get().name == "Erik Muster", "what the teacher wrote stays"


def test_a_school_that_lets_no_grades_go_stores_nothing_to_send_them(sim: Simulator, class_link: ClassLink) -> None:
    go(Client(), sim)
    assert GradePassback.objects.exists()
    rules = ClassroomSettings.objects.get(school=class_link.school)
    rules.sends_grades = False
    rules.save()
    assert not GradePassback.objects.exists()
    go(Client(), sim)
    assert PupilIdentity.objects.exists() and not GradePassback.objects.exists()


def test_a_chatbot_without_grades(sim: Simulator, people: Cast, platform: Platform) -> None:
    chatbot = make_chatbot(people.alice)
    class_link = open_class(people.alice, chatbot)
    link = ResourceLink.objects.create(
        school=platform.school, platform=platform, class_link=class_link, chatbot=chatbot, sends_grades=True
    )
    sim.opens("1", link=link.pk)
    assert go(Client(), sim).headers["Location"] == page("new-chat", class_link, chatbot.pk)
    assert PupilIdentity.objects.count() == 1 and not GradePassback.objects.exists()
    class_link.opened.all().delete()
    assert go(Client(), sim).headers["Location"] == page("room", class_link)


@pytest.mark.parametrize(
    "endpoint",
    [
        None,
        {},
        {"scope": [SCORE]},
        {"scope": [], "lineitem": "{url}/lineitem"},
        {"scope": SCORE, "lineitem": "{url}/lineitem"},
        {"scope": [SCORE], "lineitem": "http://127.0.0.1:9/lineitem"},
        {"scope": [SCORE], "lineitem": "https://169.254.169.254/"},
        {"scope": [SCORE], "lineitem": "file:///etc/passwd"},
        {"scope": [SCORE], "lineitem": 7},
    ],
)
def test_without_leave_to_send_grades_nothing_is_stored_for_them(sim: Simulator, endpoint: object) -> None:
    sim.claims[GRADES] = json.loads(json.dumps(endpoint).replace("{url}", sim.url))
    assert go(Client(), sim).status_code == 302
    assert PupilIdentity.objects.count() == 1 and not GradePassback.objects.exists()


def test_a_link_that_sends_no_grades(sim: Simulator, link: ResourceLink, class_link: ClassLink) -> None:
    ResourceLink.objects.update(sends_grades=False)
    assert go(Client(), sim).headers["Location"] == page("new-chat", class_link, link.chatbot_id)
    assert not GradePassback.objects.exists()


def test_an_activity_that_is_bound_to_where_it_stands(sim: Simulator, link: ResourceLink) -> None:
    sim.opens("1", resource="77")
    response = go(Client(), sim)
    assert response.status_code == 404 and "not ready yet" in words(response) and not Pupil.objects.exists()
    ResourceLink.objects.update(deployment_id="3", resource_id="77")
    assert go(Client(), sim).status_code == 302 and Pupil.objects.count() == 1
    ResourceLink.objects.update(deployment_id="another")
    assert go(Client(), sim).status_code == 404


@pytest.mark.parametrize("named", ["nonsense", "00000000-0000-0000-0000-000000000000", "x" * 5000])
def test_an_activity_that_names_nothing(sim: Simulator, named: str) -> None:
    sim.opens("1", link=named)
    assert go(Client(), sim).status_code == 404 and not Pupil.objects.exists()


def test_a_class_of_another_school_or_platform_is_not_opened(sim: Simulator, people: Cast) -> None:
    chatbot = make_chatbot(people.charlie)
    theirs = make_platform(people.charlie.school, "https://moodle.hillcrest.example")
    second = make_platform(people.alice.school, "https://moodle2.riverside.example")
    for platform, member in ((theirs, people.charlie), (second, people.alice)):
        own = chatbot if member == people.charlie else make_chatbot(member)
        foreign = ResourceLink.objects.create(
            school=platform.school, platform=platform, class_link=open_class(member, own), chatbot=own
        )
        sim.opens("1", link=foreign.pk)
        assert go(Client(), sim).status_code == 404
    assert not Pupil.objects.exists()


def test_the_rules_of_the_class_count(sim: Simulator, class_link: ClassLink, people: Cast) -> None:
    def told() -> str:
        response = go(Client(), sim)
        assert response.status_code == 403 and "class-" not in str(response.cookies)
        return words(response)

    rows = ClassLink.objects.filter(pk=class_link.pk)
    rows.update(paused_at=timezone.now())
    assert "paused the class" in told()
    rows.update(paused_at=None, weekdays=[(timezone.localtime().weekday() + 3) % 7])
    assert "not open now" in told()
    rows.update(weekdays=list(range(7)), ends_at=timezone.now() - timedelta(days=1))
    assert "is over" in told()
    rows.update(ends_at=timezone.now() + timedelta(days=1), closed_at=timezone.now())
    assert "is over" in told()
    rows.update(closed_at=None)
    allow_links(people.alice.school, allowed=False)
    assert "is over" in told()
    assert not Pupil.objects.exists()


def test_a_class_that_is_full(sim: Simulator, class_link: ClassLink, monkeypatch: pytest.MonkeyPatch) -> None:
    go(Client(), sim)
    monkeypatch.setattr(pupils, "MAX_PUPILS", 1)
    assert go(Client(), sim).status_code == 302  # who is in comes again
    sim.opens("another", link=ResourceLink.objects.get().pk)
    response = go(Client(), sim)
    assert response.status_code == 403 and "full" in words(response)
    assert Pupil.objects.count() == 1 and PupilIdentity.objects.count() == 1


def test_another_person_at_the_same_computer(sim: Simulator, class_link: ClassLink, link: ResourceLink) -> None:
    client = Client()
    go(client, sim)
    sim.opens("another", link=link.pk)
    go(client, sim)
    second = PupilIdentity.objects.latest("pk").pupil
    assert second.nickname in words(client.get(page("room", class_link), follow=True))


def test_hashes_of_two_classes_are_not_alike(sim: Simulator, people: Cast, platform: Platform, plan: StudyPlan) -> None:
    go(Client(), sim)
    assert plan.tutor
    second = ResourceLink.objects.create(
        school=platform.school, platform=platform, class_link=open_class(people.alice, plan.tutor), chatbot=plan.tutor
    )
    sim.opens("subject-4711", link=second.pk)
    go(Client(), sim)
    first, other = PupilIdentity.objects.values_list("digest", flat=True)
    assert first != other and Pupil.objects.count() == 2


def test_erased_is_erased(sim: Simulator, class_link: ClassLink) -> None:
    client = Client()
    go(client, sim)
    erasing.erase_pupil(Pupil.objects.get())
    assert not PupilIdentity.objects.exists() and not GradePassback.objects.exists()
    go(client, sim)
    assert Pupil.objects.count() == 1
    erasing.erase_class(class_link)
    for model in (Pupil, PupilIdentity, GradePassback, ResourceLink):
        assert not model.objects.exists(), model
    assert go(client, sim).status_code == 404


def test_ones_own_data_says_what_is_stored(sim: Simulator, class_link: ClassLink) -> None:
    client = Client()
    go(client, sim)
    assert "You come from Moodle" in words(client.get(page("own-data", class_link)))
    with zipfile.ZipFile(io.BytesIO(client.get(page("own-data-file", class_link)).content)) as archive:
        (told,) = json.loads(archive.read("pupil.json"))["known_elsewhere"]
    assert "check sum" in told and "Grades of your practice" in told
    assert "subject-4711" not in told


def test_a_pupil_is_no_teacher(sim: Simulator, class_link: ClassLink) -> None:
    client = Client()
    go(client, sim)
    for name in ("desk", "edit", "transcripts"):
        response = client.get(reverse(f"classrooms:{name}", args=[class_link.pk]))
        assert response.headers["Location"].startswith("/accounts/login/")


@pytest.mark.django_db(transaction=True)
def test_two_first_launches_at_once_are_one_pupil(sim: Simulator, platform: Platform, class_link: ClassLink) -> None:
    """Such as a double click."""
    both = Barrier(2)

    def come() -> object:
        try:
            both.wait(120)
            return lti_pupils._identity(platform, class_link, "subject-4711").pupil.pk
        finally:
            connection.close()

    with ThreadPoolExecutor(2) as threads:
        first, second = (one.result(120) for one in [threads.submit(come), threads.submit(come)])
    assert first == second == Pupil.objects.get().pk
    assert PupilIdentity.objects.count() == 1
