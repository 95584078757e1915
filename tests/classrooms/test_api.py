"""Class links by the API."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest
from django.test import Client
from django.utils import timezone
from pytest_django import Settings

from chatbots.models import Chatbot
from classrooms import hands, links
from classrooms.models import ClassLink, Pupil
from tests.classrooms.classes import browser, make_asked
from tests.factories import Cast, make_chatbot, make_program
from tests.scripted import ScriptedLLM

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("goes_without_lead")]
URL, JSON = "/api/v1/class-links", "application/json"
Model = type[ScriptedLLM]


@pytest.fixture
def alice(people: Cast) -> Client:
    return make_program(people.alice)


def body(chatbot: Chatbot, **more: Any) -> dict[str, Any]:
    ends = (timezone.now() + timedelta(days=2)).isoformat()
    return {"name": "Biology 7", "chatbots": [str(chatbot.pk)], "ends_at": ends} | more


def test_a_class_is_opened_and_its_page_works(alice: Client, chatbot: Chatbot) -> None:
    response = alice.post(URL, body(chatbot, questions_a_day=5, sources_shown="titles"), content_type=JSON)
    made = response.json()
    assert response.status_code == 201, made
    assert made["url"] == f"http://testserver/c/{made['code']}" and made["state"] == "open"
    assert (made["questions_a_day"], made["sources_shown"], made["days_kept"]) == (5, "titles", 30)
    assert browser().get(made["url"]).status_code == 200
    assert alice.get(response["Location"]).json() == made
    assert alice.get(URL).json()["results"] == [made]


def test_a_day_alone_is_the_last_day_of_a_class(alice: Client, chatbot: Chatbot, settings: Settings) -> None:
    settings.TIME_ZONE = "Europe/Berlin"
    day = timezone.localdate() + timedelta(days=3)
    made = alice.post(URL, body(chatbot, ends_at=f"{day}"), content_type=JSON).json()
    assert f"{timezone.localtime(ClassLink.objects.get().ends_at):%Y-%m-%d %H:%M:%S}" == f"{day} 23:59:59"
    url = f"{URL}/{made['id']}"
    for none in ("2027-02-29", "2027-02-29T10:00:00Z", "2027-04-31"):
        response = alice.patch(url, {"ends_at": none}, content_type=JSON)
        assert response.status_code == 400 and f"There is no such day: {none[:10]}." in response.content.decode()


@pytest.mark.parametrize("route", ["audit", "question-log"])
def test_a_day_that_does_not_exist_is_called_so(people: Cast, route: str, settings: Settings) -> None:
    settings.LECTERN_QUESTION_LOG_DAYS = 180
    carol = make_program(people.carol)
    for name in ("since", "until"):
        told = carol.get(f"/api/v1/{route}?{name}=2027-02-29").content.decode()
        assert "There is no such day: 2027-02-29." in told
        assert "Between the years" in carol.get(f"/api/v1/{route}?{name}=1999-01-01").content.decode()


def test_a_class_is_changed_paused_closed_and_erased(alice: Client, link: ClassLink, pupil: Pupil) -> None:
    url = f"{URL}/{link.pk}"
    changed = alice.patch(url, {"name": "New", "is_paused": True}, content_type=JSON).json()
    assert (changed["name"], changed["state"], changed["questions_a_day"]) == ("New", "paused", 40)
    changed = alice.patch(url, {"is_paused": False, "is_closed": True}, content_type=JSON).json()
    assert changed["state"] == "closed" and not changed["is_paused"]
    assert alice.delete(url).status_code == 204
    assert not ClassLink.objects.exists() and not Pupil.objects.exists()


@pytest.mark.parametrize(
    ("wrong", "field"),
    [
        ({"chatbots": []}, "chatbots"),
        ({"name": ""}, "name"),
        ({"ends_at": "2020-01-01T00:00:00Z"}, "ends_at"),
        ({"weekdays": [7]}, "weekdays"),
        ({"sources_shown": "some"}, "sources_shown"),
        ({"questions_a_day": 0}, "questions_a_day"),
    ],
)
def test_what_is_wrong_is_said_by_field(alice: Client, chatbot: Chatbot, wrong: dict[str, Any], field: str) -> None:
    response = alice.post(URL, body(chatbot, **wrong), content_type=JSON)
    assert response.status_code == 400 and any(name.startswith(field) for name in response.json()["errors"])
    assert not ClassLink.objects.exists()


def test_only_ones_own_chatbots(alice: Client, people: Cast) -> None:
    for owner in (people.bob, people.charlie):
        response = alice.post(URL, body(make_chatbot(owner)), content_type=JSON)
        assert response.status_code == 400 and "chatbots" in response.json()["errors"]


def test_a_school_that_switched_them_off(alice: Client, people: Cast, chatbot: Chatbot) -> None:
    links.allow_links(people.alice.school, allowed=False)
    assert alice.post(URL, body(chatbot), content_type=JSON).status_code == 400


def test_transcripts(alice: Client, link: ClassLink, pupil: Pupil, chatbot: Chatbot, model: Model) -> None:
    model.enqueue("At most 1 mol/l [1].")
    message = make_asked(pupil, chatbot)
    hands.raise_hand(message, is_raised=True)
    hands.write_note(message, "Right.")
    url = f"{URL}/{link.pk}/transcripts"
    (row,) = alice.get(url).json()["results"]
    assert (row["pupil"], row["outcome"], row["asked_teacher"], row["note"]) == (
        "Amber Badger",
        "answered",
        True,
        "Right.",
    )
    assert row["cited"] and row["question"] == message.question
    assert alice.get(f"{url}?names=false").json()["results"][0]["pupil"] == ""
    assert alice.get(f"{url}?pupil=Jade%20Otter").json()["results"] == []
    assert alice.get(f"{url}?outcome=refused").json()["results"] == []


def test_strangers_find_nothing(people: Cast, link: ClassLink) -> None:
    for who in (people.bob, people.carol, people.charlie, people.chloe):
        client = make_program(who)
        for url in (f"{URL}/{link.pk}", f"{URL}/{link.pk}/transcripts"):
            assert client.get(url).status_code == 404
        assert client.patch(f"{URL}/{link.pk}", {"name": "x"}, content_type=JSON).status_code == 404
        assert client.delete(f"{URL}/{link.pk}").status_code == 404
        assert client.get(URL).json()["results"] == []
    reader = make_program(people.alice, write=False)
    assert reader.get(f"{URL}/{link.pk}").status_code == 200
    assert reader.delete(f"{URL}/{link.pk}").status_code == 403
    assert Client().get(URL).status_code == 401


def test_hours_and_days(alice: Client, link: ClassLink) -> None:
    sent = {"opens": "07:30", "closes": "15:00", "weekdays": [4, 0, 0]}
    changed = alice.patch(f"{URL}/{link.pk}", sent, content_type=JSON).json()
    assert (changed["opens"], changed["closes"], changed["weekdays"]) == ("07:30", "15:00", [0, 4])
    for wrong in ("7:30", "24:00", "noon", 7):
        assert alice.patch(f"{URL}/{link.pk}", {"opens": wrong}, content_type=JSON).status_code == 400, wrong
    assert alice.patch(f"{URL}/{link.pk}", {"opens": None}, content_type=JSON).json()["opens"] is None
