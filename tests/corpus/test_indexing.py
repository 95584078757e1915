"""Indexing from the file to the chunks in place (D4 to D6)."""

from datetime import timedelta
from pathlib import Path

import pytest
from django.db import connection
from django.utils import timezone
from pytest_django import DjangoCaptureOnCommitCallbacks, Settings

from corpus.ingestion import uploads
from corpus.ingestion.indexing import index_next_document
from corpus.models import Status
from corpus.retry_backoff import MAX_ATTEMPTS
from corpus.tasks import queue_other_models
from knowledge.models import PersonalChunk, PersonalDocument
from tests.factories import ACIDS, Cast, break_file, make_file, personal_document

pytestmark = pytest.mark.django_db


def texts(document: PersonalDocument) -> str:
    return "\n".join(document.chunks.order_by("position").values_list("text", flat=True))


def test_a_document_is_indexed_with_its_structure(people: Cast) -> None:
    document = personal_document(people.alice)
    assert (document.status, document.answering_version, document.failure_reason) == (Status.READY, 1, "")
    chunk = document.chunks.get(text__contains="0.5 mol/l")
    assert chunk.heading_path == ["Year 9 acids", "Practical"]
    assert (chunk.line_start, chunk.line_end) == (5, 5)
    assert chunk.school_id == people.alice.school_id
    assert document.chunk_count == document.chunks.count() == 2
    version = document.versions.get()
    assert (version.chunks_kept, version.chunks_added, version.chunks_removed) == (0, 2, 0)


def test_until_it_is_indexed_the_old_version_answers(people: Cast) -> None:
    document = personal_document(people.alice)
    uploads.replace(document, make_file(ACIDS.replace("0.5", "0.25")), by=people.alice.user)
    document.refresh_from_db()
    assert (document.version, document.answering_version, document.status) == (2, 1, Status.QUEUED)
    assert "0.5 mol/l" in texts(document)
    assert index_next_document(PersonalDocument.objects.all())
    document.refresh_from_db()
    assert (document.answering_version, document.status) == (2, Status.READY)
    assert "0.25 mol/l" in texts(document)
    assert "0.5 mol/l" not in texts(document)


def test_only_changed_chunks_are_embedded_again(people: Cast) -> None:
    document = personal_document(people.alice)
    kept = document.chunks.get(text__contains="burette").embedding
    uploads.replace(document, make_file(ACIDS.replace("0.5", "0.25")), by=people.alice.user)
    index_next_document(PersonalDocument.objects.all())
    version = document.versions.get(number=2)
    assert (version.chunks_kept, version.chunks_added, version.chunks_removed) == (1, 1, 1)
    assert document.chunks.get(text__contains="burette").embedding == kept


def test_a_failed_update_leaves_the_old_version_answering(people: Cast) -> None:
    document = personal_document(people.alice)
    uploads.replace(document, make_file(b"\x89PNG\r\n\x1a\n" + b"\x00" * 64, "acids.md"), by=people.alice.user)
    index_next_document(PersonalDocument.objects.all())
    document.refresh_from_db()
    assert (document.status, document.answering_version) == (Status.FAILED, 1)
    assert document.failure_reason
    assert "0.5 mol/l" in texts(document)


def test_an_unreadable_file_fails_in_plain_words_and_can_be_tried_again(people: Cast) -> None:
    document = personal_document(people.alice, b"%PDF-1.7 and then nothing", "notes.pdf")
    assert document.status == Status.FAILED
    assert "damaged" in document.failure_reason
    assert not index_next_document(PersonalDocument.objects.all())
    uploads.retry(document)
    document.refresh_from_db()
    assert (document.status, document.failure_reason, document.attempts) == (Status.QUEUED, "", 0)


def test_a_document_is_given_up_after_three_faults_of_ours(people: Cast) -> None:
    document = personal_document(people.alice, indexed=False)
    break_file(document)
    for _ in range(MAX_ATTEMPTS):
        assert index_next_document(PersonalDocument.objects.all())
    document.refresh_from_db()
    assert document.status == Status.FAILED
    assert "on our side" in document.failure_reason
    assert not index_next_document(PersonalDocument.objects.all())


def test_a_file_that_this_host_cannot_reach_is_said_soon_and_waits_for_one_that_can(people: Cast) -> None:
    document = personal_document(people.alice, indexed=False)
    stored = document.newest.file
    away = Path(stored.path).rename(f"{stored.path}.away")
    for attempts in (1, 2, 2, 2):
        assert index_next_document(PersonalDocument.objects.all())
        document.refresh_from_db()
        assert (document.status, document.attempts) == (Status.QUEUED, attempts)
        assert document.failure_reason == "The server that reads documents cannot reach this file"
    away.rename(stored.path)
    assert index_next_document(PersonalDocument.objects.all())
    document.refresh_from_db()
    assert (document.status, document.failure_reason) == (Status.READY, "")


def long_ago(document: PersonalDocument, seconds: int) -> None:
    PersonalDocument.objects.filter(pk=document.pk).update(updated_at=timezone.now() - timedelta(seconds=seconds))


def test_between_two_attempts_a_document_rests_and_the_others_go_on(people: Cast, settings: Settings) -> None:
    settings.LECTERN_RETRY_SECONDS = 15
    document = personal_document(people.alice, indexed=False)
    stored = document.newest.file
    away = Path(stored.path).rename(f"{stored.path}.away")
    assert index_next_document(PersonalDocument.objects.all())
    assert not index_next_document(PersonalDocument.objects.all())
    other = personal_document(people.alice, "# Bases\n\nLye.", "bases.md")
    assert other.status == Status.READY

    for attempts, rest in ((1, 15), (2, 120)):
        document.refresh_from_db()
        assert (document.status, document.attempts) == (Status.QUEUED, attempts)
        long_ago(document, rest - 5)
        assert not index_next_document(PersonalDocument.objects.all())
        assert not PersonalDocument.objects.due().exists()
        long_ago(document, rest)
        if attempts == 2:
            away.rename(stored.path)
        assert index_next_document(PersonalDocument.objects.all())
    document.refresh_from_db()
    assert (document.status, document.answering_version) == (Status.READY, 1)


def test_who_asks_for_it_does_not_wait_for_the_next_attempt(people: Cast, settings: Settings) -> None:
    settings.LECTERN_RETRY_SECONDS = 15
    document = personal_document(people.alice, indexed=False)
    stored = document.newest.file
    stored.storage.delete(stored.name)
    assert index_next_document(PersonalDocument.objects.all())
    uploads.replace(document, make_file(), by=people.alice.user)
    assert index_next_document(PersonalDocument.objects.all())
    document.refresh_from_db()
    assert document.status == Status.READY


def test_one_whose_worker_died_rests_as_well_but_is_given_up_without(people: Cast, settings: Settings) -> None:
    settings.LECTERN_RETRY_SECONDS = 15
    document = personal_document(people.alice, indexed=False)
    left_behind = PersonalDocument.objects.filter(pk=document.pk)
    left_behind.update(status=Status.INDEXING, attempts=2, updated_at=timezone.now())
    assert not index_next_document(PersonalDocument.objects.all())
    left_behind.update(attempts=MAX_ATTEMPTS)
    assert index_next_document(PersonalDocument.objects.all())
    document.refresh_from_db()
    assert document.status == Status.FAILED


def test_one_left_behind_by_a_killed_worker_is_taken_up_again(people: Cast) -> None:
    document = personal_document(people.alice, indexed=False)
    PersonalDocument.objects.filter(pk=document.pk).update(status=Status.INDEXING, attempts=1)
    assert index_next_document(PersonalDocument.objects.all())
    document.refresh_from_db()
    assert (document.status, document.chunk_count) == (Status.READY, 2)


def test_one_that_another_worker_holds_is_left_alone(people: Cast) -> None:
    document = personal_document(people.alice, indexed=False)
    other = connection.copy()
    try:
        with other.cursor() as cursor:
            number = int.from_bytes(document.pk.bytes[-8:], signed=True)
            cursor.execute("SELECT pg_advisory_lock(%s)", [number])
        assert not index_next_document(PersonalDocument.objects.all())
        with other.cursor() as cursor:
            cursor.execute("SELECT pg_advisory_unlock(%s)", [number])
        assert index_next_document(PersonalDocument.objects.all())
    finally:
        other.close()


def test_deleting_takes_chunks_versions_and_files_along(
    people: Cast, django_capture_on_commit_callbacks: DjangoCaptureOnCommitCallbacks
) -> None:
    document = personal_document(people.alice)
    stored = document.newest.file
    with django_capture_on_commit_callbacks(execute=True):
        uploads.delete(document)
    assert not PersonalDocument.objects.exists()
    assert not PersonalChunk.objects.exists()
    assert not stored.storage.exists(stored.name)


@pytest.mark.parametrize(
    ("sent", "shown"),
    [
        ("../../etc/passwd", "passwd"),
        ("C:\\notes\\plan.docx", "plan.docx"),
        ("a\x00b\u202etxt.exe", "abtxt.exe"),
        ("", "document"),
        ("Year 9 " + "x" * 300 + ".pdf", "Year 9 " + "x" * 152 + "…" + "x" * 36 + ".pdf"),
        ("y" * 200, "y" * 200),
    ],
)
def test_names_of_files_are_made_harmless(sent: str, shown: str) -> None:
    assert uploads.clean_filename(sent) == shown


def test_what_another_model_has_indexed_is_indexed_anew(people: Cast) -> None:
    document = personal_document(people.alice)
    document.chunks.update(embedding_model="another-model")
    queue_other_models()
    document.refresh_from_db()
    assert (document.status, document.answering_version) == (Status.QUEUED, 1)
    assert index_next_document(PersonalDocument.objects.all())
    assert not document.chunks.filter(embedding_model="another-model").exists()
    queue_other_models()
    document.refresh_from_db()
    assert document.status == Status.READY
