"""A token, a person and an address may make so many requests, exactly."""

from collections import Counter
from concurrent.futures import ThreadPoolExecutor

import pytest
from django.db import connection
from django.test import Client
from pytest_django import Settings

from config import environment
from config.environment import WrongSetting
from schools.models import Membership
from tests import factories
from tests.factories import Cast, make_program, make_token

pytestmark = pytest.mark.django_db
ME = "/api/v1/me"


@pytest.fixture(autouse=True)
def limited(settings: Settings) -> None:
    settings.LECTERN_API_RATE = (3, 60)


def statuses(client: Client, number: int = 4) -> list[int]:
    return [client.get(ME).status_code for _ in range(number)]


def test_each_token_has_its_own_and_is_told_how_it_stands(people: Cast) -> None:
    client = make_program(people.alice)
    first = client.get(ME)
    assert first["RateLimit-Policy"] == '"default";q=3;w=60'
    assert first["RateLimit"] == '"default";r=2;t=60'
    assert statuses(client, 3) == [200, 200, 429]
    refused = client.get(ME)
    assert (refused.status_code, refused["Content-Type"]) == (429, "application/problem+json")
    assert 55 <= int(refused["Retry-After"]) <= 60
    assert refused["RateLimit"].startswith('"default";r=0;')
    assert statuses(make_program(people.alice)) == [200, 200, 200, 429]
    assert statuses(make_program(people.bob)) == [200, 200, 200, 429]


def test_a_session_is_counted_by_its_person(people: Cast) -> None:
    elsewhere = Membership.objects.create(school=people.charlie.school, user=people.alice.user)
    windows = [Client(), Client()]
    for client in windows:
        client.force_login(people.alice.user)
    windows[1].post("/schools/switch/", {"school": elsewhere.school_id})
    assert [client.get(ME).status_code for client in windows * 2] == [200, 200, 200, 429]


def test_who_shows_no_good_token_is_counted_by_address(people: Cast) -> None:
    good = make_token(people.alice)
    client = Client()
    tries: list[dict[str, str]] = [{}, {"Authorization": "Bearer a"}, {"Authorization": "Bearer b"}, {}]
    assert [client.get(ME, headers=headers).status_code for headers in tries] == [401, 401, 401, 429]
    assert Client(REMOTE_ADDR="192.0.2.9").get(ME).status_code == 401
    home = [Client(REMOTE_ADDR=f"2001:db8::{number:x}").get(ME).status_code for number in range(1, 5)]
    assert home == [401, 401, 401, 429], "addresses of one IPv6 network"
    assert Client(REMOTE_ADDR="2001:db8:0:1::1").get(ME).status_code == 401
    assert client.get(ME, headers={"Authorization": f"Bearer {good}"}).status_code == 200


def test_no_limit_is_no_limit(settings: Settings, people: Cast) -> None:
    settings.LECTERN_API_RATE = None
    client = make_program(people.alice)
    assert statuses(client, 5) == [200] * 5
    assert "RateLimit" not in client.get(ME)


@pytest.mark.django_db(transaction=True)
def test_of_300_at_once_exactly_100_pass(settings: Settings) -> None:
    settings.LECTERN_API_RATE = (100, 60)
    secret = make_token(factories.cast().alice)

    def ask(_: int) -> int:
        try:
            return Client(headers={"Authorization": f"Bearer {secret}"}).get(ME).status_code
        finally:
            connection.close()

    with ThreadPoolExecutor(10) as pool:
        assert Counter(pool.map(ask, range(300))) == {200: 100, 429: 200}


@pytest.mark.parametrize(
    ("value", "rate"),
    [
        ("7/s", (7, 1)),
        ("7/min", (7, 60)),
        ("7/h", (7, 3600)),
        ("7/day", (7, 86400)),
        ("0", None),
        ("", (100, 60)),
    ],
)
def test_the_limit_is_a_setting(monkeypatch: pytest.MonkeyPatch, value: str, rate: tuple[int, int] | None) -> None:
    monkeypatch.setenv("LECTERN_API_RATE", value)
    assert environment.rate("LECTERN_API_RATE", "100/min") == rate
    monkeypatch.delenv("LECTERN_API_RATE")
    assert environment.rate("LECTERN_API_RATE", "100/min") == (100, 60)


def test_so_are_the_sites_that_may_call_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LECTERN_CORS_ORIGINS", "https://a.example/, http://localhost:3000,*")
    origins = environment.origins("LECTERN_CORS_ORIGINS", or_all=True)
    assert origins == ["https://a.example", "http://localhost:3000", "*"]


@pytest.mark.parametrize(
    ("read", "value"),
    [
        *(("rate", value) for value in ("many", "0/min", "5/week", "-1/s")),
        *(("origins", value) for value in ("a.example", "https://a.example/page", "ftp://a.example")),
    ],
)
def test_what_cannot_be_right_stops_the_start(monkeypatch: pytest.MonkeyPatch, read: str, value: str) -> None:
    monkeypatch.setenv("LECTERN_SOMETHING", value)
    arguments = ("LECTERN_SOMETHING", "100/min") if read == "rate" else ("LECTERN_SOMETHING",)
    with pytest.raises(WrongSetting, match="LECTERN_SOMETHING must be"):
        getattr(environment, read)(*arguments)
