"""What is counted and then stored, or refused, holds for those who come at once."""

from __future__ import annotations

from collections import Counter
from typing import Any
from uuid import UUID, uuid4

import pytest
from django.test import Client
from django.urls import reverse

from chatbots.conversations import asking
from chatbots.models import Chat, Message, MessageStatus
from classrooms import erasing
from classrooms.audience import PupilPolicy
from classrooms.joining import pupils
from classrooms.joining.nicknames import offer
from classrooms.models import ClassLink, Pupil, RaisedHand
from learning.models import Attempt, Question
from schools import rate_limits, tokens
from schools.models import AccessToken
from tests.chatbots.test_lock_order import as_soon_as_a_row_is_held
from tests.classrooms.classes import browser, come_in, join, make_asked, open_class, page
from tests.factories import Cast, cast, make_chatbot
from tests.learning.plans import make_plan
from tests.limits import all_at_once, set_limit

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def people(transactional_db: None) -> Cast:
    return cast()


@pytest.fixture
def link(people: Cast) -> ClassLink:
    return open_class(people.alice, make_chatbot(people.alice))


@pytest.fixture
def pupil(link: ClassLink) -> Pupil:
    return join(link)


def test_a_quota_of_one_stores_one_question(link: ClassLink, pupil: Pupil) -> None:
    ClassLink.objects.update(questions_a_day=1)
    chatbot = link.chatbots.get()

    def ask(number: int) -> str:
        try:
            mine = Pupil.objects.select_related("class_link", "participant").get(pk=pupil.pk)
            asking.ask(policy=PupilPolicy(mine), chatbot=chatbot, question=f"Question {number}?")
        except asking.QuestionRefused as reason:
            return str(reason)[:26]
        return "stored"

    assert Counter(all_at_once(4, ask)) == {"stored": 1, "You have asked your 1 ques": 3}
    assert Message.objects.count() == Chat.objects.count() == 1


def test_a_form_that_is_sent_twice_at_once_asks_once(link: ClassLink, pupil: Pupil) -> None:
    """Also the last question of the day, for which none is left when the form comes again."""
    ClassLink.objects.update(questions_a_day=1)
    chatbot, key = link.chatbots.get(), uuid4()

    def ask(_: int) -> UUID:
        mine = Pupil.objects.select_related("class_link", "participant").get(pk=pupil.pk)
        return asking.ask(policy=PupilPolicy(mine), chatbot=chatbot, question="Why?", message_id=key).pk

    assert set(all_at_once(4, ask)) == {key}
    assert Message.objects.count() == Chat.objects.count() == 1


def test_a_second_answer_counts_as_well(link: ClassLink, pupil: Pupil) -> None:
    ClassLink.objects.update(questions_a_day=3)
    pupil = Pupil.objects.select_related("class_link", "participant").get(pk=pupil.pk)
    failed = [make_asked(pupil, link.chatbots.get(), f"Question {number}?", answered=False) for number in range(2)]
    Message.objects.update(status=MessageStatus.FAILED)
    for message in failed:
        message.refresh_from_db()
    results = all_at_once(2, lambda number: asking.ask_again(message=failed[number], policy=PupilPolicy(pupil)).pk)
    assert Message.objects.count() == 3 and len(set(results) & {one.pk for one in failed}) == 1


def test_the_practice_of_a_day(people: Cast, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("classrooms.views.practice.MAX_ANSWERS", 1)
    plan = make_plan(people.alice, "Acid", "Base", "Salt", "Water")
    questions = list(Question.objects.filter(concept__plan=plan))
    assert plan.tutor
    link = open_class(people.alice, plan.tutor)
    client, _ = come_in(link)
    cookies = {name: one.value for name, one in client.cookies.items()}

    def answer(number: int) -> int:
        mine = browser()
        mine.cookies.load(cookies)
        form = {"question": questions[number].pk, "given": "nonsense"}
        return mine.post(page("practise", link, plan.tutor_id), form).status_code

    assert Counter(all_at_once(4, answer)) == {302: 1, 422: 3}
    assert Attempt.objects.count() == 1


def test_a_class_takes_so_many_pupils(link: ClassLink, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pupils, "MAX_PUPILS", 2)
    names = offer([])

    def enter(number: int) -> bool:
        try:
            return bool(pupils.join(link, names[number]))
        except pupils.JoinRefused:
            return False

    assert sum(all_at_once(6, enter)) == 2 == link.pupils.count()


def test_a_member_has_so_many_access_tokens(people: Cast, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tokens, "MAX_TOKENS", 1)

    def make(_: int) -> bool:
        try:
            return bool(tokens.make(member=people.alice, name="Script"))
        except tokens.TokenRefused:
            return False

    assert sum(all_at_once(4, make)) == 1 == AccessToken.objects.count()


def test_of_wrong_codes_at_once_exactly_the_limit_passes(link: ClassLink, people: Cast) -> None:
    """And a right code enters from there all the same, into this school and another."""
    elsewhere = open_class(people.charlie, make_chatbot(people.charlie))
    enter = reverse("classrooms:enter")

    def guess(_: int) -> list[int]:
        return [browser().post(enter, {"code": "AAAAAAAA"}).status_code for _ in range(2)]

    found = Counter(status for two in all_at_once(40, guess) for status in two)
    assert found == {404: rate_limits.WRONG_CLASS_CODES.number, 429: 20}
    for one in (link, elsewhere):
        assert browser().post(enter, {"code": one.code})["Location"] == page("door", one)
        assert browser().post(page("door", one), {"nickname": "Amber Badger"}).status_code == 200
    assert browser("192.0.2.7").post(enter, {"code": "AAAAAAAA"}).status_code == 404


def test_one_network_joins_so_often(link: ClassLink, monkeypatch: pytest.MonkeyPatch) -> None:
    set_limit(monkeypatch, "JOINS", 3)
    names = offer([])

    def enter(number: int) -> int:
        return browser().post(page("door", link), {"nickname": names[number]}).status_code

    assert Counter(all_at_once(8, enter)) == {200: 3, 422: 5}
    assert link.pupils.count() == 3


def test_a_hand_goes_up_a_few_times_a_minute(link: ClassLink) -> None:
    client, pupil = come_in(link)
    message = make_asked(pupil, link.chatbots.get())
    other, their = come_in(link)
    theirs = make_asked(their, link.chatbots.get())

    def wave(client: Client, message: Message, **headers: Any) -> Any:
        client.post(page("hand", link, message.pk), headers=headers)
        return client.post(page("hand", link, message.pk), {"raised": "on"}, headers=headers)

    statuses = [wave(client, message).status_code for _ in range(12)]
    assert statuses == [302] * 10 + [429] * 2
    told = wave(client, message, **{"HX-Request": "true"})
    assert (told.status_code, told["HX-Retarget"]) == (422, "#not-now") and "Wait a minute" in told.content.decode()
    assert not RaisedHand.objects.exists(), "it can be taken back all the same"
    assert wave(other, theirs).status_code == 302, "another pupil is not kept from it"


def test_a_class_is_erased_while_a_pupil_asks(link: ClassLink, pupil: Pupil) -> None:
    """Each waits for the other, and neither is given up for it."""
    chatbot = link.chatbots.get()
    chat = make_asked(pupil, chatbot, answered=False).chat
    pupil = Pupil.objects.select_related("class_link", "participant").get(pk=pupil.pk)
    with as_soon_as_a_row_is_held(lambda: erasing.erase_class(link)) as failed:
        asking.ask(policy=PupilPolicy(pupil), chatbot=chatbot, question="And then?", chat=chat)
    assert not failed and not Message.objects.exists() and not Pupil.objects.exists()
