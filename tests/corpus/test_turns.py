"""Who comes next: schools, kinds and people take turns, so that nobody waits for all of another's files (D4)."""

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from corpus.ingestion.indexing import index_next_document
from corpus.models import Document, Status
from corpus.tasks import index_documents
from knowledge.models import PersonalDocument
from school_library.models import SchoolDocument
from schools.models import Membership
from tests.factories import Cast, break_file, personal_document, school_document

pytestmark = pytest.mark.django_db


def upload(member: Membership, *names: str) -> None:
    for name in names:
        personal_document(member, f"# {name}\n\nThe text of {name}.", f"{name}.md", indexed=False)


def to_library(member: Membership, *names: str) -> None:
    for name in names:
        school_document(member, f"# {name}\n\nThe text of {name}.", f"{name}.md", indexed=False)


def waiting() -> set[str]:
    kinds = (PersonalDocument, SchoolDocument)
    return {document.title for kind in kinds for document in kind.objects.unfinished()}


def indexing_order() -> list[str]:
    """Titles in the order in which they are done with, one task after the other."""
    titles: list[str] = []
    while before := waiting():
        index_documents()
        titles += before - waiting()
    return titles


def test_a_bulk_upload_keeps_another_school_waiting_for_one_file_only(people: Cast) -> None:
    upload(people.alice, *(f"a{n}" for n in range(6)))
    upload(people.charlie, "c0", "c1")
    assert indexing_order() == ["a0", "c0", "a1", "c1", "a2", "a3", "a4", "a5"]


def test_a_school_that_comes_later_is_next(people: Cast) -> None:
    upload(people.alice, *(f"a{n}" for n in range(4)))
    index_documents()
    index_documents()
    upload(people.charlie, "c0")
    assert indexing_order() == ["c0", "a2", "a3"]


def test_colleagues_take_turns_within_their_schools_turn(people: Cast) -> None:
    upload(people.alice, "a0", "a1", "a2")
    upload(people.bob, "b0", "b1")
    upload(people.charlie, "c0", "c1", "c2", "c3")
    assert indexing_order() == ["a0", "c0", "b0", "c1", "a1", "c2", "b1", "c3", "a2"]


def test_the_two_kinds_take_turns(people: Cast) -> None:
    upload(people.alice, "a0", "a1", "a2")
    to_library(people.carol, "l0", "l1")
    assert indexing_order() == ["a0", "l0", "a1", "l1", "a2"]


def test_a_school_with_both_kinds_has_no_more_turns_than_another(people: Cast) -> None:
    upload(people.alice, "a0", "a1")
    to_library(people.carol, "l0", "l1")
    upload(people.charlie, "c0", "c1")
    order = indexing_order()
    assert sorted(order[:2])[1] == "c0", order
    assert "c1" in order[2:4], order


def test_what_another_worker_holds_is_passed_over(people: Cast) -> None:
    upload(people.alice, "a0", "a1")
    upload(people.charlie, "c0")
    held = PersonalDocument.objects.get(title="a0")
    other = connection.copy()
    number = int.from_bytes(held.pk.bytes[-8:], signed=True)
    try:
        with other.cursor() as cursor:
            cursor.execute("SELECT pg_advisory_lock(%s)", [number])
            index_documents()
            assert not PersonalDocument.objects.unfinished().filter(title="a1").exists()
            cursor.execute("SELECT pg_advisory_unlock(%s)", [number])  # the pool keeps the session
    finally:
        other.close()


def test_a_file_that_fails_waits_for_its_next_turn(people: Cast) -> None:
    upload(people.alice, "a0", "a1")
    upload(people.charlie, "c0")
    break_file(PersonalDocument.objects.get(title="a0"))
    assert indexing_order() == ["c0", "a1", "a0"]
    assert PersonalDocument.objects.get(title="a0").status == Status.FAILED


def test_choosing_stays_cheap_with_thousands_waiting(people: Cast) -> None:
    PersonalDocument.objects.bulk_create(
        PersonalDocument(school=member.school, owner=member.user, title=f"{n}")
        for member in (people.alice, people.bob, people.charlie)
        for n in range(1000)
    )
    to_library(people.carol, "library")
    now = timezone.now()
    PersonalDocument.objects.update(attempted_at=now)
    with CaptureQueriesContext(connection) as captured:
        assert index_next_document(PersonalDocument.objects.all(), SchoolDocument.objects.all())
    assert SchoolDocument.objects.get().status == Status.READY
    before_the_lock = [query["sql"] for query in captured][
        : next(n for n, query in enumerate(captured) if "pg_try_advisory_lock" in query["sql"])
    ]
    assert len(before_the_lock) == 3  # the places of each kind, then the documents of the first place


def test_every_kind_says_what_a_place_is() -> None:
    for kind in (PersonalDocument, SchoolDocument):
        assert issubclass(kind, Document)
        assert all(hasattr(kind, name) for name in kind.OWNER_FIELDS)
    assert PersonalDocument.OWNER_FIELDS == ("school_id", "owner_id")
