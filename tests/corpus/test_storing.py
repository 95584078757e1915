"""No file without a row and no row without a file, also when the disk is full or fails (D1)."""

from __future__ import annotations

import resource
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from uuid import uuid4

import pytest
from django.core.files.base import File
from django.core.files.storage import default_storage
from django.db import IntegrityError, transaction
from pytest_django import Settings

from corpus.ingestion import uploads
from corpus.ingestion.storage import UploadRefused, file_transaction, has_disk_space
from corpus.models import Status
from knowledge.models import PersonalDocument, PersonalVersion
from knowledge.services import upload
from schools.models import User
from tests.factories import Cast, cast, make_file, personal_document


@pytest.fixture
def people(transactional_db: None) -> Cast:
    return cast()


def stored(settings: Settings) -> list[Path]:
    return [path for path in Path(settings.MEDIA_ROOT).rglob("*") if path.is_file()]


@contextmanager
def files_end_after(size: int) -> Iterator[None]:
    """The system refuses to write more than so many bytes to one file, as a full disk does: after a part of it."""
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)


def test_what_does_not_fit_is_refused_before_anything_is_written(settings: Settings, tmp_path: Path) -> None:
    settings.LECTERN_MAX_UPLOAD_MB = 10**9
    vast = tmp_path / "vast.txt"
    with vast.open("wb") as sparse:
        sparse.truncate(2**42)  # four terabytes that take no room
    assert not has_disk_space(2**42)
    with vast.open("rb") as opened, pytest.raises(UploadRefused, match="not enough room left on the server"):
        uploads.check_upload(File(opened, name="vast.txt"))
    assert has_disk_space(1000)


def test_a_file_that_cannot_be_written_leaves_no_row_and_no_file(people: Cast, settings: Settings) -> None:
    large = make_file("A long line of text.\n" * 300_000, "large.txt")
    with files_end_after(2_000_000), pytest.raises(UploadRefused, match="could not be stored"):
        upload(member=people.alice, file=large)
    assert not PersonalDocument.objects.exists()
    assert not PersonalVersion.objects.exists()
    assert stored(settings) == []


def test_a_new_version_that_cannot_be_written_leaves_the_document_as_it_was(people: Cast, settings: Settings) -> None:
    document = personal_document(people.alice)
    before = stored(settings)
    large = make_file("A long line of text.\n" * 300_000, "large.txt")
    with files_end_after(2_000_000), pytest.raises(UploadRefused, match="nothing was changed"):
        uploads.replace(document, large, by=people.alice.user)
    document.refresh_from_db()
    assert (document.version, document.status) == (1, Status.READY)
    assert document.versions.count() == 1
    assert stored(settings) == before


def test_what_the_database_refuses_at_the_commit_takes_its_file_along(people: Cast, settings: Settings) -> None:
    document = personal_document(people.alice)
    before = stored(settings)
    nobody = User(pk=uuid4())  # PostgreSQL looks at the commit whether the sender exists
    with pytest.raises(IntegrityError):
        uploads.replace(document, make_file("Other text."), by=nobody)
    assert document.versions.count() == 1
    assert stored(settings) == before


def test_a_merge_moves_versions_and_touches_no_file(people: Cast, settings: Settings) -> None:
    one, other = personal_document(people.alice), personal_document(people.alice, "Other text.", "other.md")
    uploads.replace(one, make_file("Newer text."), by=people.alice.user)
    before = stored(settings)
    uploads.merge(one, other)
    assert PersonalDocument.objects.get() == other
    assert sorted(stored(settings)) == sorted(before)
    names = set(PersonalVersion.objects.filter(document=other).values_list("file", flat=True))
    assert names == {str(path.relative_to(settings.MEDIA_ROOT)) for path in before}


def test_a_cancelled_merge_falls_back_on_the_version_that_answers(people: Cast) -> None:
    answering = personal_document(people.alice, "What answers.", "answers.md")
    other = personal_document(people.alice, "Never read.", "other.md", indexed=False)
    uploads.replace(other, make_file("Newer text."), by=people.alice.user)
    uploads.merge(other, answering)
    assert uploads.cancel(answering)
    answering.refresh_from_db()
    assert (answering.version, answering.answering_version, answering.status) == (1, 1, Status.READY)


def test_a_copy_that_cannot_be_made_leaves_nothing(people: Cast, settings: Settings) -> None:
    large = personal_document(people.alice, "A long line of text.\n" * 300_000, "large.txt", indexed=False)
    before = stored(settings)
    with files_end_after(2_000_000), pytest.raises(UploadRefused, match="could not be stored"):
        uploads.copy(large, filename="second.txt", by=people.alice.user)
    assert PersonalDocument.objects.count() == 1
    assert stored(settings) == before
    default_storage.delete(large.newest.file.name)
    with pytest.raises(UploadRefused, match="nothing was changed"):
        uploads.copy(large, filename="second.txt", by=people.alice.user)


def test_what_fails_after_the_commit_takes_no_file_along(people: Cast, settings: Settings) -> None:
    def fail() -> None:
        raise RuntimeError("after the commit")

    with pytest.raises(RuntimeError), file_transaction() as paths:
        paths.append(default_storage.save("kept.txt", make_file("Kept.")))
        transaction.on_commit(fail)
    assert [path.name for path in stored(settings)] == ["kept.txt"]
