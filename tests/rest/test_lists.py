"""Lists in pages, and answers with a tag that says whether they are still what there is."""

import pytest
from django.test import Client

from schools.models import Role
from tests.factories import Cast, make_member, make_program

pytestmark = [pytest.mark.django_db, pytest.mark.urls("tests.rest.routes")]
THINGS, TAGGED = "/api/v1/things", "/api/v1/tagged"


@pytest.fixture
def alice(people: Cast) -> Client:
    for number in range(6):
        make_member(people.alice.school, f"person{number}", Role.ADMIN if number % 2 else Role.TEACHER)
    return make_program(people.alice)


def test_the_pages_of_a_list_have_every_row_once(alice: Client) -> None:
    everything = alice.get(THINGS).json()
    assert everything["next"] is None
    assert len(everything["results"]) == 9
    found, address = [], f"{THINGS}?limit=2"
    while address:
        page = alice.get(address).json()
        assert len(page["results"]) <= 2
        found += page["results"]
        address = page["next"]
    assert found == everything["results"]


def test_rows_that_come_and_go_meanwhile_shift_nothing(people: Cast, alice: Client) -> None:
    first = alice.get(f"{THINGS}?limit=4").json()
    people.alice.school.memberships.filter(user__name=first["results"][-1]).delete()
    make_member(people.alice.school, "late")
    rest = alice.get(first["next"]).json()["results"]
    assert not set(rest) & set(first["results"])
    assert "Late" in rest


@pytest.mark.parametrize("cursor", ["x", "WyJ4Il0:1tabcd:xyz", "%00", "%ED%A0%80", "é" * 600])
def test_a_cursor_that_is_none_is_said(alice: Client, cursor: str) -> None:
    refused = alice.get(f"{THINGS}?cursor={cursor}")
    assert (refused.status_code, set(refused.json()["errors"])) == (400, {"cursor"})


@pytest.mark.parametrize("limit", ["0", "201", "-1", "x", "", "99999999999999999999"])
def test_a_page_has_a_bounded_size(alice: Client, limit: str) -> None:
    refused = alice.get(f"{THINGS}?limit={limit}")
    assert (refused.status_code, set(refused.json()["errors"])) == (400, {"limit"})


def test_what_one_has_already_is_not_sent_again(alice: Client) -> None:
    etag = alice.get(TAGGED)["ETag"]
    for header in (etag, f'"other", {etag}', f"W/{etag}", "*"):
        same = alice.get(TAGGED, headers={"If-None-Match": header})
        assert (same.status_code, same.content, same["ETag"]) == (304, b"", etag)
    assert alice.get(TAGGED, headers={"If-None-Match": '"other"'}).status_code == 200


def test_who_writes_over_something_newer_is_stopped(alice: Client) -> None:
    etag = alice.get(TAGGED)["ETag"]
    for header, status in (
        (etag, 200),
        (f'"other", {etag}', 200),
        ("*", 200),
        ('"other"', 412),
        (f"W/{etag}", 412),
    ):
        answer = alice.put(TAGGED, {}, "application/json", headers={"If-Match": header})
        assert answer.status_code == status, header
    assert alice.put(TAGGED, {}, "application/json").status_code == 200
