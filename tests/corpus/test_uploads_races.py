"""Two people do something with one document at the same moment."""

from __future__ import annotations

import threading
from functools import partial
from uuid import uuid4

import pytest
from django.core.files.storage import default_storage
from django.db import connection, transaction

from corpus.ingestion import uploads
from corpus.ingestion.storage import UploadRefused
from corpus.models import Status
from knowledge.models import PersonalChunk, PersonalDocument, PersonalVersion
from knowledge.services import upload
from schools.models import Membership
from tests.factories import Cast, cast, make_file, personal_document
from tests.locks import waiting
from tests.running import wait_for


def test_deleting_waits_for_a_replacement_and_takes_it_along(transactional_db: None) -> None:
    people = cast()
    document = personal_document(people.alice)
    errors: list[BaseException] = []

    def delete() -> None:
        try:
            uploads.delete(document)
        except Exception as error:
            errors.append(error)
        finally:
            connection.close()

    thread = threading.Thread(target=delete)
    with transaction.atomic():
        uploads.replace(document, make_file("# New\n\nOther text."), by=people.alice.user)
        stored = PersonalVersion.objects.get(number=2).file.name
        thread.start()
        wait_for(waiting)
    thread.join(timeout=120)
    assert errors == []
    assert not PersonalDocument.objects.exists()
    assert not PersonalVersion.objects.exists()
    assert not PersonalChunk.objects.exists()
    assert not default_storage.exists(stored)


def test_a_document_deleted_meanwhile_takes_no_new_version(people: Cast) -> None:
    document = personal_document(people.alice)
    uploads.delete(PersonalDocument.objects.get())
    with pytest.raises(UploadRefused, match="deleted meanwhile"):
        uploads.replace(document, make_file("Other text."), by=people.alice.user)


def test_a_document_deleted_meanwhile_is_neither_retried_nor_deleted_again(people: Cast) -> None:
    document = personal_document(people.alice)
    uploads.delete(PersonalDocument.objects.get())
    assert uploads.retry(document).status == Status.READY
    uploads.delete(document)
    assert not PersonalDocument.objects.exists()


def test_one_file_sent_twice_at_the_same_moment_makes_one_document(transactional_db: None) -> None:
    people = cast()
    results: list[tuple[PersonalDocument, bool]] = []

    def send_too() -> None:
        try:
            results.append(upload(member=people.alice, file=make_file(name="again.md")))
        finally:
            connection.close()

    thread = threading.Thread(target=send_too)
    with transaction.atomic():
        first, is_new = upload(member=people.alice, file=make_file())
        thread.start()
        wait_for(waiting)
    thread.join(timeout=120)
    assert is_new
    assert results == [(first, False)]
    assert PersonalDocument.objects.count() == PersonalVersion.objects.count() == 1


def test_a_copy_asked_for_twice_at_the_same_moment_is_made_once(transactional_db: None) -> None:
    people = cast()
    document, key, results = personal_document(people.alice), uuid4(), list[PersonalDocument]()

    def send_too() -> None:
        try:
            results.append(uploads.copy(document, filename="b.md", by=people.alice.user, key=key))
        finally:
            connection.close()

    thread = threading.Thread(target=send_too)
    with transaction.atomic():
        first = uploads.copy(document, filename="b.md", by=people.alice.user, key=key)
        thread.start()
        wait_for(waiting)
    thread.join(timeout=120)
    assert results == [first]
    assert (first.pk, PersonalDocument.objects.count()) == (key, 2)


def test_two_opposite_merges_at_the_same_moment_end_in_one_document(transactional_db: None) -> None:
    people = cast()
    one, other = personal_document(people.alice), personal_document(people.alice, "Other text.", "other.md")
    refused: list[str] = []
    errors: list[BaseException] = []

    def merge(document: PersonalDocument, into: PersonalDocument) -> None:
        try:
            uploads.merge(document, into)
        except UploadRefused as reason:
            refused.append(str(reason))
        except BaseException as error:
            errors.append(error)
        finally:
            connection.close()

    threads = [threading.Thread(target=merge, args=pair) for pair in ((one, other), (other, one))]
    with transaction.atomic():
        PersonalDocument.objects.select_for_update().get(pk=one.pk)
        for number, thread in enumerate(threads, start=1):
            thread.start()
            wait_for(partial(waiting, number))
    for thread in threads:
        thread.join(timeout=120)
    assert errors == []
    (reason,) = refused
    assert "deleted meanwhile" in reason
    assert PersonalDocument.objects.get().versions.count() == 2


def test_eight_at_once_make_one_document_in_each_place(transactional_db: None) -> None:
    people = cast()
    start = threading.Barrier(8)

    def send(member: Membership) -> None:
        try:
            start.wait(120)
            upload(member=member, file=make_file())
        finally:
            connection.close()

    members = [people.alice, people.bob] * 4
    threads = [threading.Thread(target=send, args=[member]) for member in members]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(timeout=120)
    owners = PersonalDocument.objects.values_list("owner_id", flat=True)
    assert sorted(owners) == sorted([people.alice.user_id, people.bob.user_id])
