"""Where a school holds back what its rules find, pupils see nothing of it in any other way."""

from __future__ import annotations

import io
import zipfile
from typing import Any

import pytest
from django.test import Client

from chatbots.models import Chatbot, Message, MessageStatus
from classrooms import flagging
from classrooms.models import ClassLink, ClassroomSettings, OnConcern, Pupil
from tests.classrooms.classes import make_asked, page
from tests.factories import Cast
from tests.scripted import ScriptedLLM

pytestmark = pytest.mark.django_db
Model = type[ScriptedLLM]
RULES = "@self = i, my\n\n[violence]\n@self ~3 (zorble*)\n"


@pytest.fixture(autouse=True)
def holds(people: Cast) -> None:
    flagging.save_rules(people.alice.school, "en", RULES)
    ClassroomSettings.objects.create(school=people.alice.school, on_concern=OnConcern.HOLD)


@pytest.mark.parametrize("where", ["chat", "exchange", "hand"])
def test_a_page_shows_nothing_of_an_answer_that_is_being_written(
    where: str, link: ClassLink, pupil: Pupil, computer: Client, chatbot: Chatbot, model: Model
) -> None:
    message = make_asked(pupil, chatbot)
    titles = [source.document_title for source in message.sources.all()]
    Message.objects.filter(pk=message.pk).update(status=MessageStatus.WRITING, answer="First I zorble the acid")
    if where == "hand":
        response = computer.post(page("hand", link, message.pk), {"raised": "on"}, headers={"HX-Request": "true"})
    else:
        response = computer.get(page(where, link, message.chat_id if where == "chat" else message.pk))
    shown = response.content.decode()
    assert response.status_code == 200
    assert "zorble" not in shown and titles and titles[0] not in shown
    assert computer.get(page("source", link, message.sources.all()[0].pk)).status_code == 404
