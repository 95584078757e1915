"""Shared by all tests: servers, Django, files of their own, and no network.

DJANGO_SETTINGS_MODULE is set here and not in pyproject.toml: pytest-django would read the settings before
this file could start the servers that they point to.
"""

import fcntl
import gc
import os
from collections.abc import Iterator
from pathlib import Path
from typing import IO
from uuid import uuid4

import django
import hypothesis
import pytest
from django.conf import settings as django_settings
from django.db import connection
from pytest_django import DjangoDbBlocker, Settings

from plugins import is_on
from tests import services

MIGRATED = "migrated"
"""The database that xdist's workers copy."""

pytest_plugins = ["tests.running", "tests.kept", "tests.shared"]

services.start()
services.refuse_network()
os.environ["DJANGO_SETTINGS_MODULE"] = "config.settings"
os.environ.setdefault("OMP_NUM_THREADS", "1")
os.environ.setdefault("LECTERN_DEMO", "1")
os.environ.setdefault("LECTERN_RETRY_SECONDS", "0")
os.environ.setdefault("LECTERN_API_RATE", "0")  # all tests come from one address
# On a busy machine no source is late, and no document takes too long.
os.environ.setdefault("LECTERN_SEARCH_DEADLINE_MS", "60000")
os.environ.setdefault("LECTERN_PARSE_SECONDS", "300")
os.environ.setdefault("LECTERN_OCR_SECONDS", "300")
django.setup()

# The same examples on every machine and in every run; how long one takes depends on the neighbours.
hypothesis.settings.register_profile("lectern", derandomize=True, deadline=None, max_examples=60)
hypothesis.settings.load_profile("lectern")


if django_settings.LECTERN_PLUGINS_OFF:
    # Their own tests, and those that look at everything that there is.
    collect_ignore = [label for label in django_settings.PLUGINS if not is_on(label)]
    collect_ignore += ["browser", "demo", "guards", "plugins", "privacy"]


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Leave out what needs a plug-in that is off. Tests of processes come first: others run while they wait."""
    items[:] = [item for item in items if all(map(is_on, _find_needs(item)))]
    items.sort(key=lambda item: "tests/operations/" not in item.nodeid)


def _find_needs(item: pytest.Item) -> set[str]:
    return {label for mark in item.iter_markers("needs") for label in mark.args}


def pytest_collection_finish() -> None:
    """Tests and libraries stay to the end: looking through them for garbage over and over takes a twentieth of all."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(10_000, 20, 20)


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_setupnodes() -> None:
    """Keep the name of the settings from xdist's workers, for the reason above: they set it here themselves."""
    os.environ.pop("DJANGO_SETTINGS_MODULE", None)


@pytest.fixture(scope="session")
def django_db_modify_db_settings(django_db_modify_db_settings_parallel_suffix: None) -> Iterator[IO[str] | None]:
    """The first of xdist's workers migrates a database, and the others copy it.

    Returns the lock, held, for the first one, which has to make the copy.
    """
    if "PYTEST_XDIST_WORKER" not in os.environ:
        yield None
        return
    with (Path(django_settings.DATA_DIR) / "migrated.lock").open("a+") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        lock.seek(0)
        if not lock.read():
            yield lock
            return
    connection.settings_dict["TEST"]["TEMPLATE"] = MIGRATED
    yield None


@pytest.fixture(scope="session")
def django_db_setup(
    django_db_setup: None, django_db_modify_db_settings: IO[str] | None, django_db_blocker: DjangoDbBlocker
) -> Iterator[None]:
    """Nobody is connected to the test database when it is dropped: neither the pools, nor a request that was cut off
    when the browser tests' server ended."""
    from corpus.search.pool import close_search_connections
    from tests import kept

    if lock := django_db_modify_db_settings:
        with django_db_blocker.unblock():
            connection.close()
            connection.close_pool()  # type: ignore[attr-defined]
            with connection._nodb_cursor() as cursor:
                cursor.execute(f'CREATE DATABASE "{MIGRATED}" TEMPLATE "{connection.settings_dict["NAME"]}"')
        lock.write("done")
        lock.flush()
        fcntl.flock(lock, fcntl.LOCK_UN)
    yield
    with django_db_blocker.unblock():
        kept.end()
    close_search_connections()
    with django_db_blocker.unblock(), connection.cursor() as cursor:
        cursor.execute(
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity"
            " WHERE datname = current_database() AND pid <> pg_backend_pid()"
        )
    connection.close_pool()  # type: ignore[attr-defined]


@pytest.fixture(scope="session", autouse=True)
def shortcuts() -> None:
    """What the product does slowly on purpose, and Django without need, is done quickly here."""
    from tests import flushing, in_series, remembered

    flushing.install()
    remembered.install()
    in_series.install()
    django_settings.PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]


@pytest.fixture(autouse=True)
def embedder_of_the_settings(monkeypatch: pytest.MonkeyPatch) -> None:
    """No test inherits the embedding model that another one has put in force."""
    monkeypatch.setattr("engines.embedding.runtime._active", None)


@pytest.fixture(autouse=True)
def own_counts(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Schools of several tests have the same ids, and all people one address: each test counts from nothing."""
    from schools import rate_limits

    monkeypatch.setattr(rate_limits, "_PREFIX", f"lectern:rate:{uuid4().hex}:")
    yield
    rate_limits.breaker.close()


@pytest.fixture(autouse=True)
def own_files(settings: Settings, tmp_path: Path) -> None:
    """Uploads of a test land in its own directory."""
    settings.MEDIA_ROOT = tmp_path / "files"
