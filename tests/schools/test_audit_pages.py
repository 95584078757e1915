"""Admins read, search and export the audit log of their school; nobody else does."""

from __future__ import annotations

import csv
import io
import re
from datetime import timedelta
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from schools.audit.actions import Action
from schools.audit.models import AuditEntry
from schools.audit.recording import record
from schools.models import Membership, Role
from tests.factories import Cast, make_program, make_school, signed_in

pytestmark = pytest.mark.django_db
PAGE, FILE, API = reverse("audit:list"), reverse("audit:export"), "/api/v1/audit"


@pytest.fixture
def carol(cast: Cast) -> Client:
    """Their admin, after three acts here, the first one long ago, and one at another school."""
    client, here = signed_in(cast.carol), cast.carol.school
    AuditEntry.objects.create(
        school=here,
        action=Action.LIBRARY_DELETED,
        actor_id=cast.bob.user_id,
        actor_name="Bob",
        actor_email="bob@riverside.example",
        subject_kind="schooldocument",
        subject_label="=Rules",
        at=timezone.now() - timedelta(days=100),
    )
    record(
        Action.ROLE_CHANGED,
        school=here,
        actor=cast.alice.user,
        subject=cast.bob.user,
        label="Bob",
        detail={"to": "admin"},
    )
    record(Action.TOKEN_CREATED, school=here, actor=cast.alice.user, label="Script")
    record(Action.TOKEN_CREATED, school=cast.chloe.school, actor=cast.chloe.user, label="Of Hillcrest")
    return client


def titles(client: Client, **query: Any) -> list[str]:
    page = client.get(PAGE, query).content.decode()
    return [re.sub(r"\s+", " ", one) for one in re.findall(r"<h2>(.*?)</h2>", page)]


def test_the_newest_is_first_and_other_schools_are_not_there(carol: Client) -> None:
    shown = titles(carol)
    assert shown[:2] == ["Access token created: Script", "Role changed: Bob"]
    assert "Library document deleted: =Rules" in shown
    assert "Hillcrest" not in carol.get(PAGE).content.decode()


def test_it_is_searched(cast: Cast, carol: Client) -> None:
    assert titles(carol, words="alice script") == ["Access token created: Script"]
    assert titles(carol, words="role") == ["Role changed: Bob"]
    assert titles(carol, words="BOB@riverside") == ["Library document deleted: =Rules"]
    assert titles(carol, action="token.created") == ["Access token created: Script"]
    day = (timezone.localdate() - timedelta(days=50)).isoformat()
    assert titles(carol, until=day) == ["Library document deleted: =Rules"]
    assert "Library document deleted: =Rules" not in titles(carol, since=day)
    assert titles(carol, words="nobody-like-this") == ["Nothing found"]
    assert carol.get(PAGE, {"words": "\0", "since": "x", "action": "y"}).status_code == 200
    record(Action.TOKEN_CREATED, school=cast.carol.school, actor=cast.alice.user, label="H₂O at −5")
    assert titles(carol, words="h2o -5") == ["Access token created: H₂O at −5"]


def test_it_comes_in_pages(cast: Cast, carol: Client) -> None:
    for number in range(60):
        record(Action.TOKEN_CREATED, school=cast.carol.school, label=f"Token {number}")
    assert len(titles(carol)) == 50
    assert "Library document deleted: =Rules" in titles(carol, page=2)


def test_an_empty_log_says_what_will_be_there(cast: Cast) -> None:
    program = make_program(cast.chloe)
    assert program.get(API, {"action": "member.removed"}).json() == {"results": [], "next": None}
    client, new = signed_in(cast.chloe), make_school("Brookfield")
    Membership.objects.create(school=new, user=cast.chloe.user, role=Role.ADMIN)
    session = client.session
    session["school"] = str(new.pk)
    session.save()
    assert titles(client) == ["Nothing yet"]


def test_the_file_has_what_was_searched_and_is_recorded(cast: Cast, carol: Client) -> None:
    answer = carol.get(FILE, {"words": "bob@"})
    head, *rows = csv.reader(io.StringIO(answer.content.decode("utf-8-sig")))
    assert head[1:5] == ["person", "e-mail", "action", "subject"]
    assert [row[1:5] for row in rows] == [["Bob", "bob@riverside.example", "Library document deleted", "'=Rules"]]
    old = AuditEntry.objects.earliest("at")
    assert rows[0][0] == f"{timezone.localtime(old.at):%Y-%m-%d %H:%M:%S}"
    entry = AuditEntry.objects.latest("id")
    assert (entry.action, entry.actor_id, entry.detail) == ("export.audit", cast.carol.user_id, {"rows": 1})


def test_only_admins_read_it(cast: Cast, carol: Client) -> None:
    for address in (PAGE, FILE):
        assert signed_in(cast.alice).get(address).status_code == 403
        assert Client().get(address).status_code == 302
    assert make_program(cast.alice).get(API).status_code == 403
    assert Client().get(API).status_code == 401
    assert AuditEntry.objects.filter(action=Action.AUDIT_EXPORTED).count() == 0


def test_programs_read_it_page_by_page(cast: Cast, carol: Client) -> None:
    program = make_program(cast.carol, write=False)
    first = program.get(API, {"actor": str(cast.alice.user_id), "limit": "1"}).json()
    (entry,) = first["results"]
    assert (entry["action"], entry["words"]) == ("token.created", "Access token created")
    assert entry["actor"] == {"id": str(cast.alice.user_id), "name": "Alice", "email": "alice@riverside.example"}
    (entry,) = program.get(first["next"]).json()["results"]
    assert (entry["subject"]["label"], entry["detail"]) == ("Bob", {"to": "admin"})
    day = (timezone.localdate() - timedelta(days=50)).isoformat()
    (entry,) = program.get(API, {"until": day}).json()["results"]
    assert entry["subject"]["label"] == "=Rules"
    assert all(one["at"] > day for one in program.get(API, {"since": day}).json()["results"])
    everything = program.get(API, {"limit": 200}).content.decode()
    assert "Of Hillcrest" not in everything
    assert program.get(API, {"action": "no.such"}).status_code == 400


def test_what_is_due_to_be_erased_is_not_shown(cast: Cast, carol: Client, settings: Any) -> None:
    settings.LECTERN_AUDIT_DAYS = 60
    assert "Library document deleted: =Rules" not in titles(carol)
