import pytest
from django.test import Client

from tests.factories import Cast


@pytest.fixture
def alice(cast: Cast) -> Client:
    """A browser in which Alice is signed in."""
    client = Client()
    client.force_login(cast.alice.user)
    return client
