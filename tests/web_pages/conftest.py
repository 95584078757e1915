"""A small web site on this machine, and schools that let its pages become documents."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from django.test import Client
from pytest_django import Settings

from references.models import ReferenceSettings
from tests.factories import Cast, signed_in
from tests.references.sites import Site, site


@pytest.fixture
def web(settings: Settings) -> Iterator[Site]:
    settings.LECTERN_FETCH_LOOPBACK = True
    with site() as found:
        yield found


@pytest.fixture
def allowed(cast: Cast) -> ReferenceSettings:
    """Alice's school has switched web pages on, and http, which the site speaks."""
    return ReferenceSettings.objects.create(school=cast.alice.school, allows_web_pages=True, allows_http=True)


@pytest.fixture
def alice(cast: Cast) -> Client:
    return signed_in(cast.alice)
