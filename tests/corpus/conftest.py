"""People with a chatbot, and two small models that can be moved to."""

from __future__ import annotations

from pathlib import Path

import pytest

from chatbots.models import Chatbot
from tests.engines.models import static_model
from tests.factories import Cast, cast, helper_of


@pytest.fixture
def people(db: None) -> Cast:
    return cast()


@pytest.fixture
def chatbot(people: Cast) -> Chatbot:
    """Alice's chatbot with a document of her own and one of the library."""
    return helper_of(people)


@pytest.fixture(scope="session")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("models")


@pytest.fixture(scope="session")
def small(folder: Path) -> Path:
    return static_model(folder / "small", 24)


@pytest.fixture(scope="session")
def large(folder: Path) -> Path:
    return static_model(folder / "large", 512)
