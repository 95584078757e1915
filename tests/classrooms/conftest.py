"""Alice's class, and two pupils in it."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from django.core.cache import cache
from django.test import Client

from chatbots.models import Chatbot
from classrooms.models import ClassLink, Pupil
from tests.classrooms.classes import come_in, decide, open_class
from tests.factories import Cast, signed_in


@pytest.fixture(autouse=True)
def no_wrong_codes() -> Iterator[None]:
    """Wrong codes of one test do not count in the next."""
    cache.clear()
    yield
    cache.clear()


@pytest.fixture
def goes_without_lead(people: Cast) -> None:
    """Classes can be opened: the school has said that it has no safeguarding lead."""
    decide(people.alice.school, goes_without_lead=True)


@pytest.fixture
def link(people: Cast, chatbot: Chatbot) -> ClassLink:
    return open_class(people.alice, chatbot)


@pytest.fixture
def joined(link: ClassLink) -> tuple[Client, Pupil]:
    return come_in(link, "Amber Badger")


@pytest.fixture
def pupil(joined: tuple[Client, Pupil]) -> Pupil:
    return joined[1]


@pytest.fixture
def computer(joined: tuple[Client, Pupil]) -> Client:
    """The pupil's browser."""
    return joined[0]


@pytest.fixture
def alice(people: Cast) -> Client:
    """The teacher’s browser."""
    return signed_in(people.alice)
