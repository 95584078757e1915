"""Pupils come into a class by its code and a nickname, and come back by their own code."""

from __future__ import annotations

import re
from datetime import timedelta
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from classrooms import links
from classrooms.joining import pupils
from classrooms.joining.codes import SIGNS, make_class_code, read_code
from classrooms.joining.nicknames import NICKNAMES, OFFERED, offer
from classrooms.models import ClassLink, Pupil
from tests.classrooms.classes import browser, come_in, join, open_class, page
from tests.factories import Cast
from tests.limits import set_limit

pytestmark = pytest.mark.django_db


def test_a_code_is_typed_as_children_type_it() -> None:
    code = make_class_code()
    assert len(code) == 8 and set(code) <= set(SIGNS)
    assert read_code(f" {code[:4].lower()}-{code[4:].lower()} ") == code
    assert read_code("é;DROP TABLE") == "DROPTABLE"


def test_the_code_leads_to_the_class(link: ClassLink) -> None:
    response = browser().post(reverse("classrooms:enter"), {"code": link.shown_code.lower()})
    assert response.status_code == 302 and response["Location"] == page("door", link)
    assert browser().get(f"/c/{link.shown_code}")["Location"] == page("door", link)


def test_a_pupil_chooses_a_name_and_gets_a_code(link: ClassLink) -> None:
    client = browser()
    shown = client.get(page("door", link)).content.decode()
    names = re.findall(r'name="nickname" value="([^"]+)"', shown)
    assert len(names) == OFFERED and set(names) <= NICKNAMES
    response = client.post(page("door", link), {"nickname": names[0]})
    code = re.search(r'class="own-code">(\w+)<', response.content.decode())
    pupil = Pupil.objects.get(class_link=link)
    assert code and pupil.nickname == names[0] and code[1] not in (pupil.code_digest, pupil.key)
    assert client.get(page("room", link)).status_code == 302  # the only chatbot opens by itself
    other = browser()
    back = other.post(page("door", link), {"own_code": code[1].lower()})
    assert back["Location"] == page("room", link)
    assert Pupil.objects.filter(class_link=link).count() == 1


def test_an_own_code_in_the_field_of_the_class_is_known_as_one(link: ClassLink) -> None:
    response = browser().post(reverse("classrooms:enter"), {"code": " acd-ef4"})
    assert response.status_code == 422 and "This is your own code" in response.content.decode()
    assert "no class with this code" in browser().post(reverse("classrooms:enter"), {"code": "ACDEF"}).content.decode()


def test_there_is_one_cookie_and_no_session(link: ClassLink) -> None:
    client, _ = come_in(link)
    client.get(page("room", link), follow=True)
    assert len(client.cookies) == 1
    cookie = next(iter(client.cookies.values()))
    assert cookie["path"] == "/c/" and cookie["httponly"] and cookie["samesite"] == "Lax"


@pytest.mark.parametrize("nickname", ["Real Name", "", "amber badger", "<script>"])
def test_a_name_of_ones_own_is_refused(link: ClassLink, nickname: str) -> None:
    response = browser().post(page("door", link), {"nickname": nickname})
    assert response.status_code == 422 and not link.pupils.exists()


def test_a_name_is_given_once_in_a_class(link: ClassLink, people: Cast) -> None:
    join(link, "Amber Badger")
    response = browser().post(page("door", link), {"nickname": "Amber Badger"})
    assert response.status_code == 422 and "Somebody else" in response.content.decode()
    other = open_class(people.alice, *link.chatbots.all())
    assert join(other, "Amber Badger").nickname == "Amber Badger"
    assert "Amber Badger" not in offer(["Amber Badger"])


def test_a_class_does_not_grow_without_end(link: ClassLink, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pupils, "MAX_PUPILS", 1)
    join(link)
    with pytest.raises(pupils.JoinRefused):
        join(link)


def test_one_computer_does_not_fill_a_class(link: ClassLink, monkeypatch: pytest.MonkeyPatch) -> None:
    set_limit(monkeypatch, "JOINS", 2)
    for _ in range(3):
        assert "Choose" in browser().post(page("door", link), {"nickname": "x"}).content.decode(), "nobody joined"
    for name in offer([])[:2]:
        assert browser().post(page("door", link), {"nickname": name}).status_code == 200
    refused = browser().post(page("door", link), {"nickname": offer([name])[0]})
    assert "joined from your network" in refused.content.decode() and link.pupils.count() == 2
    elsewhere = browser("192.0.2.40")
    elsewhere.post(page("door", link), {"nickname": "Amber Badger"})
    assert link.pupils.count() == 3


def test_a_post_from_elsewhere_is_refused(link: ClassLink) -> None:
    for headers in ({"Origin": "https://evil.example"}, {"Origin": "null"}, {}):
        client = Client(headers=headers)
        assert client.post(page("door", link), {"nickname": "Amber Badger"}).status_code == 403
    assert not link.pupils.exists()
    same = Client(headers={"Sec-Fetch-Site": "same-origin"})
    assert same.post(page("door", link), {"nickname": "Amber Badger"}).status_code == 200


def test_wrong_codes_are_limited_and_right_ones_are_not(link: ClassLink, monkeypatch: pytest.MonkeyPatch) -> None:
    set_limit(monkeypatch, "WRONG_CLASS_CODES", 3)
    client = browser()
    for _ in range(3):
        assert client.get("/c/AAAAAAAA").status_code == 404
    assert client.get("/c/AAAAAAAA").status_code == 429
    assert client.post(reverse("classrooms:enter"), {"code": "AAAAAAAA"}).status_code == 429
    assert client.post(reverse("classrooms:enter"), {"code": link.code})["Location"] == page("door", link)
    assert client.post(page("door", link), {"nickname": "Amber Badger"}).status_code == 200
    assert browser("192.0.2.7").get("/c/AAAAAAAA").status_code == 404, "another network is not closed"


def test_guessing_the_code_of_a_pupil_is_limited_within_the_class(
    link: ClassLink, people: Cast, monkeypatch: pytest.MonkeyPatch
) -> None:
    set_limit(monkeypatch, "WRONG_OWN_CODES", 2)
    own = pupils.join(link, "Amber Badger").code
    other = open_class(people.alice, *link.chatbots.all())
    come_back = {"own_code": own}
    for _ in range(5):
        assert browser().post(page("door", link), come_back)["Location"] == page("room", link), (
            "right ones do not count"
        )
    for _ in range(2):
        assert browser().post(page("door", link), {"own_code": "AAAAAA"}).status_code == 422
    assert browser().post(page("door", link), come_back).status_code == 429, "else it could be guessed"
    assert browser("192.0.2.9").post(page("door", link), come_back).status_code == 302
    assert browser().post(page("door", other), {"own_code": "AAAAAA"}).status_code == 422, "another class"


def test_thirty_pupils_join_from_one_address(link: ClassLink) -> None:
    for _ in range(30):
        come_in(link)
    assert link.pupils.count() == 30


def test_leaving_asks_and_forgets_the_pupil_in_this_browser(link: ClassLink, computer: Client) -> None:
    assert "Have you written down your code?" in computer.get(page("leave", link)).content.decode()
    assert computer.get(page("room", link), follow=True).status_code == 200
    assert "You have left" in computer.post(page("leave", link)).content.decode()
    assert computer.get(page("room", link))["Location"] == page("door", link)
    assert link.pupils.count() == 1


def test_a_cookie_counts_for_its_class_only(link: ClassLink, computer: Client, people: Cast) -> None:
    other = open_class(people.alice, *link.chatbots.all())
    value = next(iter(computer.cookies.values())).value
    stranger = browser()
    stranger.cookies[f"class-{other.pk.hex[-12:]}"] = value
    assert stranger.get(page("room", other))["Location"] == page("door", other)
    stranger.cookies[f"class-{link.pk.hex[-12:]}"] = f"{value}x"
    assert stranger.get(page("room", link))["Location"] == page("door", link)


def test_a_new_code_of_a_pupil_ends_the_old_browsers(link: ClassLink, computer: Client, pupil: Pupil) -> None:
    code = pupils.change_pupil_code(pupil)
    assert computer.get(page("room", link))["Location"] == page("door", link)
    assert computer.post(page("door", link), {"own_code": code})["Location"] == page("room", link)


CLOSED: dict[str, Any] = {
    "paused": (lambda link, people: links.pause(link, is_paused=True), "paused"),
    "closed": (lambda link, people: links.close(link), "over"),
    "ended": (
        lambda link, people: ClassLink.objects.filter(pk=link.pk).update(ends_at=timezone.now() - timedelta(1)),
        "over",
    ),
    "switched off": (lambda link, people: links.allow_links(link.school, allowed=False), "over"),
    "teacher left": (lambda link, people: people.alice.delete(), "over"),
    "other days": (
        lambda link, people: ClassLink.objects.filter(pk=link.pk).update(
            weekdays=[(timezone.localtime().weekday() + 2) % 7]
        ),
        "not open now",
    ),
}


@pytest.mark.parametrize("what", CLOSED)
def test_pupils_are_told_politely_that_it_is_not_open(
    what: str, link: ClassLink, computer: Client, people: Cast
) -> None:
    shut, words = CLOSED[what]
    shut(link, people)
    for client in (computer, browser()):
        response = client.get(page("room", link), follow=True)
        assert response.status_code == 403 and words in response.content.decode(), what
    asked = computer.post(page("new-chat", link, link.chatbots.get().pk), {"question": "Why?"})
    assert asked.status_code == 403
    assert computer.get(page("room", link), headers={"HX-Request": "true"}).status_code == 204


def test_a_changed_code_leads_nowhere_and_pupils_go_on_with_the_new_one(link: ClassLink, computer: Client) -> None:
    old = page("room", link)
    links.change_code(link)
    assert computer.get(old).status_code == 404
    assert computer.get(page("room", link)).status_code == 302
    assert browser().get(old.replace("/room", "")).status_code == 404


def test_pupils_hear_that_their_class_has_a_new_code(link: ClassLink, computer: Client, people: Cast) -> None:
    chatbot = link.chatbots.get()
    old, code = page("new-chat", link, chatbot.pk), link.code
    other, _ = come_in(open_class(people.alice, chatbot))
    links.change_code(link)
    words = "Your class has a new code"
    for client, is_told in ((computer, True), (other, False), (browser(), False)):
        for response in (client.get(old), client.post(old, {"question": "Why is it?"}), client.get(f"/c/{code}/leave")):
            assert response.status_code == 404 and (words in response.content.decode()) is is_told
    assert "Why is it?" in computer.post(old, {"question": "Why is it?"}).content.decode()
    assert words in computer.post(reverse("classrooms:enter"), {"code": code}).content.decode()
    htmx = computer.post(old, {"question": "Why?"}, headers={"HX-Request": "true"})
    assert htmx["HX-Retarget"] == "#not-now" and words in htmx.content.decode()
    assert computer.get(page("door", link))["Location"] == page("room", link)
    middle = page("room", link)
    links.change_code(link)
    assert words in computer.get(middle).content.decode()  # the second change as well


def test_an_old_code_counts_as_wrong_only_for_strangers(
    link: ClassLink, computer: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    set_limit(monkeypatch, "WRONG_CLASS_CODES", 1)
    old = page("room", link)
    links.change_code(link)
    for _ in range(3):
        assert computer.get(old).status_code == 404
    assert browser().get(old).status_code == 404 and browser().get(old).status_code == 429


@pytest.mark.parametrize(
    "typed",
    ["{}", "https://lectern.school.example/c/{}", "see https://a.example/c/{}/chatbots/1?x=2", " {0} ", "wide", "{}."],
)
def test_a_code_is_read_however_it_was_typed(typed: str, link: ClassLink) -> None:
    code = typed.format(link.shown_code.lower())
    if typed == "wide":
        code = "".join(chr(ord(sign) + 0xFEE0) for sign in link.code)
    response = browser().post(reverse("classrooms:enter"), {"code": code})
    assert response.status_code == 302 and response["Location"] == reverse("classrooms:door", args=[link.code])


@pytest.mark.parametrize(
    ("typed", "told"),
    [
        ("FC3WE9M0", "0 is never in a code. Look at it again."),
        ("OC3WE1M0", "O, 1 and 0 are never in a code. Look at it again."),
        ("FC3WE9M4", "It may have changed: ask your teacher for it."),
    ],
)
def test_a_wrong_code_stays_in_its_field(typed: str, told: str) -> None:
    text = browser().post(reverse("classrooms:enter"), {"code": typed}).content.decode()
    assert f'value="{typed}"' in text and f"There is no class with this code. {told}" in text
