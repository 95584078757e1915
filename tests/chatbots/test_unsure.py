"""Where no passage surely answers, the answer says so."""

import pytest
from pytest_django import Settings

from chatbots.models import Chatbot, Mode
from tests.factories import Cast, make_chatbot, make_message, personal_document
from tests.scripted import ScriptedLLM

pytestmark = pytest.mark.django_db

VOLCANOES = """# Volcanoes

## Kinds of volcanoes

A shield volcano is wide and flat, because its lava is runny. A composite volcano is steep, because its lava is thick.
The Corn Exchange beside the museum was built from lava stones.
"""
KNOWN, UNKNOWN = "Why is a shield volcano flat?", "When was the Corn Exchange built from stones?"
NOTICE = "No passage was found that surely answers this: check the answer against its sources."


@pytest.fixture
def volcanoes(people: Cast) -> Chatbot:
    return make_chatbot(people.alice, personal=[personal_document(people.alice, VOLCANOES, "volcanoes.md")])


def test_quotations_are_introduced_as_the_closest(people: Cast, volcanoes: Chatbot) -> None:
    message = make_message(people.alice, volcanoes, UNKNOWN)
    assert message.mode == Mode.GROUNDED
    assert message.answer.startswith("*No passage surely answers this. The closest:*\n\n“The Corn Exchange")
    assert not message.support.get("weak") and not message.support.get("missing")
    assert make_message(people.alice, volcanoes, KNOWN).answer.startswith("“A shield volcano is wide")


def test_a_model_and_its_reader_are_told(people: Cast, volcanoes: Chatbot, model: ScriptedLLM) -> None:
    model.enqueue("The Corn Exchange was built from lava stones [1].")
    assert make_message(people.alice, volcanoes, UNKNOWN).notice == NOTICE
    assert "No passage was found that surely answers" in model.history[-1].messages[0].content
    model.enqueue("Because its lava is runny [1].")
    assert make_message(people.alice, volcanoes, KNOWN).notice == ""
    assert "surely answers" not in model.history[-1].messages[0].content


def test_without_reading_nothing_is_said(people: Cast, volcanoes: Chatbot, settings: Settings) -> None:
    settings.LECTERN_READER = "none"
    assert "surely" not in make_message(people.alice, volcanoes, "What was built of lava stones?").answer
