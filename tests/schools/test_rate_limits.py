"""Every limit holds exactly, for all processes together, and for each process alone while Redis is away."""

from __future__ import annotations

import logging
import re

import pytest
import redis
from django.conf import settings as django_settings
from django.test import RequestFactory
from pytest_django import Settings

from schools import rate_limits
from schools.rate_limits import Limit, take
from tests.guards.test_import_arrows import ARROWS, modules
from tests.limits import all_at_once
from tests.running import free_port, wait_for

THREE = Limit("three", 3, 60, "somebody")


def allowed(limit: Limit, *by: object, times: int = 5) -> int:
    return sum(take(limit, *by).allowed for _ in range(times))


@pytest.fixture(params=["with Redis", "without Redis", "Redis away"])
def anywhere(request: pytest.FixtureRequest, settings: Settings) -> None:
    if request.param != "with Redis":
        settings.REDIS_URL = "" if request.param == "without Redis" else f"redis://127.0.0.1:{free_port()}/0"


def test_so_many_pass_and_each_is_counted_apart(anywhere: None) -> None:
    assert (allowed(THREE, "a"), allowed(THREE, "b", "c"), allowed(THREE, "b"), allowed(THREE, "bc")) == (3, 3, 3, 3)
    refused = take(THREE, "a")
    assert not refused.allowed and refused.remaining == 0 and 55 <= refused.seconds <= 60


def test_what_is_given_back_does_not_count(anywhere: None) -> None:
    rate_limits.give_back(THREE, "a")  # nothing was taken
    for _ in range(5):
        assert take(THREE, "a").allowed
        rate_limits.give_back(THREE, "a")
    assert allowed(THREE, "a") == 3
    rate_limits.clear(THREE, "a")
    assert allowed(THREE, "a") == 3


def test_what_is_long_ago_does_not_count(anywhere: None) -> None:
    short = Limit("short", 2, 1, "somebody")
    assert allowed(short, "a") == 2
    wait_for(lambda: take(short, "a").allowed, 5)


def test_of_many_at_once_exactly_the_limit_passes(anywhere: None) -> None:
    limit = Limit("many", 60, 600, "somebody")
    assert sum(all_at_once(20, lambda _: allowed(limit, "a", times=6))) == 60


def test_without_redis_it_is_said_once_and_redis_is_left_alone(
    settings: Settings, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    there = settings.REDIS_URL
    settings.REDIS_URL = f"redis://127.0.0.1:{free_port()}/0"
    with caplog.at_level(logging.WARNING, logger="schools.rate_limits"):
        assert allowed(THREE, "a") == 3
        settings.REDIS_URL = there
        assert not take(THREE, "a").allowed, "Redis, which knows nothing of it, is not asked"
        rate_limits.breaker.close()
        assert allowed(THREE, "a") == 3
    assert [record.getMessage()[:35] for record in caplog.records] == ["Each process counts and caches by i"]


def test_a_process_does_not_count_without_end(settings: Settings, monkeypatch: pytest.MonkeyPatch) -> None:
    settings.REDIS_URL = ""
    monkeypatch.setattr(rate_limits, "_MAX_KEYS", 10)
    monkeypatch.setattr(rate_limits, "_times", {})
    for number in range(50):
        take(THREE, number)
    assert len(rate_limits._times) == 10


def test_redis_sees_neither_addresses_nor_people() -> None:
    take(THREE, "alice@riverside.example", "192.0.2.7")
    with redis.Redis.from_url(django_settings.REDIS_URL) as store:
        (key,) = store.scan_iter(f"{rate_limits._PREFIX}*")
        assert b"alice" not in key and b"192.0.2.7" not in key
        assert 0 < store.pttl(key) <= 60_000


def test_addresses_of_one_network_count_together() -> None:
    def network(address: str) -> str:
        return rate_limits.get_client_network(RequestFactory().get("/", REMOTE_ADDR=address))

    assert network("2001:db8::1") == network("2001:db8::ffff") != network("2001:db8:0:1::1")
    assert network("192.0.2.1") != network("192.0.2.2")
    assert network("::ffff:192.0.2.1") != network("::ffff:192.0.2.2")
    assert network("") == "nowhere" and network("unix:") == "unix:"


def test_there_is_one_place_for_limits() -> None:
    limits = {name: one for name, one in vars(rate_limits).items() if isinstance(one, Limit)}
    assert len({one.name for one in limits.values()}) == len(limits)
    sources = [path.read_text() for app in ARROWS for path in modules(app) if path.name != "rate_limits.py"]
    used = {name for text in sources for name in re.findall(r"rate_limits\.([A-Z_]+)\b", text)}
    assert used == set(limits), "each limit is used"
