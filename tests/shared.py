"""Fixtures that all tests may use: the cast, its chatbot, browsers in which somebody is signed in, and a model that
writes what the test tells it to."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest
from django.test import Client
from pytest_django import Settings

from chatbots.models import Chatbot
from schools.models import Membership
from tests import factories, kept
from tests.factories import Cast
from tests.scripted import ScriptedLLM


@pytest.fixture
def people(db: None) -> Cast:
    return kept.people() or factories.cast()


@pytest.fixture
def cast(people: Cast) -> Cast:
    """The same, for tests that speak of people one by one."""
    return people


@pytest.fixture
def chatbot(people: Cast) -> Chatbot:
    """Alice's chatbot with a document of her own and one of the library."""
    return kept.chatbot() or factories.make_helper(people)


@pytest.fixture
def sign_in() -> Callable[[Membership], Client]:
    """A browser in which a person is signed in."""
    return factories.signed_in


@pytest.fixture
def model(settings: Settings) -> Iterator[type[ScriptedLLM]]:
    """A language model that writes what the test tells it to."""
    settings.LECTERN_ANSWERER = "tests.scripted.ScriptedLLM"
    ScriptedLLM.reset()
    yield ScriptedLLM
    ScriptedLLM.reset()
