"""Erased means erased: no word of a pupil is left in any table or file."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from django.conf import settings
from django.core import mail
from django.core.cache import cache
from django.db import IntegrityError, OperationalError, connection, transaction
from django.test import Client
from django.utils import timezone

from chatbots.conversations.deletion import erase_chatbot
from chatbots.models import Chatbot, Message, Participant, QuestionLogEntry
from classrooms import erasing, hands, mails
from classrooms.joining import pupils
from classrooms.models import ClassLink, Flag, Pupil
from privacy.erasing import erase_old
from privacy.models import Erasure
from schools.deletion import delete_with_everything
from tests.classrooms.classes import come_in, make_asked, name_leads, open_class, page
from tests.factories import Cast, signed_in
from tests.scripted import ScriptedLLM

pytestmark = pytest.mark.django_db
Model = type[ScriptedLLM]
SECRET = "quivertassel"


def tables_with(word: str) -> set[str]:
    """The tables of the database in which a row has this word."""
    found = set()
    with connection.cursor() as cursor:
        for table in connection.introspection.table_names(cursor):
            cursor.execute(f'SELECT EXISTS (SELECT FROM "{table}" AS r WHERE r::text ILIKE %s)', [f"%{word}%"])
            row = cursor.fetchone()
            if row and row[0]:
                found.add(table)
    return found


def asks_secret(pupil: Pupil, chatbot: Chatbot) -> Message:
    message = make_asked(pupil, chatbot, f"How strong may acid be, {SECRET}?")
    hands.raise_hand(message, is_raised=True)
    hands.write_note(message, f"A note about {SECRET}.")
    return message


def test_the_search_finds_what_was_written(pupil: Pupil, chatbot: Chatbot, model: Model) -> None:
    asks_secret(pupil, chatbot)
    expected = {
        "chatbots_chat",
        "chatbots_message",
        "chatbots_promptrecord",
        "chatbots_questionlogentry",
        "classrooms_teachernote",
    }
    assert expected <= tables_with(SECRET)


@pytest.mark.parametrize("what", ["pupil", "class", "night"])
def test_nothing_is_left(
    what: str, pupil: Pupil, link: ClassLink, chatbot: Chatbot, people: Cast, model: Model
) -> None:
    asks_secret(pupil, chatbot)
    if what == "pupil":
        assert erasing.erase_pupil(pupil).counts == {"pupils": 1, "questions": 1}
    elif what == "class":
        assert erasing.erase_class(link).counts == {"classes": 1, "pupils": 1, "questions": 1}
    else:
        ClassLink.objects.update(ends_at=timezone.now() - timedelta(days=31))
        assert erase_old()["classrooms.ClassLink"] == 1
    assert tables_with(SECRET) == set()
    assert tables_with("Amber Badger") == set()
    assert not Pupil.objects.exists() and not Participant.objects.filter(user=None).exists()
    assert ClassLink.objects.exists() == (what == "pupil")
    for path in Path(settings.MEDIA_ROOT).rglob("*"):
        assert not path.is_file() or SECRET.encode() not in path.read_bytes()
    assert SECRET not in repr(getattr(cache, "memory", cache).__dict__)


def test_only_that_pupil_is_erased(link: ClassLink, pupil: Pupil, chatbot: Chatbot, people: Cast, model: Model) -> None:
    _, other = come_in(link)
    kept = make_asked(other, chatbot)
    asks_secret(pupil, chatbot)
    erasing.erase_pupil(pupil)
    assert list(Message.objects.all()) == [kept] and QuestionLogEntry.objects.count() == 1


def test_a_class_is_kept_for_its_days(people: Cast, chatbot: Chatbot) -> None:
    ended = open_class(people.alice, chatbot, days_kept=10)
    ClassLink.objects.filter(pk=ended.pk).update(ends_at=timezone.now() - timedelta(days=9))
    closed = open_class(people.alice, chatbot, days_kept=0, closed_at=timezone.now() - timedelta(minutes=1))
    running = open_class(people.alice, chatbot, days_kept=0)
    assert erase_old()["classrooms.ClassLink"] == 1
    assert {link.pk for link in ClassLink.objects.all()} == {ended.pk, running.pk} != {closed.pk}


def test_an_erased_pupil_is_out(link: ClassLink, computer: Client, pupil: Pupil, people: Cast) -> None:
    alice = signed_in(people.alice)
    confirm = alice.get(f"/classes/pupils/{pupil.pk}/erase/").content.decode()
    assert "can’t be undone" in confirm and "Look first" not in confirm
    alice.post(f"/classes/pupils/{pupil.pk}/erase/")
    assert computer.get(page("room", link))["Location"] == page("door", link)


def test_the_class_is_erased_after_a_confirmation(link: ClassLink, pupil: Pupil, people: Cast) -> None:
    alice = signed_in(people.alice)
    assert "Chemistry 9b" in alice.get(f"/classes/{link.pk}/erase/").content.decode()
    assert ClassLink.objects.exists()
    text = alice.post(f"/classes/{link.pk}/erase/", follow=True).content.decode()
    assert "Erased: the class" in text and not ClassLink.objects.exists()


def test_nothing_is_left_where_the_chatbot_went_first(
    link: ClassLink, pupil: Pupil, chatbot: Chatbot, model: Model
) -> None:
    asks_secret(pupil, chatbot)
    erase_chatbot(chatbot)
    erasing.erase_class(link)
    assert tables_with(SECRET) == set()


def test_nothing_is_left_where_the_account_of_the_teacher_is_deleted(
    people: Cast, link: ClassLink, pupil: Pupil, chatbot: Chatbot, model: Model
) -> None:
    asks_secret(pupil, chatbot)
    delete_with_everything([people.alice.user])
    assert tables_with(SECRET) == set()
    assert not Participant.objects.filter(user=None).exists()


def test_one_class_that_cannot_be_erased_keeps_no_other(
    people: Cast, chatbot: Chatbot, monkeypatch: pytest.MonkeyPatch
) -> None:
    broken, _ = open_class(people.alice, chatbot), open_class(people.alice, chatbot)
    ClassLink.objects.update(ends_at=timezone.now() - timedelta(days=40))
    erase = erasing.erase_class

    def fails(link: ClassLink, **asked: Any) -> Erasure:
        if link == broken:
            raise OperationalError("deadlock detected")
        return erase(link, **asked)

    monkeypatch.setattr(erasing, "erase_class", fails)
    assert erase_old()["classrooms.ClassLink"] == 1
    assert ClassLink.objects.get() == broken


def test_a_class_that_was_prolonged_meanwhile_stays(
    people: Cast, chatbot: Chatbot, monkeypatch: pytest.MonkeyPatch
) -> None:
    for _ in range(2):
        open_class(people.alice, chatbot)
    ClassLink.objects.update(ends_at=timezone.now() - timedelta(days=40))
    erase = erasing.erase_class

    def prolongs(link: ClassLink, **asked: Any) -> Erasure:
        ClassLink.objects.exclude(pk=link.pk).update(ends_at=timezone.now() + timedelta(days=7))
        return erase(link, **asked)

    monkeypatch.setattr(erasing, "erase_class", prolongs)
    assert erase_old()["classrooms.ClassLink"] == 1 and ClassLink.objects.exists()


def worry(pupil: Pupil, chatbot: Chatbot, category: str = "self-harm") -> Flag:
    message = asks_secret(pupil, chatbot)
    row = {"school": message.school, "pupil": pupil, "message": message, "words": SECRET, "entry": SECRET}
    return Flag.objects.create(**row, category=category)


def test_a_pupil_who_erases_an_unseen_concern_leaves_it_known_without_a_word(
    link: ClassLink, pupil: Pupil, computer: Client, people: Cast, chatbot: Chatbot, model: Model
) -> None:
    worry(pupil, chatbot)
    name_leads(people.carol, tells_teacher=True)
    assert "it stays known" in computer.get(page("own-data", link)).content.decode()
    erasing.erase_pupil(pupil)
    assert tables_with(SECRET) == set() and tables_with("Amber Badger") == {"classrooms_flag"}
    alice = signed_in(people.alice)
    desk = alice.get(f"/classes/{link.pk}/").content.decode()
    assert "Self-harm" in desk and "Amber Badger" in desk
    assert "The pupil has erased it." in desk
    trace = Flag.objects.get()
    for stranger in (people.bob, people.charlie):
        assert signed_in(stranger).post(f"/classes/flags/{trace.pk}/seen/").status_code == 404
    alice.post(f"/classes/flags/{trace.pk}/seen/")
    assert "The pupil has erased it." not in alice.get(f"/classes/{link.pk}/").content.decode()
    assert mails.mail_flags() == 2 and mails.mail_flags() == 0  # seen, and the others are told all the same
    assert sorted(one.to[0] for one in mail.outbox) == sorted([people.alice.user.email, people.carol.user.email])
    assert all("erased" in one.body and "Amber Badger" in one.body for one in mail.outbox)
    assert tables_with("Amber Badger") == set()


@pytest.mark.parametrize("is_seen", [False, True])
def test_a_pupil_takes_every_word_back_from_the_lead(
    is_seen: bool, pupil: Pupil, people: Cast, chatbot: Chatbot, model: Model
) -> None:
    name_leads(people.carol)
    pupils.note_real_name(pupil, "Mia Zorble")
    worry(pupil, chatbot)
    erase_chatbot(chatbot)
    handed = Flag.objects.get()
    assert tables_with("Mia Zorble") == {"classrooms_flag", "classrooms_realname"}
    assert SECRET in str(handed.handed)
    handed.delete()  # and handed over once more
    Flag.objects.update(seen_at=timezone.now() if is_seen else None)
    assert bool(erasing.erase_pupil(pupil).kept) is not is_seen
    assert tables_with(SECRET) == tables_with("Mia Zorble") == set() and Flag.objects.count() == 1
    assert "The pupil has erased it." in signed_in(people.carol).get("/classes/concerns/").content.decode()


@pytest.mark.parametrize("category", ["personal-data", "instructions"])
def test_a_light_concern_goes_with_the_pupil(category: str, pupil: Pupil, chatbot: Chatbot, model: Model) -> None:
    worry(pupil, chatbot, category)
    assert erasing.erase_pupil(pupil).kept == []
    assert not Flag.objects.exists() and tables_with(SECRET) == set()


def test_a_concern_that_was_seen_goes_with_the_pupil(pupil: Pupil, chatbot: Chatbot, model: Model) -> None:
    worry(pupil, chatbot)
    Flag.objects.update(seen_at=timezone.now(), mailed_at=timezone.now())
    assert erasing.erase_pupil(pupil).kept == [] and not Flag.objects.exists()


def test_nothing_of_a_seen_concern_is_left_with_the_class(
    link: ClassLink, pupil: Pupil, chatbot: Chatbot, model: Model
) -> None:
    worry(pupil, chatbot)
    Flag.objects.update(seen_at=timezone.now(), mailed_at=timezone.now())
    assert erasing.erase_class(link).kept == []
    assert not Flag.objects.exists() and tables_with("Amber Badger") == tables_with(SECRET) == set()


@pytest.mark.parametrize("left", [{"words": SECRET}, {"entry": SECRET}, {"practised": SECRET}, {"class_link": None}])
def test_the_database_lets_no_word_stay_with_an_erased_concern(
    left: dict[str, Any], pupil: Pupil, chatbot: Chatbot, model: Model
) -> None:
    worry(pupil, chatbot)
    erasing.erase_pupil(pupil)
    with pytest.raises(IntegrityError, match="flag_of_something"), transaction.atomic():
        Flag.objects.update(**left)
