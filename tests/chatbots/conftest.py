import pytest
from django.test import Client

from tests.factories import Cast, program_of


@pytest.fixture
def alice(people: Cast) -> Client:
    """A program of Alice's, with an access token."""
    return program_of(people.alice)
