"""Search words and mailed keys do not come into the logs."""

import logging
from typing import Any

import pytest

from config.logs import WithoutRoutine, WithoutSecrets

RESET = "/accounts/password/reset/key"


@pytest.mark.parametrize(
    ("message", "args", "logged"),
    [
        (
            '%s - "%s %s HTTP/%s" %d',  # Uvicorn's
            ("127.0.0.1:1", "GET", "/library/?search=why%20me&page=2", "1.1", 200),
            '127.0.0.1:1 - "GET /library/ HTTP/1.1" 200',
        ),
        (
            '%s - "%s %s HTTP/%s" %d',
            ("127.0.0.1:1", "GET", f"{RESET}/1a-swordfish/?next=/", "1.1", 200),
            f'127.0.0.1:1 - "GET {RESET}/…/ HTTP/1.1" 200',
        ),
        ('"%s" %s', ("GET /?search=x HTTP/1.1", "200"), '"GET / HTTP/1.1" 200'),  # runserver's
        ("%s: %s", ("Internal Server Error", f"{RESET}/1a-swordfish/"), f"Internal Server Error: {RESET}/…/"),
        (
            '"%s" %s',
            ("GET /accounts/invitation/7/a-swordfish/ HTTP/1.1", "302"),
            '"GET /accounts/invitation/7/…/ HTTP/1.1" 302',
        ),
        ("%s: %s", ("Is it well?", "yes? no"), "Is it well?: yes? no"),
        ("Nothing to say", (), "Nothing to say"),
    ],
)
def test_secrets_are_cut_out(message: str, args: tuple[object, ...], logged: str) -> None:
    record = logging.LogRecord("x", logging.INFO, "", 0, message, args, None)
    assert WithoutSecrets().filter(record)
    assert record.getMessage() == logged


@pytest.mark.parametrize(
    ("level", "args", "is_kept"),
    [
        (logging.INFO, {"name": "privacy.tasks.erase_old", "id": "1"}, False),
        (logging.INFO, {"name": "privacy.tasks.erase_old", "return_value": "0"}, False),
        (logging.INFO, {"name": "corpus.tasks.queue_unfinished", "return_value": "None"}, False),
        (logging.INFO, {"name": "privacy.tasks.erase_old", "return_value": "2"}, True),
        (logging.ERROR, {"name": "privacy.tasks.erase_old", "exc": "x"}, True),
        (logging.INFO, {"name": "corpus.tasks.index_documents", "id": "1"}, True),
        (logging.INFO, (), True),
    ],
)
def test_periodic_tasks_that_did_nothing_are_not_told(level: int, args: Any, is_kept: bool) -> None:
    record = logging.LogRecord("celery.app.trace", level, "", 0, "Task", None, None)
    record.args = args
    assert WithoutRoutine().filter(record) is is_kept


def test_our_own_log_lines_go_through_it() -> None:
    handlers = [handler for handler in logging.getLogger().handlers if type(handler) is logging.StreamHandler]
    assert handlers
    assert all(any(isinstance(f, WithoutSecrets) for f in handler.filters) for handler in handlers)


def test_codes_of_classes_are_removed() -> None:
    record = logging.LogRecord("access", 20, "", 1, "%s %s", ("GET /c/ACDE4679/room HTTP/1.1", "/c/ACDE4679"), None)
    WithoutSecrets().filter(record)
    assert "ACDE" not in record.getMessage() and "/room" in record.getMessage()
