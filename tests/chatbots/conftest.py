import pytest
from django.test import Client

from tests.factories import Cast, make_program


@pytest.fixture
def alice(people: Cast) -> Client:
    """A program of Alice's, with an access token."""
    return make_program(people.alice)
