"""Files without a row are swept after a day, and nothing else is ever deleted (D6)."""

from __future__ import annotations

import logging
import os
import time
from io import StringIO
from pathlib import Path
from uuid import uuid4

import pytest
from django.core.management import call_command
from pytest_django import Settings

from corpus.ingestion.storage import delete_orphan_files
from corpus.tasks import sweep_files
from knowledge.models import PersonalDocument
from tests.factories import Cast, cast, make_file, personal_document, school_document

DAY = 86400


@pytest.fixture
def people(transactional_db: None) -> Cast:
    return cast()


def lay(settings: Settings, name: str, *, age: float = DAY + 60) -> Path:
    path = Path(settings.MEDIA_ROOT) / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("left behind")
    os.utime(path, (time.time() - age,) * 2)
    return path


def of_ours() -> str:
    return f"{uuid4()}/{uuid4()}/1-{uuid4()}"


def age_all(settings: Settings) -> list[Path]:
    paths = [path for path in Path(settings.MEDIA_ROOT).rglob("*") if path.is_file()]
    for path in paths:
        os.utime(path, (time.time() - 9 * DAY,) * 2)
    return paths


def test_what_no_row_names_is_deleted_after_a_day(people: Cast, settings: Settings) -> None:
    personal_document(people.alice, indexed=False)
    school_document(people.carol, indexed=False)
    kept = age_all(settings)
    old, young = of_ours(), of_ours()
    gone, stays = lay(settings, old), lay(settings, young, age=DAY - 60)
    assert delete_orphan_files() == [old]
    assert not gone.exists()
    assert stays.exists()
    assert len(kept) == 2
    assert all(path.exists() for path in kept)


def test_folders_of_killed_conversions_are_deleted_after_a_day(
    people: Cast, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    temporary = tmp_path / "temporary"
    monkeypatch.setattr("tempfile.tempdir", str(temporary))
    personal_document(people.alice, indexed=False)
    gone, young, other = (temporary / name for name in ("lectern-office-a", "lectern-office-b", "other"))
    for folder in (gone, young, other):
        folder.mkdir(parents=True)
        (folder / "old").touch()
    for folder in (gone, other):
        os.utime(folder, (time.time() - DAY - 60,) * 2)
    (broken := temporary / "lectern-office-0").symlink_to("nowhere")
    delete_orphan_files()
    assert sorted(temporary.iterdir()) == [broken, young, other]


def test_a_file_beside_those_of_a_document_is_known_by_its_own_name(people: Cast, settings: Settings) -> None:
    name = personal_document(people.alice, indexed=False).newest.file.name
    beside = f"{name.rsplit('/', 1)[0]}/2-{uuid4()}"
    lay(settings, beside)
    assert delete_orphan_files() == [beside]


def test_files_of_other_makes_are_left_alone(people: Cast, settings: Settings) -> None:
    personal_document(people.alice, indexed=False)
    others = ("notes.txt", f"{uuid4()}/readme", f"archives/{uuid4()}/1-{uuid4()}", f"{of_ours()}.part")
    paths = [lay(settings, name, age=99 * DAY) for name in others]
    assert delete_orphan_files() == []
    assert all(path.exists() for path in paths)


def test_beside_an_empty_database_nothing_is_deleted(transactional_db: None, settings: Settings) -> None:
    path = lay(settings, of_ours())
    assert delete_orphan_files() == []
    assert path.exists()


def test_a_missing_file_is_an_error_in_the_log(
    people: Cast, settings: Settings, caplog: pytest.LogCaptureFixture
) -> None:
    stored = personal_document(people.alice, indexed=False).newest.file
    stored.storage.delete(stored.name)
    with caplog.at_level(logging.ERROR):
        sweep_files()
    assert f"{stored.name} of a document is missing" in caplog.text
    assert PersonalDocument.objects.exists()


def test_a_dry_run_only_says_which(people: Cast, settings: Settings) -> None:
    personal_document(people.alice, make_file().read(), indexed=False)
    name = of_ours()
    path, said = lay(settings, name), StringIO()
    call_command("sweep_files", "--dry-run", stdout=said)
    assert said.getvalue() == f"{name}\n1 file would be deleted.\n"
    assert path.exists()
    call_command("sweep_files", stdout=said)
    assert not path.exists()
