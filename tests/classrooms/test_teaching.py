"""A teacher opens a class, changes, pauses and closes it; admins see that it is there."""

from __future__ import annotations

from datetime import UTC, datetime, time, timedelta
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse
from django.utils import timezone
from pytest_django import Settings

from chatbots.models import Chatbot
from classrooms import hands, links
from classrooms.models import ClassLink, ClassState, Pupil, RaisedHand
from schools.services import remove_member
from tests.classrooms.classes import make_asked, open_class, page, url
from tests.factories import Cast, make_chatbot, signed_in
from tests.scripted import ScriptedLLM

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("goes_without_lead")]
Model = type[ScriptedLLM]


def fields(chatbot: Chatbot, **more: Any) -> dict[str, Any]:
    """What the form sends."""
    return {
        "name": "Geography 8",
        "chatbots": [chatbot.pk],
        "ends_on": (timezone.localdate() + timedelta(days=3)).isoformat(),
        "sources_shown": "titles",
        "weekdays": ["0", "1", "2", "3", "4", "5", "6"],
        "questions_a_day": "30",
        "answer_length": "normal",
        "days_kept": "30",
        "kinds": ["personal", "school"],
    } | more


def test_a_class_is_opened_from_the_page_of_a_chatbot(alice: Client, chatbot: Chatbot) -> None:
    form = f"{url('create')}?chatbot={chatbot.pk}"
    assert form.replace("&", "&amp;") in alice.get(reverse("chatbots:new-chat", args=[chatbot.pk])).content.decode()
    shown = alice.get(form).content.decode()
    assert f'value="{chatbot.pk}" ' in shown and "checked" in shown
    response = alice.post(form, fields(chatbot))
    link = ClassLink.objects.get()
    assert response["Location"] == url("desk", link.pk)
    assert (link.name, link.sources_shown, link.questions_a_day) == ("Geography 8", "titles", 30)
    assert timezone.localtime(link.ends_at).date() == timezone.localdate() + timedelta(days=3)
    assert list(link.chatbots.all()) == [chatbot] and link.kinds is None
    shown = alice.get(url("desk", link.pk)).content.decode()
    assert link.shown_code in shown and f"/c/{link.code}" in shown and "<svg" in shown
    assert link.shown_code in alice.get(url("sheet", link.pk)).content.decode()
    assert "Geography 8" in alice.get(url("list")).content.decode()


@pytest.mark.parametrize(
    ("wrong", "words"),
    [
        ({"name": ""}, "required"),
        ({"chatbots": []}, "Choose at least one chatbot"),
        ({"ends_on": "2020-01-01"}, "This day is over"),
        ({"opens": "12:00", "closes": "08:00"}, "before the time"),
        ({"weekdays": []}, "Choose at least one day"),
        ({"questions_a_day": "0"}, "greater than or equal to 1"),
    ],
)
def test_a_wrong_form_says_what_is_wrong_and_keeps_the_rest(
    alice: Client, chatbot: Chatbot, wrong: dict[str, Any], words: str
) -> None:
    response = alice.post(url("create"), fields(chatbot, **({"name": "Kept"} | wrong)))
    text = response.content.decode()
    assert response.status_code == 422 and words in text and not ClassLink.objects.exists()
    assert wrong.get("name") == "" or "Kept" in text


def test_a_chatbot_of_somebody_else_cannot_be_opened(alice: Client, people: Cast) -> None:
    for owner in (people.bob, people.charlie):
        theirs = make_chatbot(owner)
        assert alice.get(f"{url('create')}?chatbot={theirs.pk}").status_code == 404
        assert alice.post(url("create"), fields(theirs)).status_code == 422
        with pytest.raises(links.LinkRefused):
            open_class(people.alice, theirs)
    assert not ClassLink.objects.exists()


def test_a_class_is_changed(alice: Client, link: ClassLink, chatbot: Chatbot, people: Cast) -> None:
    other = make_chatbot(people.alice, name="Other")
    response = alice.post(url("edit", link.pk), fields(other, opens="08:00", closes="13:00", hints_first="on"))
    assert response.status_code == 302
    link.refresh_from_db()
    assert list(link.chatbots.all()) == [other] and link.hints_first and str(link.opens) == "08:00:00"


def test_the_state_follows_the_hours(link: ClassLink) -> None:
    now = timezone.make_aware(datetime(2026, 5, 6, 9, 30))  # a Wednesday
    link.ends_at, link.weekdays = now + timedelta(days=1), [2]
    assert link.state(now) == ClassState.OPEN
    link.opens, link.closes = time(10), None
    assert link.state(now) == ClassState.OUT_OF_HOURS
    link.opens, link.weekdays = None, [3]
    assert link.state(now) == ClassState.OUT_OF_HOURS
    assert link.state(now + timedelta(days=2)) == ClassState.ENDED


def test_pausing_closing_and_a_new_code(alice: Client, link: ClassLink) -> None:
    alice.post(url("pause", link.pk), {"paused": "on"})
    link.refresh_from_db()
    assert link.state() == ClassState.PAUSED
    alice.post(url("pause", link.pk))
    alice.post(url("close", link.pk), {"closed": "on"})
    link.refresh_from_db()
    assert link.state() == ClassState.CLOSED and link.erased_at < timezone.now() + timedelta(days=30, minutes=1)
    alice.post(url("close", link.pk))
    code = link.code
    alice.post(url("change-code", link.pk))
    link.refresh_from_db()
    assert link.state() == ClassState.OPEN and link.code != code


def test_closing_and_a_new_code_ask_first(alice: Client, link: ClassLink) -> None:
    for name, words in (("close", "still in the class will see that it has ended"), ("change-code", "has a new code")):
        assert words in alice.get(url(name, link.pk)).content.decode().replace("reads", "read"), name
    before = link.code
    link.refresh_from_db()
    assert link.code == before and not link.closed_at


def test_the_large_code_shows_nothing_else(alice: Client, link: ClassLink, pupil: Pupil) -> None:
    assert url("large", link.pk) in alice.get(url("desk", link.pk)).content.decode()
    shown = alice.get(url("large", link.pk)).content.decode()
    assert link.shown_code in shown and link.name in shown and "<svg" in shown and "testserver/c/" in shown
    assert pupil.nickname not in shown


@pytest.mark.parametrize(
    ("host", "is_told"), [("localhost:8000", True), ("127.0.0.1", True), ("[::1]:80", True), ("testserver", False)]
)
def test_an_address_that_no_pupil_can_reach(
    alice: Client, link: ClassLink, settings: Settings, host: str, is_told: bool
) -> None:
    settings.ALLOWED_HOSTS = ["*"]
    for name in ("desk", "sheet", "large"):
        shown = alice.get(url(name, link.pk), headers={"Host": host}).content.decode()
        assert ("devices cannot reach this address" in shown) is is_told, name


OWN_ROWS = ["desk", "live", "edit", "sheet", "large", "close", "change-code"]
OWN_ROWS += ["transcripts", "export", "summary", "erase"]


@pytest.mark.parametrize("who", ["bob", "carol", "charlie", "chloe"])
def test_a_class_is_its_teachers_alone(
    who: str, people: Cast, link: ClassLink, pupil: Pupil, chatbot: Chatbot, model: Model
) -> None:
    message = make_asked(pupil, chatbot)
    hands.raise_hand(message, is_raised=True)
    client = signed_in(getattr(people, who))
    hand = RaisedHand.objects.get().pk
    for name in OWN_ROWS:
        assert client.get(url(name, link.pk)).status_code == 404, name
    for name in ("pause", "close", "change-code", "erase", "edit"):
        assert client.post(url(name, link.pk)).status_code == 404, name
    for name in ("pause-pupil", "new-pupil-code", "erase-pupil"):
        assert client.post(url(name, pupil.pk)).status_code == 404, name
    assert client.post(url("settle-hand", hand)).status_code == 404
    for name in ("answer", "correct"):
        assert client.get(url(name, message.pk)).status_code == 404
    assert client.get(reverse("chatbots:turn", args=[message.pk])).status_code == 404
    assert "Chemistry 9b" not in client.get(url("list")).content.decode()


def test_admins_see_that_there_are_classes_and_switch_them_off(
    people: Cast, link: ClassLink, pupil: Pupil, computer: Client, chatbot: Chatbot, model: Model
) -> None:
    message = make_asked(pupil, chatbot)
    carol = signed_in(people.carol)
    text = carol.get(url("school")).content.decode()
    assert "Chemistry 9b" in text and "Alice" in text and message.question not in text
    carol.post(url("switch"))
    assert computer.get(page("room", link)).status_code == 403
    alice = signed_in(people.alice)
    refused = alice.post(url("create"), fields(chatbot))
    assert refused.status_code == 422 and "switched class links off" in refused.content.decode()
    carol.post(url("switch"), {"allowed": "on"})
    assert computer.get(page("room", link)).status_code == 302
    carol.post(url("close-as-admin", link.pk))
    link.refresh_from_db()
    assert link.state() == ClassState.CLOSED
    assert "Chemistry 9b" not in signed_in(people.chloe).get(url("school")).content.decode()
    assert signed_in(people.chloe).post(url("close-as-admin", link.pk)).status_code == 404
    for stranger in (people.alice, people.bob):
        assert signed_in(stranger).get(url("school")).status_code == 403
        assert signed_in(stranger).post(url("switch")).status_code == 403
        assert signed_in(stranger).post(url("close-as-admin", link.pk)).status_code == 403


def test_a_class_ends_some_day(people: Cast, chatbot: Chatbot) -> None:
    fields: dict[str, Any] = {"name": "9b", "chatbots": [chatbot.pk]}
    for days in (-1, 4 * 366):
        with pytest.raises(links.LinkRefused):
            links.create_link(member=people.alice, ends_at=timezone.now() + timedelta(days=days), **fields)
    with pytest.raises(links.LinkRefused):
        links.create_link(member=people.alice, ends_at=datetime(9999, 12, 31, tzinfo=UTC), **fields)


def test_hours_that_never_open_are_refused(people: Cast, chatbot: Chatbot) -> None:
    link = open_class(people.alice, chatbot, opens=time(8), closes=time(15))
    with pytest.raises(links.LinkRefused):
        links.change_link(link=link, member=people.alice, closes=time(7))


def test_the_days_of_a_class_begin_when_its_teacher_leaves(people: Cast, link: ClassLink) -> None:
    ClassLink.objects.update(ends_at=timezone.now() + timedelta(days=900))
    remove_member(membership=people.alice)
    link.refresh_from_db()
    assert link.state() == ClassState.CLOSED and link.erased_at < timezone.now() + timedelta(days=31)
