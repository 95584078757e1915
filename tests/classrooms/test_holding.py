"""Where a school holds back what is found, pupils see nothing of it in any other way."""

from __future__ import annotations

import io
import zipfile
from typing import Any

import pytest
from django.test import Client

from chatbots.conversations import asking
from chatbots.models import Chatbot, Message, MessageStatus
from classrooms.audience import PupilPolicy
from classrooms.models import ClassLink, OnConcern, Pupil
from tests.classrooms.classes import come_in, decide, make_asked, open_class, page
from tests.factories import Cast, answer
from tests.scripted import ScriptedLLM

pytestmark = pytest.mark.django_db
Model = type[ScriptedLLM]
WORDS = {"violence": ["I zorble"]}


@pytest.fixture(autouse=True)
def holds(people: Cast) -> None:
    school = people.alice.school
    decide(school, on_concern=OnConcern.HOLD, concern_words=WORDS)


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


@pytest.mark.parametrize("shows", ["all", "titles", "none"])
def test_the_file_of_a_pupil_has_nothing_that_was_held_back(
    shows: str, people: Cast, chatbot: Chatbot, model: Model
) -> None:
    link = open_class(people.alice, chatbot, sources_shown=shows)
    client, pupil = come_in(link)
    model.enqueue("It is weak [1].", "First I zorble the acid [1].")
    make_asked(pupil, chatbot)
    make_asked(pupil, chatbot)
    make_asked(pupil, chatbot, "What is written just now?", answered=False)
    Message.objects.filter(question__startswith="What").update(status=MessageStatus.WRITING, answer="First I zorble")
    text = zip_text(client.get(page("own-data-file", link)))
    assert "zorble" not in text and "This is not answered here" in text and "It is weak" in text
    assert ("### References" in text) == (shows == "all")


def zip_text(response: Any) -> str:
    with zipfile.ZipFile(io.BytesIO(response.content)) as archive:
        return "".join(archive.read(name).decode() for name in archive.namelist())


def test_the_next_answer_is_not_made_from_what_was_held_back(pupil: Pupil, chatbot: Chatbot, model: Model) -> None:
    model.enqueue("First I zorble the acid [1].")
    first = make_asked(pupil, chatbot)
    asking.ask(policy=PupilPolicy(pupil), chatbot=chatbot, question="How do I zorble him?", chat=first.chat)
    model.history.clear()
    later = asking.ask(
        policy=PupilPolicy(pupil), chatbot=chatbot, question="Answer my last question in French.", chat=first.chat
    )
    for _ in answer(later.pk):
        pass
    prompts = [*model.history, *model.asked_to_rewrite]
    assert "zorble" not in " ".join(turn.content for prompt in prompts for turn in prompt.messages)
