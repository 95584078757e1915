"""Exercises and notes for teachers in a textbook: quoted only if they are asked for."""

import pytest

from chatbots.answering.explanations import explain_choice
from chatbots.models import Chatbot, Mode
from tests.factories import Cast, make_chatbot, make_message, personal_document

pytestmark = pytest.mark.django_db

BOOK = """# Motion

## Inertia

> **Teacher Support** Explain that the property of objects to maintain their state of motion is called inertia.

Inertia is related to the mass of an object. Inertia is the tendency of an object at rest to remain at rest.

## Concept Items

What is inertia?

- the ratio of mass and speed
- the sum of mass and speed

How heavy is the anvil of the smithy in Kelbourne?

- 90 kg
- 900 kg
"""


@pytest.fixture
def chatbot(people: Cast) -> Chatbot:
    return make_chatbot(people.alice, personal=[personal_document(people.alice, BOOK, "motion.md")])


def test_a_definition_is_quoted_and_no_option_and_no_note(people: Cast, chatbot: Chatbot) -> None:
    answer = make_message(people.alice, chatbot, "What is inertia?").answer
    assert answer.startswith("“Inertia is the tendency of an object at rest to remain at rest.” [1]")
    assert "ratio" not in answer and "Explain" not in answer


def test_an_exercise_that_is_asked_for_is_quoted_with_its_options(people: Cast, chatbot: Chatbot) -> None:
    message = make_message(people.alice, chatbot, "Give me an exercise on inertia")
    assert message.answer.startswith("“What is inertia?” [1]\n\n- “the ratio of mass and speed” [1]\n- “the sum")
    assert [source.heading_path[-1] for source in message.sources.all()] == ["Concept Items"]


def test_what_only_an_exercise_says_is_a_near_miss(people: Cast, chatbot: Chatbot) -> None:
    message = make_message(people.alice, chatbot, "How heavy is the anvil of the smithy in Kelbourne?")
    chosen = explain_choice(message.chosen)
    assert message.mode == Mode.REFUSED and chosen is not None
    assert any("anvil" in near.excerpt for near in chosen.nearest)


def test_a_summary_leaves_exercises_out(people: Cast, chatbot: Chatbot) -> None:
    answer = make_message(people.alice, chatbot, "Summarise the document on motion").answer
    assert "Inertia is related" in answer and "Concept Items" not in answer and "Teacher" not in answer
