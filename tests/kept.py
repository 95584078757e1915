"""The cast and its chatbot are made once for all ordinary tests in a row that want them, and each has them unchanged.

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

LEVELS = ("people", "chatbot")

_made: list[tuple[transaction.Atomic, Any]] = []
_files = Path()


def people() -> Cast | None:
    """Those that are kept for this test, to do with as it likes."""
    return copy.deepcopy(_made[0][1]) if _made else None


def chatbot() -> Chatbot | None:
    """The one that is kept for this test, with the files of its documents."""
    if len(_made) < 2:
        return None
    shutil.copytree(_files, settings.MEDIA_ROOT, dirs_exist_ok=True)
    kept: Chatbot = copy.deepcopy(_made[1][1])
    return kept


def end(level: int = 0) -> None:
    """Roll back what is kept from this level on."""
    while len(_made) > level:
        block, _ = _made.pop()
        connection.needs_rollback = True
        block.__exit__(None, None, None)
        connection.needs_rollback = False
    if not level:
        connection.close()
        shutil.rmtree(_files, ignore_errors=True) if _files.name else None


@pytest.hookimpl(tryfirst=True)
def pytest_fixture_setup(fixturedef: Any, request: Any) -> None:
    """Before a test begins its own transaction, if any, and before a browser leaves an event loop in this thread, in
    which Django's connection is another one."""
    if fixturedef.argname in ("_django_db_helper", "browser"):
        blocker: DjangoDbBlocker = request.getfixturevalue("django_db_blocker")
        with blocker.unblock():
            _provide(_wanted(request._pyfuncitem))


def _wanted(test: Any) -> int:
    """How many of the levels a test gets from here: none where it commits, or makes its own."""
    marker = test.get_closest_marker("django_db")
    if (marker and marker.kwargs.get("transaction")) or "transactional_db" in test.fixturenames:
        return 0
    shared = test._fixtureinfo.name2fixturedefs
    wanted = 0
    for level in LEVELS:
        found = shared.get(level)
        if not found or found[-1].func.__module__ != "tests.shared":
            break
        wanted += 1
    return wanted


def _provide(level: int) -> None:
    global _files
    if len(_made) > level:
        end(level)
    while len(_made) < level:
        block = transaction.atomic()
        block._from_testcase = True  # type: ignore[attr-defined]
        block.__enter__()
        if not _made:
            _made.append((block, factories.cast()))
            continue
        _files = Path(tempfile.mkdtemp(prefix="lectern kept "))
        with override_settings(MEDIA_ROOT=_files):
            _made.append((block, factories.helper_of(_made[0][1])))
