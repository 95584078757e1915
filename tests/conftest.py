"""Shared by all tests: servers, Django, files of their own, and no network.

DJANGO_SETTINGS_MODULE is set here and not in pyproject.toml: pytest-django would read the settings before
this file could start the servers that they point to.
"""

import os
from collections.abc import Iterator
from pathlib import Path

import django
import hypothesis
import pytest
from django.db import connection
from pytest_django import Settings

from tests import services

pytest_plugins = ["tests.running"]

services.start()
services.refuse_network()
os.environ["DJANGO_SETTINGS_MODULE"] = "config.settings"
os.environ.setdefault("OMP_NUM_THREADS", "1")
os.environ.setdefault("LECTERN_RETRY_SECONDS", "0")
os.environ.setdefault("LECTERN_API_RATE", "0")  # all tests come from one address
django.setup()

# The same examples on every machine and in every run; how long one takes depends on the neighbours.
hypothesis.settings.register_profile("lectern", derandomize=True, deadline=None, max_examples=60)
hypothesis.settings.load_profile("lectern")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """The files whose tests are long come first, so that none of them is begun when all else is done."""
    long = ("operations", "browser", "guards", "test_benchmarks.py")
    items.sort(
        key=lambda item: next((n for n, name in enumerate(long) if name in item.path.parts), len(long))
    )


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_setupnodes() -> None:
    """Keep the name of the settings from xdist's workers, for the reason above: they set it here themselves."""
    os.environ.pop("DJANGO_SETTINGS_MODULE", None)


@pytest.fixture(scope="session")
def django_db_setup(django_db_setup: None) -> Iterator[None]:
    """The pools let go of the test database before it is dropped."""
    from corpus.connections import close_search_connections

    yield
    close_search_connections()
    connection.close_pool()  # type: ignore[attr-defined]


@pytest.fixture(autouse=True)
def embedder_of_the_settings() -> Iterator[None]:
    """No test inherits the embedding model that another one has put in force."""
    from engines.embedding import put_none_in_force

    put_none_in_force()
    yield
    put_none_in_force()


@pytest.fixture(autouse=True)
def own_files(settings: Settings, tmp_path: Path) -> None:
    """Uploads of a test land in its own directory."""
    settings.MEDIA_ROOT = tmp_path / "files"
