from collections.abc import Iterator
from dataclasses import replace

import pytest
from pytest_django import Settings

from corpus.source_kinds import get_kind, register
from tests import kept
from tests.factories import cast, finish_answers
from tests.guards.world import World, make_world
from tests.in_memory import InMemory


@pytest.fixture
def world(db: None, settings: Settings) -> Iterator[World]:
    settings.LECTERN_ANSWERER = "tests.scripted.ScriptedLLM"
    live = get_kind("wikipedia_live")
    register(replace(live, page_source=lambda chatbot, page: InMemory(live, [f"Hydrochloric acid, says {page}."])))
    yield kept.world() or make_world(cast())
    finish_answers()
    register(live)
