"""Smaller limits, and requests that come at once on connections of their own."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from threading import Barrier
from typing import TypeVar

import pytest
from django.db import connection

from schools import rate_limits

T = TypeVar("T")


def set_limit(monkeypatch: pytest.MonkeyPatch, name: str, number: int, seconds: int | None = None) -> None:
    """This limit has another number from now on."""
    limit = getattr(rate_limits, name)
    monkeypatch.setattr(rate_limits, name, replace(limit, number=number, seconds=seconds or limit.seconds))


def all_at_once(count: int, act: Callable[[int], T]) -> list[T]:
    """The results of so many calls that begin together, each in a thread with its own connection."""
    barrier = Barrier(count)

    def call(number: int) -> T:
        barrier.wait(120)
        try:
            return act(number)
        finally:
            connection.close()

    with ThreadPoolExecutor(count) as pool:
        return list(pool.map(call, range(count)))
