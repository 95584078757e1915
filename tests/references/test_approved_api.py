"""The REST API of approved pages. Who may not use it: tests/guards/test_api.py."""

from __future__ import annotations

from typing import Any

import pytest
from django.test import Client

from references.models import ApprovedPage, ApprovedTopic, ReferenceSettings
from tests.factories import Cast, make_program
from tests.references.sites import KEYWORDS, Site, allow, make_topic

pytestmark = pytest.mark.django_db

TOPICS, WARM = "/api/v1/approved/topics", "/api/v1/approved/warm"
A, B = "https://page.example/a", "https://page.example/b"
NEW: dict[str, Any] = {"name": "Renting", "keywords": KEYWORDS, "pages": [{"address": A}]}


@pytest.fixture
def carol(people: Cast) -> Client:
    return make_program(people.carol)


def send(client: Client, address: str, data: dict[str, Any], method: str = "post", **headers: str) -> Any:
    return getattr(client, method)(address, data, "application/json", headers=headers)


def test_a_topic_is_made_read_changed_and_deleted(carol: Client) -> None:
    made = send(carol, TOPICS, NEW)
    assert made.status_code == 201
    body = made.json()
    page = {"address": A, "state": "new", "reason": "", "checked_at": None}
    assert body | NEW == body | {"pages": NEW["pages"]}
    assert body["pages"] == [page]
    one = made["Location"]
    assert one.endswith(f"{TOPICS}/{body['id']}")
    assert carol.get(one).json() == body
    assert carol.get(TOPICS).json() == {"results": [body], "next": None}
    changed = send(carol, one, {"pages": [{"address": B}, {"address": A}]}, "patch").json()
    assert changed == body | {"pages": [page | {"address": B}, page]}
    assert send(carol, one, {"name": "Homes", "keywords": ["a", "b"]}, "patch").json()["pages"] == changed["pages"]
    assert carol.delete(one).status_code == 204
    assert carol.get(one).status_code == 404
    assert not ApprovedPage.objects.exists()


def test_the_state_of_pages_is_told(people: Cast, carol: Client, web: Site) -> None:
    allow(people.carol.school)
    make_topic(people.carol.school, web.url(), web.url("/nowhere"))
    fresh, failed = carol.get(TOPICS).json()["results"][0]["pages"]
    assert (fresh["state"], fresh["reason"], bool(fresh["checked_at"])) == ("fresh", "", True)
    assert (failed["state"], failed["reason"]) == ("failed", "The site has no such page (404).")


@pytest.mark.parametrize(
    ("sent", "field"),
    [
        ({"name": ""}, "name"),
        ({"name": "There"}, "name"),
        ({"keywords": ["rent"]}, "keywords"),
        ({"keywords": ["rent", "rents"]}, "keywords"),
        ({"keywords": "rent"}, "keywords"),
        ({"pages": [{"address": "http://page.example/"}]}, "pages"),
        ({"pages": [{"address": "x"}, {"address": A}]}, "pages"),
        ({"pages": [{}]}, "pages.0.address"),
        ({"pages": [{"address": "x" * 2001}]}, "pages.0.address"),
    ],
)
def test_what_is_wrong_is_said_by_field(people: Cast, carol: Client, sent: dict[str, Any], field: str) -> None:
    there = make_topic(people.carol.school, A, name="There", read=False)
    other = make_topic(people.carol.school, A, name="Other", read=False)
    refused = [send(carol, TOPICS, NEW | sent), send(carol, f"{TOPICS}/{other.pk}", sent, "patch")]
    for response in refused:
        assert response.status_code == 400
        assert list(response.json()["errors"]) == [field]
    assert set(ApprovedTopic.objects.values_list("name", "keywords__0")) == {("There", "tenant"), ("Other", "tenant")}
    assert [page.address for page in there.pages.all()] == [page.address for page in other.pages.all()] == [A]


def test_who_has_an_old_version_changes_nothing(people: Cast, carol: Client) -> None:
    one = f"{TOPICS}/{make_topic(people.carol.school, A, read=False).pk}"
    etag = carol.get(one)["ETag"]
    assert carol.get(one, headers={"If-None-Match": etag}).status_code == 304
    ApprovedPage.objects.update(state="failed")
    assert send(carol, one, {"name": "X"}, "patch", **{"If-Match": etag}).status_code == 412
    assert carol.delete(one, headers={"If-Match": etag}).status_code == 412
    assert ApprovedTopic.objects.get().name == "Renting"


def test_a_request_sent_twice_makes_one_topic(carol: Client) -> None:
    first, second = (send(carol, TOPICS, NEW, **{"Idempotency-Key": "one"}) for _ in range(2))
    assert first.json() == second.json()
    assert ApprovedTopic.objects.count() == 1


def test_all_pages_are_read_in_the_background(people: Cast, carol: Client) -> None:
    make_topic(people.carol.school, A, B, read=False)
    queued = send(carol, WARM, {})
    assert (queued.status_code, queued.json()) == (202, {"pages": 2})
    ReferenceSettings.objects.create(school=people.carol.school, allows_outside_calls=False)
    refused = send(carol, WARM, {})
    assert refused.status_code == 422
    assert "switched off" in refused.json()["detail"]


def test_topics_come_in_pages_by_name(people: Cast, carol: Client) -> None:
    for name in ("C", "A", "B"):
        make_topic(people.carol.school, name=name, read=False)
    first = carol.get(f"{TOPICS}?limit=2").json()
    assert [one["name"] for one in first["results"]] == ["A", "B"]
    assert [one["name"] for one in carol.get(first["next"]).json()["results"]] == ["C"]
