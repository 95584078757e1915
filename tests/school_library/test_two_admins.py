"""Two admins replace one document at once: the second is told who was first, and decides (D6)."""

import threading
from collections.abc import Callable

import pytest
from django.db import connection
from django.test import Client
from django.urls import reverse

from corpus.ingestion import uploads
from corpus.ingestion.storage import UploadRefused
from school_library.models import SchoolDocument
from schools.models import Membership, Role
from tests import factories
from tests.factories import SAFETY, Cast, make_file, make_member, school_document

ClientOf = Callable[[Membership], Client]


def url(page: str, document: SchoolDocument) -> str:
    return reverse(f"school_library:{page}", args=[document.pk])


def test_who_comes_second_is_told_who_was_first(cast: Cast, sign_in: ClientOf) -> None:
    document = school_document(cast.carol)
    dora = make_member(cast.carol.school, "dora", Role.ADMIN)
    first, second = sign_in(cast.carol), sign_in(dora)
    shown = 'name="seen" value="1"'
    assert shown in first.get(url("replace", document)).content.decode()
    assert shown in second.get(url("replace", document)).content.decode()
    sent = {"file": make_file(SAFETY + "\nCarol’s.", "carol.md"), "seen": "1"}
    assert first.post(url("replace", document), sent).status_code == 302

    late = {"file": make_file(SAFETY + "\nDora’s.", "dora.md"), "seen": "1"}
    response = second.post(url("replace", document), late)
    page = response.content.decode()
    assert response.status_code == 422
    assert "Carol has replaced this file with “carol.md”" in page
    assert "that is version 2. Your file was not taken." in page
    assert document.versions.count() == 2

    assert 'name="seen" value="2"' in page
    again = {"file": make_file(SAFETY + "\nDora’s.", "dora.md"), "seen": "2"}
    assert second.post(url("replace", document), again).status_code == 302
    document.refresh_from_db()
    assert (document.version, document.newest.filename) == (3, "dora.md")


def test_ones_own_second_window_is_told_as_well(cast: Cast, sign_in: ClientOf) -> None:
    document = school_document(cast.carol)
    carol = sign_in(cast.carol)
    carol.post(url("replace", document), {"file": make_file("# One", "one.md"), "seen": "1"})
    page = carol.post(url("replace", document), {"file": make_file("# Two", "two.md"), "seen": "1"})
    assert "You have replaced this file with “one.md”" in page.content.decode()


@pytest.mark.django_db(transaction=True)
def test_of_two_at_the_same_moment_one_is_taken() -> None:
    cast = factories.cast()
    document = school_document(cast.carol)
    admins = [cast.carol, make_member(cast.carol.school, "dora", Role.ADMIN)]
    start, refused = threading.Barrier(2), list[str]()

    def send(member: Membership) -> None:
        try:
            start.wait(120)
            uploads.replace(document, make_file(f"# Of {member.pk}"), by=member.user, seen=1)
        except UploadRefused as reason:
            refused.append(str(reason))
        finally:
            connection.close()

    threads = [threading.Thread(target=send, args=[member]) for member in admins]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(120)
    assert document.versions.count() == 2
    (reason,) = refused
    assert reason.startswith(("Carol has replaced", "Dora has replaced"))
