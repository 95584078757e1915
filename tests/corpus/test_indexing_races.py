"""What people and other workers do in the middle of an indexing (D6)."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

import pytest
from django.db import connection, transaction
from pytest_django import Settings

from corpus.ingestion import uploads
from corpus.ingestion.indexing import index_next_document
from corpus.models import Status
from corpus.tasks import index_documents
from knowledge.models import PersonalChunk, PersonalDocument, PersonalVersion
from tests.factories import Cast, index_all, make_file, personal_document
from tests.locks import waiting
from tests.running import wait_for

pytestmark = pytest.mark.django_db(transaction=True)

SECTIONS = 160  # five batches of the embedder


def text(edition: str) -> str:
    parts = (f"## Part {n}\n\nEdition {edition} of part {n} tells of burettes." for n in range(SECTIONS))
    return "# Handbook\n\n" + "\n\n".join(parts)


@contextmanager
def tasks(count: int = 1) -> Iterator[None]:
    """So many workers take a task each, beside what the test does; they are done at the end."""
    errors: list[BaseException] = []

    def work() -> None:
        try:
            index_documents()
        except BaseException as error:
            errors.append(error)
        finally:
            connection.close()

    threads = [threading.Thread(target=work) for _ in range(count)]
    for thread in threads:
        thread.start()
    yield
    for thread in threads:
        thread.join(120)
    assert errors == []


def in_the_middle(document: PersonalDocument) -> Callable[[], bool]:
    """Whether some of its passages have been embedded, and it is still being indexed."""
    rows = PersonalDocument.objects.filter(pk=document.pk, status=Status.INDEXING, progress_done__gt=0)
    return rows.exists


def editions(document: PersonalDocument) -> set[str]:
    return {chunk.text.split()[1] for chunk in document.chunks.all()}


def stored(settings: Settings) -> set[str]:
    root = Path(settings.MEDIA_ROOT)
    return {str(path.relative_to(root)) for path in root.rglob("*") if path.is_file()}


def test_one_task_delivered_four_times_indexes_once(people: Cast) -> None:
    document = personal_document(people.alice, text("A"), indexed=False)
    with tasks(4):
        wait_for(in_the_middle(document))
        assert PersonalDocument.objects.get().attempts == 1
    document.refresh_from_db()
    assert (document.status, document.attempts, document.chunk_count) == (Status.READY, 0, SECTIONS)
    assert document.chunks.count() == SECTIONS
    taken_up = document.attempted_at
    index_documents()
    document.refresh_from_db()
    assert document.attempted_at == taken_up


def test_a_document_deleted_in_the_middle_leaves_nothing(people: Cast, settings: Settings) -> None:
    document = personal_document(people.alice, text("A"), indexed=False)
    with tasks():
        wait_for(in_the_middle(document))
        uploads.delete(document)
    assert not PersonalDocument.objects.exists()
    assert not PersonalVersion.objects.exists()
    assert not PersonalChunk.objects.exists()
    assert stored(settings) == set()


def test_a_version_that_comes_in_the_middle_is_the_one_that_answers(people: Cast) -> None:
    document = personal_document(people.alice, text("A"))
    uploads.replace(document, make_file(text("B")), by=people.alice.user)
    with tasks():
        wait_for(in_the_middle(document))
        uploads.replace(document, make_file(text("C")), by=people.alice.user)
    document.refresh_from_db()
    assert (document.status, document.version, document.answering_version) == (Status.QUEUED, 3, 1)
    assert editions(document) == {"A"}
    index_all()
    document.refresh_from_db()
    assert (document.status, document.answering_version) == (Status.READY, 3)
    assert editions(document) == {"C"}


def test_a_version_that_comes_at_the_very_end_is_not_overwritten(people: Cast) -> None:
    """After the last look at whether the version is still wanted, and before its chunks are put in place."""
    document = personal_document(people.alice, text("A"))
    the_same = make_file(text("A") + "\n")  # so nothing has to be embedded
    uploads.replace(document, the_same, by=people.alice.user)
    with ExitStack() as until_done, transaction.atomic():
        connection.cursor().execute("LOCK TABLE knowledge_personalchunk IN ACCESS EXCLUSIVE MODE")
        until_done.enter_context(tasks())
        wait_for(waiting)
        uploads.replace(document, make_file(text("C")), by=people.alice.user)
    document.refresh_from_db()
    assert (document.status, document.version, document.answering_version) == (Status.QUEUED, 3, 1)
    assert document.versions.get(number=2).indexed_at is None


def test_an_update_cancelled_in_the_middle_stops_and_leaves_the_old_version(people: Cast, settings: Settings) -> None:
    document = personal_document(people.alice, text("A"))
    before = stored(settings)
    uploads.replace(document, make_file(text("B")), by=people.alice.user)
    with tasks():
        wait_for(in_the_middle(document))
        assert uploads.cancel(document)
    document.refresh_from_db()
    assert (document.status, document.version, document.answering_version) == (Status.READY, 1, 1)
    assert (document.progress_done, document.attempts) == (0, 0)
    assert editions(document) == {"A"}
    assert stored(settings) == before
    cancelled = document.versions.get(number=2)
    assert cancelled.cancelled_at
    assert cancelled.indexed_at is None
    assert not index_next_document(PersonalDocument.objects.all())


def test_a_worker_that_is_busy_with_a_cancelled_version_does_not_take_the_next_for_it(people: Cast) -> None:
    document = personal_document(people.alice, text("A"))
    uploads.replace(document, make_file(text("B")), by=people.alice.user)
    with tasks():
        wait_for(in_the_middle(document))
        uploads.cancel(document)
        uploads.replace(document, make_file(text("C")), by=people.alice.user)
    document.refresh_from_db()
    assert (document.status, document.version, document.answering_version) == (Status.QUEUED, 3, 1)
    index_all()
    document.refresh_from_db()
    assert (document.answering_version, editions(document)) == (3, {"C"})
    assert not uploads.cancel(document)  # too late
    uploads.delete(document)
    assert not PersonalVersion.objects.exists()


def test_an_update_that_a_cancelled_one_had_overtaken_is_read_again_from_the_start(
    people: Cast, caplog: pytest.LogCaptureFixture
) -> None:
    document = personal_document(people.alice, text("A"))
    uploads.replace(document, make_file(text("B")), by=people.alice.user)
    meddling: list[tuple[str, Callable[[], object]]] = [
        ("UPDATE", lambda: uploads.replace(document, make_file(text("C")), by=people.alice.user)),
        ("SELECT", lambda: uploads.cancel(document)),  # before the row is looked at to put in the new chunks
    ]

    def meddle(execute: Any, sql: str, params: Any, many: bool, context: Any) -> Any:
        at_work = "embedding" in (params or ()) if sql.startswith("UPDATE") else "FOR UPDATE" in sql
        if at_work and meddling and sql.startswith(meddling[0][0]):
            _, act = meddling.pop(0)
            wrappers, connection.execute_wrappers = connection.execute_wrappers, []
            act()
            connection.execute_wrappers = wrappers
        return execute(sql, params, many, context)

    with connection.execute_wrapper(meddle):
        index_documents()
    if meddling:
        uploads.cancel(document)
    document.refresh_from_db()
    assert (document.status, document.version, document.attempts) == (Status.QUEUED, 2, 0)
    assert caplog.records == []
    index_all()
    document.refresh_from_db()
    assert (document.answering_version, editions(document)) == (2, {"B"})


def test_two_versions_at_once_end_in_one(people: Cast, settings: Settings) -> None:
    document = personal_document(people.alice, text("A"))
    start = threading.Barrier(2)

    def send(edition: str) -> None:
        try:
            start.wait(120)
            uploads.replace(document, make_file(text(edition)), by=people.alice.user)
        finally:
            connection.close()

    threads = [threading.Thread(target=send, args=[edition]) for edition in "BC"]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(120)
    index_all()
    document.refresh_from_db()
    assert (document.status, document.version, document.answering_version) == (Status.READY, 3, 3)
    assert document.newest.file.read().decode() == text(editions(document).pop())
    assert len(editions(document)) == 1
    assert stored(settings) == set(PersonalVersion.objects.values_list("file", flat=True))


def test_cancelling_the_third_version_lets_the_second_go_on(people: Cast) -> None:
    document = personal_document(people.alice, "Edition one.", "a.md")
    uploads.replace(document, make_file("Edition two."), by=people.alice.user)
    uploads.replace(document, make_file("Edition three."), by=people.alice.user)
    assert uploads.cancel(document)
    document.refresh_from_db()
    assert (document.status, document.version, document.answering_version) == (Status.QUEUED, 2, 1)
    index_all()
    document.refresh_from_db()
    assert (document.status, document.answering_version) == (Status.READY, 2)
    assert document.chunks.get().text.strip() == "Edition two."
