"""A greeting, thanks and “Who are you?” get one friendly line that says what was read, not a refusal."""

from __future__ import annotations

import pytest
from django.test import Client

from chatbots.answering.greetings import reply_to_manners
from chatbots.answering.request import load_history
from chatbots.models import Chatbot, Message, Mode, QuestionLogEntry
from tests.classrooms.classes import come_in, make_asked, open_class
from tests.factories import Cast, make_chatbot, make_message
from tests.scripted import ScriptedLLM

pytestmark = pytest.mark.django_db


@pytest.mark.parametrize(
    ("said", "language", "begins"),
    [
        ("Hello!", "en", "Hello! I answer from what I have read: “"),
        ("  hi  ", "de", "Hallo!"),
        ("Hi", "fr", "Hello!"),
        ("Guten Morgen", "en", "Hallo!"),
        ("Hallo, wer bist du?", "en", "Hallo!"),
        ("Grüß Gott, wer sind Sie?", "en", "Hallo!"),
        ("Danke schön!", "de", "Gern geschehen!"),
        ("thanks a lot :)", "en", "You are welcome!"),
        ("Who are you?", "en", "Hello!"),
        ("Merci beaucoup", "fr", "Avec plaisir !"),
        ("Qui êtes-vous ?", "fr", "Bonjour !"),
        ("¡Hola! ¿Quién eres?", "es", "¡Hola!"),
        ("Gracias", "en", "¡De nada!"),
    ],
)
def test_it_is_answered_in_its_language(
    people: Cast, chatbot: Chatbot, model: type[ScriptedLLM], said: str, language: str, begins: str
) -> None:
    Chatbot.objects.update(language=language)
    message = make_message(people.alice, Chatbot.objects.get(), said)
    assert (message.status, message.mode, message.notice) == ("done", Mode.MANNERS, "")
    assert message.answer.startswith(begins) and model.history == []
    for title in {one.title for one in chatbot.personal_documents.all()}:
        assert f"“{title}”" in message.answer


@pytest.mark.parametrize(
    "question",
    [
        "Who are the Normans?",
        "Hello world in Python",
        "What is a salut?",
        "thanks to whom?",
        "Wer sind sie?",
        "?",
        "hi " * 40,
    ],
)
def test_a_question_is_none(question: str) -> None:
    assert reply_to_manners(question, [], "en") == ""


def test_it_is_no_part_of_the_conversation_and_its_titles_stay_private(people: Cast, chatbot: Chatbot) -> None:
    message = make_message(people.alice, chatbot, "Hello")
    following = Message.objects.create(
        school=message.school, chat=message.chat, question="How strong?", status="pending"
    )
    assert load_history(following) == []
    assert QuestionLogEntry.objects.get(message_id=message.pk).answer == ""


def test_a_chatbot_that_shares_nothing_names_nothing(people: Cast, chatbot: Chatbot) -> None:
    empty = make_chatbot(people.alice)
    assert "“" not in make_message(people.alice, empty, "Hello").answer


@pytest.mark.needs("classrooms")
def test_pupils_are_told_no_titles(people: Cast, chatbot: Chatbot) -> None:
    _, pupil = come_in(open_class(people.alice, chatbot))
    assert make_asked(pupil, chatbot, "Hello").answer.startswith("Hello! I answer from what I have read: my sources.")


def test_programs_get_its_mode(people: Cast, chatbot: Chatbot, alice: Client) -> None:
    message = make_message(people.alice, chatbot, "Hello")
    body = alice.get(f"/api/v1/messages/{message.pk}").json()
    assert (body["mode"], body["refused"]) == ("manners", False)
