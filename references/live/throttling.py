"""Be polite to a host: at most two requests at a time, and a pause where it asks for one.

Both are kept in Django's cache, so in Redis they hold for the whole installation. While Redis does not answer, each
process counts by itself.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TypeVar

from django.core.cache import cache

from references.fetching.connections import Deadline
from references.fetching.errors import FetchFailed

Found = TypeVar("Found")

AT_ONCE = 2
"""Requests at a time to one host."""

BUSY = (429, 503)
"""Statuses of a host that asks to be left alone for a while."""

_FIRST_PAUSE, _MAX_PAUSE = 5.0, 600.0  # seconds; without Retry-After each pause is twice as long as the last


def request_politely(host: str, request: Callable[[], Found], deadline: Deadline) -> Found:
    """Make a request when it is this one's turn. Raises FetchFailed if that is not before the deadline.

    A host that answers 429 or 503 is asked again once, if the pause that it wants ends before the deadline.
    """
    for attempt in (1, 2):
        _wait_for_pause(host, deadline)
        with _slot(host, deadline):
            try:
                found = request()
            except FetchFailed as failure:
                if failure.status not in BUSY:
                    raise
                _pause(host, failure.retry_after)
                if attempt == 2:
                    raise
            else:
                cache.delete(_key("refusals", host))
                return found
    raise AssertionError  # the second attempt returns or raises


def _wait_for_pause(host: str, deadline: Deadline) -> None:
    pause = (cache.get(_key("pause", host)) or 0.0) - time.time()
    if pause > 0:
        if pause >= deadline.remaining():
            raise FetchFailed(f"{host} asked us to wait, {pause:.0f} seconds more.", status=429, retry_after=pause)
        time.sleep(pause)


def _pause(host: str, retry_after: float | None) -> None:
    refusals = (cache.get(_key("refusals", host)) or 0) + 1
    cache.set(_key("refusals", host), refusals, 3600)
    seconds = _FIRST_PAUSE * 2 ** min(refusals - 1, 10) if retry_after is None else retry_after
    seconds = min(seconds, _MAX_PAUSE)
    cache.set(_key("pause", host), time.time() + seconds, max(1, round(seconds + 1)))


@contextmanager
def _slot(host: str, deadline: Deadline) -> Iterator[None]:
    """One of the host's slots. A process that dies in it leaves it taken until the deadline of its request is over."""
    keys = [_key(f"slot{number}", host) for number in range(AT_ONCE)]
    while True:
        seconds = deadline.remaining()
        key = next((key for key in keys if cache.add(key, True, round(seconds) + 5)), None)
        if key:
            break
        time.sleep(0.05)
    try:
        yield
    finally:
        cache.delete(key)


def _key(what: str, host: str) -> str:
    return f"live:{what}:{host}"
