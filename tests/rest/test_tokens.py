"""A program acts with an access token: for one person, in one school, as long as all of that holds (S2, S5)."""

import hashlib
from datetime import timedelta

import pytest
from django.core.management import CommandError, call_command
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from schools import services, tokens
from schools.models import AccessToken, Membership, Role, Scope, User
from tests.factories import Cast, make_program, make_token

pytestmark = [pytest.mark.django_db, pytest.mark.urls("tests.rest.routes")]
ME = "/api/v1/me"


def with_secret(secret: str) -> Client:
    return Client(headers={"Authorization": f"Bearer {secret}"})


def test_a_token_says_for_whom_it_acts(people: Cast) -> None:
    Membership.objects.filter(pk=people.alice.pk).update(known_as="Ms Alice")
    me = make_program(people.alice, write=False).get(ME).json()
    assert me == {
        "id": str(people.alice.user_id),
        "name": "Ms Alice",
        "email": "alice@riverside.example",
        "role": "teacher",
        "school": {"id": str(people.alice.school_id), "name": "Riverside", "slug": "riverside"},
        "scope": "read",
    }


def test_a_session_may_read_the_docs_and_try_them(people: Cast) -> None:
    client = Client()
    client.force_login(people.alice.user)
    assert client.get(ME).json()["scope"] is None
    assert client.get("/api/v1/docs/").status_code == 200
    strict = Client(enforce_csrf_checks=True)
    strict.force_login(people.alice.user)
    refused = strict.post("/api/v1/things", {"name": "ink"}, "application/json")
    assert (refused.status_code, refused["Content-Type"]) == (403, "application/problem+json")
    assert "CSRF" in refused.json()["detail"]
    strict.get("/api/v1/docs/")
    token = {"X-CSRFToken": strict.cookies["csrftoken"].value}
    assert strict.post("/api/v1/things", {"name": "ink"}, "application/json", headers=token).status_code == 201


def test_the_secret_is_nowhere_in_the_database(people: Cast) -> None:
    secret = make_token(people.alice)
    row = AccessToken.objects.values().get()
    assert row["digest"] == hashlib.sha256(secret.encode()).hexdigest()
    assert secret.startswith(row["prefix"])
    assert len(secret) - len(row["prefix"]) > 30
    assert secret not in str(row)


@pytest.mark.parametrize(
    "header",
    [
        "Bearer",
        "Bearer nonsense",
        "Bearer a b",
        "Basic YTpi",
        "Bearer lectern_ÿ",
        "lectern_abc",
        "Bearer " + "x" * 4000,
    ],
)
def test_what_is_no_token_opens_nothing(people: Cast, header: str) -> None:
    refused = Client(headers={"Authorization": header}).get(ME)
    assert refused.status_code == 401
    assert refused["WWW-Authenticate"] == 'Bearer realm="Lectern", error="invalid_token"'


def test_without_anything_one_is_told_what_to_send() -> None:
    refused = Client().get(ME)
    assert (refused.status_code, refused["WWW-Authenticate"]) == (401, 'Bearer realm="Lectern"')
    assert "Authorization: Bearer" in refused.json()["detail"]


def test_a_token_ends_at_once_and_always_in_the_same_words(people: Cast) -> None:
    said = set()
    for member in (people.alice, people.bob, people.charlie, people.chloe):
        client = make_program(member)
        assert client.get(ME).status_code == 200
        token = AccessToken.objects.get(membership=member)
        if member == people.alice:
            tokens.revoke(token)
        elif member == people.bob:
            AccessToken.objects.filter(pk=token.pk).update(expires_at=timezone.now())
        elif member == people.charlie:
            User.objects.filter(pk=member.user_id).update(is_active=False)
        else:
            member.role = Role.TEACHER
            Membership.objects.create(school=member.school, user=people.carol.user, role=Role.ADMIN)
            services.remove_member(membership=member)
        refused = client.get(ME)
        assert refused.status_code == 401
        said.add(refused.content)
    assert len(said) == 1


def test_a_token_has_the_rights_of_its_person_today(people: Cast) -> None:
    client = make_program(people.alice)
    services.change_role(membership=people.alice, role=Role.ADMIN)
    assert client.get(ME).json()["role"] == "admin"


def test_a_token_of_a_person_of_two_schools_stays_in_its_own(people: Cast) -> None:
    elsewhere = Membership.objects.create(school=people.charlie.school, user=people.alice.user)
    assert make_program(elsewhere).get(ME).json()["school"]["slug"] == "hillcrest"
    client = make_program(people.alice)
    client.force_login(people.alice.user)
    client.post("/schools/switch/", {"school": elsewhere.school_id})
    assert client.get(ME).json()["school"]["slug"] == "riverside"
    people.alice.delete()
    assert client.get(ME).status_code == 401


def test_a_reading_token_reads_and_searches(people: Cast) -> None:
    client = make_program(people.alice, write=False)
    assert client.get("/api/v1/things").status_code == 200
    assert client.post("/api/v1/searches", {"name": "ink"}, "application/json").status_code == 200
    refused = client.post("/api/v1/things", {"name": "ink"}, "application/json")
    assert (refused.status_code, refused.json()["detail"]) == (403, "This access token may only read.")
    assert 'scope="write"' in refused["WWW-Authenticate"]


def test_its_use_is_noted_once_a_minute_at_most(people: Cast) -> None:
    client = make_program(people.alice)
    client.get(ME)
    first = AccessToken.objects.get().last_used_at
    assert first
    with CaptureQueriesContext(connection) as queries:
        client.get(ME)
    assert len(queries) == 1, "one query finds token, person and school"
    assert AccessToken.objects.get().last_used_at == first
    AccessToken.objects.update(last_used_at=first - timedelta(minutes=1))
    client.get(ME)
    again = AccessToken.objects.get().last_used_at
    assert again
    assert again > first


def test_a_member_has_so_many_and_no_more(people: Cast) -> None:
    for _ in range(tokens.MAX_TOKENS):
        make_token(people.alice)
    with pytest.raises(tokens.TokenRefused, match="Revoke one"):
        make_token(people.alice)
    assert make_token(people.bob)


def test_a_command_makes_one_and_prints_it_alone(people: Cast, capsys: pytest.CaptureFixture[str]) -> None:
    call_command("create_token", "ALICE@riverside.example", "--scope", "write")
    printed = capsys.readouterr().out
    assert with_secret(printed.strip()).get(ME).json()["scope"] == "write"
    assert printed.count("\n") == 1
    call_command("create_token", "bob@riverside.example", "--school", "riverside", "--days", "3")
    token = AccessToken.objects.get(membership=people.bob)
    assert (token.scope, token.expires_at and (token.expires_at - token.created_at).days) == (Scope.READ, 3)


def test_the_command_says_what_it_needs_to_know(people: Cast) -> None:
    Membership.objects.create(school=people.charlie.school, user=people.alice.user)
    User.objects.create_user("zoe@nowhere.example", name="Zoe")
    User.objects.filter(pk=people.bob.user_id).update(is_active=False)
    for arguments, words in (
        (["alice@riverside.example"], "Name one with --school: hillcrest, riverside"),
        (["alice@riverside.example", "--school", "elsewhere"], "but to: hillcrest, riverside"),
        (["nobody@riverside.example"], "nobody with the e-mail address"),
        (["zoe@nowhere.example"], "does not belong to a school"),
        (["bob@riverside.example"], "switched off"),
        (["carol@riverside.example", "--days", "0"], "between 1 and 3650"),
    ):
        with pytest.raises(CommandError, match=words):
            call_command("create_token", *arguments)
    assert not AccessToken.objects.exists()
