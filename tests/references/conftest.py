from collections.abc import Iterator

import pytest
from django.core.cache import cache
from pytest_django import Settings

from tests.references.sites import Site, site


@pytest.fixture
def web(settings: Settings) -> Iterator[Site]:
    """A site that schools may list."""
    settings.LECTERN_FETCH_LOOPBACK = True
    cache.clear()
    with site() as found:
        yield found
