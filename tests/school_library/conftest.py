from collections.abc import Callable

import pytest
from django.test import Client

from schools.models import Membership
from tests import factories
from tests.factories import Cast


@pytest.fixture
def cast(db: None) -> Cast:
    return factories.cast()


@pytest.fixture
def client_of() -> Callable[[Membership], Client]:
    """A browser in which a person is signed in."""

    def of(member: Membership) -> Client:
        client = Client()
        client.force_login(member.user)
        return client

    return of
