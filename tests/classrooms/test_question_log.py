"""What the school's question log has of pupils: pupils, admins and certificates are told the same."""

from __future__ import annotations

import pytest
from django.test import Client
from pytest_django import Settings

from chatbots.conversations import asking
from chatbots.models import Chatbot, QuestionLogEntry
from classrooms import erasing
from classrooms.audience import PupilPolicy
from classrooms.models import ClassLink, OnConcern, Pupil
from privacy.erasing import erase_person
from tests.classrooms.classes import browser, decide, make_asked, page
from tests.factories import Cast, signed_in

pytestmark = pytest.mark.django_db


@pytest.mark.parametrize("days", [0, 30])
def test_pupils_and_admins_are_told_of_the_log(
    days: int, settings: Settings, people: Cast, link: ClassLink, pupil: Pupil, chatbot: Chatbot
) -> None:
    settings.LECTERN_QUESTION_LOG_DAYS = days
    message = make_asked(pupil, chatbot)
    door = browser().get(page("door", link)).content.decode()
    carol = signed_in(people.carol)
    log, classes = carol.get("/schools/questions/").content.decode(), carol.get("/schools/classes/").content.decode()
    is_kept = bool(days)
    assert (message.question in log) is is_kept and pupil.nickname not in log
    assert ("The admins of your school can read it without names" in door) is is_kept
    assert ("without names, until the pupil or the class is erased" in classes) is is_kept
    assert ("Only what pupils of a class asked goes earlier" in log) is is_kept
    assert message.question not in classes


def test_a_question_that_is_held_back_is_not_in_the_log(people: Cast, pupil: Pupil, chatbot: Chatbot) -> None:
    decide(people.alice.school, on_concern=OnConcern.HOLD)
    message = asking.ask(policy=PupilPolicy(pupil), chatbot=chatbot, question="I want to kill myself")
    assert message.is_finished and not QuestionLogEntry.objects.exists()


def test_a_certificate_does_not_say_that_entries_of_pupils_are_kept(
    people: Cast, link: ClassLink, pupil: Pupil, computer: Client, chatbot: Chatbot
) -> None:
    make_asked(pupil, chatbot)
    erasing.erase_pupil(pupil)
    assert not QuestionLogEntry.objects.exists()
    kept = " ".join(erase_person(people.alice, asked_by=people.carol).kept)
    assert "Those of pupils are erased with their classes." in kept
