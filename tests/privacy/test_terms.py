"""What has been stored for its time is erased at night, in all tables, whatever happens to one of them."""

from __future__ import annotations

from datetime import timedelta

import pytest
from allauth.usersessions.models import UserSession
from django.contrib.sessions.models import Session
from django.utils import timezone
from pytest_django import Settings

from chatbots.models import Chatbot, QuestionLogEntry
from classrooms.models import ClassLink
from privacy import registry
from privacy.models import Erasure
from privacy.registry import PersonalData, make_due_filter
from privacy.tasks import erase_old
from tests.classrooms.classes import open_class
from tests.factories import Cast, make_message
from tests.scripted import ScriptedLLM

pytestmark = pytest.mark.django_db


def make_old(people: Cast, chatbot: Chatbot) -> None:
    """A session that has ended, an entry of the log and a class, all stored for long enough."""
    long_ago = timezone.now() - timedelta(days=1000)
    Session.objects.create(session_key="x" * 32, session_data="", expire_date=long_ago)
    make_message(people.alice, chatbot, "How strong may acid be?")
    QuestionLogEntry.objects.update(asked_at=long_ago)
    ClassLink.objects.filter(pk=open_class(people.alice, chatbot).pk).update(ends_at=long_ago)


def test_one_task_erases_all_tables(people: Cast, chatbot: Chatbot, model: type[ScriptedLLM]) -> None:
    make_old(people, chatbot)
    erased = erase_old()
    labels = ("sessions.Session", "chatbots.QuestionLogEntry", "classrooms.ClassLink")
    assert [erased[label] for label in labels] == [1, 1, 1]
    assert set(erase_old().values()) == {0}
    assert Erasure.objects.get().kind == "class"


def test_a_table_that_fails_stops_no_other(
    people: Cast,
    chatbot: Chatbot,
    model: type[ScriptedLLM],
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> None:
    make_old(people, chatbot)
    due = make_due_filter(Session, "no_such_column", timedelta())
    broken = [PersonalData(Session, due=due), PersonalData(Session, due=due, erase=lambda *_: None)]
    monkeypatch.setattr(registry, "_declared", [*broken, *registry.list_declared()])
    erased = erase_old()
    assert erased["chatbots.QuestionLogEntry"] == erased["classrooms.ClassLink"] == 1
    assert "session" in caplog.text and "could not be erased" in caplog.text
    assert "What is due of sessions could not be read" in caplog.text


def test_where_somebody_was_signed_in_is_kept_no_longer_than_a_session_may_last(people: Cast) -> None:
    for days in (13, 15):
        seen = UserSession.objects.create(user=people.alice.user, session_key=f"{days}", ip="192.0.2.1")
        UserSession.objects.filter(pk=seen.pk).update(last_seen_at=timezone.now() - timedelta(days=days))
    assert erase_old()["usersessions.UserSession"] == 1
    assert UserSession.objects.get().session_key == "13"


def test_a_term_is_a_setting(people: Cast, chatbot: Chatbot, model: type[ScriptedLLM], settings: Settings) -> None:
    make_message(people.alice, chatbot, "How strong may acid be?")
    QuestionLogEntry.objects.update(asked_at=timezone.now() - timedelta(days=5))
    settings.LECTERN_QUESTION_LOG_DAYS = 6
    assert erase_old()["chatbots.QuestionLogEntry"] == 0
    settings.LECTERN_QUESTION_LOG_DAYS = 4
    assert erase_old()["chatbots.QuestionLogEntry"] == 1
