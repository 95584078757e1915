"""Search words and mailed keys do not come into the logs."""

import logging

import pytest

from config.logs import WithoutSecrets

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


def test_our_own_log_lines_go_through_it() -> None:
    handlers = [handler for handler in logging.getLogger().handlers if type(handler) is logging.StreamHandler]
    assert handlers
    assert all(any(isinstance(f, WithoutSecrets) for f in handler.filters) for handler in handlers)


def test_codes_of_classes_are_removed() -> None:
    record = logging.LogRecord("access", 20, "", 1, "%s %s", ("GET /c/ACDE4679/room HTTP/1.1", "/c/ACDE4679"), None)
    WithoutSecrets().filter(record)
    assert "ACDE" not in record.getMessage() and "/room" in record.getMessage()
