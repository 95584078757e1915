from collections.abc import Iterator

import pytest
from django.test import Client
from pytest_django import Settings

from chatbots.models import Chatbot
from tests.factories import Cast, cast, helper_of, program_of
from tests.scripted import ScriptedLLM


@pytest.fixture
def people(db: None) -> Cast:
    return cast()


@pytest.fixture
def chatbot(people: Cast) -> Chatbot:
    """Alice's chatbot with a document of her own and one of the library."""
    return helper_of(people)


@pytest.fixture
def alice(people: Cast) -> Client:
    """A program of Alice's, with an access token."""
    return program_of(people.alice)


@pytest.fixture
def model(settings: Settings) -> Iterator[type[ScriptedLLM]]:
    """A language model that writes what the test tells it to."""
    settings.LECTERN_ANSWERER = "tests.scripted.ScriptedLLM"
    ScriptedLLM.reset()
    yield ScriptedLLM
    ScriptedLLM.reset()
