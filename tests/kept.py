"""The cast, its chatbot and the world of the walks are made once for all ordinary tests in a row that want them.

Each has them unchanged.

They stand in transactions around that of the test, which is rolled back as ever. A test that wants less than there is,
or that commits, ends those transactions first; the next one that wants them makes them anew.
"""

from __future__ import annotations

import copy
import shutil
import tempfile
from pathlib import Path
from typing import Any

import pytest
from django.conf import settings
from django.db import connection, transaction
from django.test import override_settings
from pytest_django import DjangoDbBlocker

from chatbots.models import Chatbot
from tests import factories
from tests.factories import Cast

MODULES = {"people": "tests.shared", "chatbot": "tests.shared", "world": "tests.guards.conftest"}
"""Where the fixtures are for which something is kept: a chatbot or a world, for the same people."""

_made: list[tuple[str, transaction.Atomic, Any]] = []
_files = Path()


def people() -> Cast | None:
    """Those that are kept for this test, to do with as it likes."""
    return copy.deepcopy(_made[0][2]) if _made else None


def chatbot() -> Chatbot | None:
    """The one that is kept for this test, with the files of its documents."""
    kept: Chatbot | None = _kept("chatbot")
    return kept


def world() -> Any:
    """The `tests.guards.world.World` that is kept for this test, with the files of its documents."""
    return _kept("world")


def _kept(name: str) -> Any:
    if len(_made) < 2 or _made[1][0] != name:
        return None
    shutil.copytree(_files, settings.MEDIA_ROOT, dirs_exist_ok=True)
    return copy.deepcopy(_made[1][2])


def end(level: int = 0) -> None:
    """Roll back what is kept from this level on."""
    while len(_made) > level:
        name, block, _ = _made.pop()
        if name != "people":
            shutil.rmtree(_files, ignore_errors=True)
        connection.needs_rollback = True
        block.__exit__(None, None, None)
        connection.needs_rollback = False
    if not level:
        connection.close()


@pytest.hookimpl(tryfirst=True)
def pytest_fixture_setup(fixturedef: Any, request: Any) -> None:
    """Before a test begins its own transaction, if any, before a browser leaves an event loop in this thread, in which
    Django's connection is another one, and before a worker waits for rows that are kept here."""
    if fixturedef.argname in ("_django_db_helper", "browser", "worker"):
        blocker: DjangoDbBlocker = request.getfixturevalue("django_db_blocker")
        with blocker.unblock():
            _provide(_wanted(request._pyfuncitem))


def _wanted(test: Any) -> list[str]:
    """What a test gets from here: nothing where it commits, or makes its own."""
    marker = test.get_closest_marker("django_db")
    if (marker and marker.kwargs.get("transaction")) or "transactional_db" in test.fixturenames:
        return []
    shared = test._fixtureinfo.name2fixturedefs
    names = [name for name, module in MODULES.items() if name in shared and shared[name][-1].func.__module__ == module]
    if "world" in names:
        return ["people", "world"]
    return names if "people" in names else []


def _provide(wanted: list[str]) -> None:
    global _files
    same = sum(made[0] == name for made, name in zip(_made, wanted, strict=False))
    if len(_made) > same:
        end(same)
    for name in wanted[same:]:
        block = transaction.atomic()
        block._from_testcase = True  # type: ignore[attr-defined]
        block.__enter__()
        if name == "people":
            _made.append((name, block, factories.cast()))
            continue
        _files = Path(tempfile.mkdtemp(prefix="lectern kept "))
        with override_settings(MEDIA_ROOT=_files):
            _made.append((name, block, _make(name, copy.deepcopy(_made[0][2]))))


def _make(name: str, cast: Cast) -> Any:
    from tests.guards.world import make_world

    return make_world(cast) if name == "world" else factories.make_helper(cast)
