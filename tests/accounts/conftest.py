"""An issuer on loopback, and the provider of Riverside that trusts it."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from django.core.cache import cache
from pytest_django import Settings

from accounts.models import IdentityProvider
from tests.factories import Cast
from tests.issuers import Issuer, issuer, make_provider


@pytest.fixture
def loopback(settings: Settings) -> None:
    settings.LECTERN_FETCH_LOOPBACK = True
    cache.clear()  # failures are counted by address


@pytest.fixture
def school_id(loopback: None) -> Iterator[Issuer]:
    with issuer() as found:
        yield found


@pytest.fixture
def provider(people: Cast, school_id: Issuer) -> IdentityProvider:
    return make_provider(people.alice.school, school_id)
