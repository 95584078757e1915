from collections.abc import Iterator

import pytest
from pytest_django import Settings

from tests.factories import finish_answers
from tests.guards.world import World, make_world


@pytest.fixture
def world(settings: Settings) -> Iterator[World]:
    settings.LECTERN_ANSWERER = "tests.scripted.ScriptedLLM"
    yield make_world()
    finish_answers()
