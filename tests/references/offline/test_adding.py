"""Adding, replacing and removing ZIM files by the commands."""

from __future__ import annotations

from io import StringIO
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command

from references.models import Archive, ArchiveState
from references.offline.opened import index_path, open_archive
from references.offline.title_index import TitleIndex
from references.offline.zim import ZimError
from tests.references.offline import zim_files
from tests.references.offline.archives import add

pytestmark = pytest.mark.django_db


def run(command: str, *arguments: object) -> tuple[str, str]:
    out, errors = StringIO(), StringIO()
    call_command(command, *map(str, arguments), stdout=out, stderr=errors)
    return out.getvalue(), errors.getvalue()


def newer(tmp_path: Path) -> Path:
    pages = {"Sunset": zim_files.SUNSET, "Comet": "<h1>Comet</h1><p>A comet has a tail of dust.</p>"}
    return zim_files.write(tmp_path / "test_en_all_2026-12.zim", zim_files.of_pages(pages, Title="Newer"))


def test_a_file_is_added_with_its_facts(zim_file: Path, indexes: Path) -> None:
    out, errors = run("add_zim", zim_file)
    row = Archive.objects.get()
    assert (row.name, row.title, row.language, row.articles) == ("test_en_all", "Test Encyclopedia", "en", 4)
    assert (row.state, row.path, str(row.date)) == (ArchiveState.READY, str(zim_file), "2026-11-01")
    assert "Test Encyclopedia is ready: 4 articles, language en." in out
    assert "6 of 6 titles" in errors
    assert "bytes checked" in errors
    assert TitleIndex(index_path(row.uuid)).titles == 6  # type: ignore[arg-type]
    assert list(indexes.iterdir()) == [index_path(row.uuid)]  # type: ignore[arg-type]


def test_a_file_is_added_once_more_without_another_index(archive: Archive, zim_file: Path) -> None:
    before = index_path(archive.uuid).stat().st_mtime_ns  # type: ignore[arg-type]
    Archive.objects.update(state=ArchiveState.FAILED, reason="It was not complete.")
    run("add_zim", zim_file, "--skip-checksum")
    archive.refresh_from_db()
    assert (archive.state, archive.reason) == (ArchiveState.READY, "")
    assert index_path(archive.uuid).stat().st_mtime_ns == before  # type: ignore[arg-type]


def test_a_newer_file_takes_the_place_of_the_older_when_it_is_ready(
    archive: Archive, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    old, seen = archive.uuid, []

    def watch(what: str, done: int, total: int) -> None:
        row = Archive.objects.get()
        seen.append((row.state, row.uuid, open_archive(row).file.find_path("Day")))

    from references.offline.adding import add_archive

    add_archive(newer(tmp_path), progress=watch)
    assert set(seen) == {(ArchiveState.READY, old, "Day")}, "the old edition answered until the end"
    row = Archive.objects.get()
    assert (row.pk, row.title) == (archive.pk, "Newer")
    assert row.uuid != old
    assert open_archive(row).file.find_path("Comet") == "Comet"
    assert not index_path(old).exists()  # type: ignore[arg-type]


def test_a_broken_newer_file_leaves_the_older_one(archive: Archive, tmp_path: Path) -> None:
    path = newer(tmp_path)
    path.write_bytes(path.read_bytes()[:-5000])
    with pytest.raises(CommandError, match="is not complete"):
        run("add_zim", path)
    archive.refresh_from_db()
    assert archive.state == ArchiveState.READY
    assert open_archive(archive).file.find_path("Day") == "Day"


def test_a_limit_indexes_some_titles_and_a_later_run_all(zim_file: Path, indexes: Path) -> None:
    run("add_zim", zim_file, "--limit", 2)
    row = Archive.objects.get()
    assert open_archive(row).titles.titles == 2
    run("add_zim", zim_file)
    assert open_archive(row).titles.titles == 6


@pytest.mark.parametrize("limit", [0, -1])
def test_a_limit_is_a_positive_number(zim_file: Path, limit: int) -> None:
    with pytest.raises(CommandError, match="at least 1"):
        run("add_zim", zim_file, f"--limit={limit}")


def test_what_is_not_there_is_not_added(tmp_path: Path) -> None:
    with pytest.raises(CommandError, match="There is no file"):
        run("add_zim", tmp_path / "none.zim")
    assert not Archive.objects.exists()


def test_flavours_of_one_name_stand_side_by_side(archive: Archive, tmp_path: Path) -> None:
    add(zim_files.write(tmp_path / "mini.zim", zim_files.of_pages(Flavour="mini")))
    assert {row.name for row in Archive.objects.all()} == {"test_en_all", "test_en_all_mini"}


def test_archives_are_listed_and_removed(archive: Archive, zim_file: Path) -> None:
    out, _ = run("list_zims")
    assert "test_en_all  Test Encyclopedia, en, 4 articles, 2026-11-01" in out
    assert out.strip().endswith("Ready")
    run("remove_zim", "test_en_all")
    assert not Archive.objects.exists()
    assert not index_path(archive.uuid).exists()  # type: ignore[arg-type]
    assert zim_file.exists()
    with pytest.raises(CommandError, match="There is no archive"):
        run("remove_zim", "test_en_all")


def test_an_archive_is_opened_once_until_it_changes(archive: Archive) -> None:
    assert open_archive(archive) is open_archive(archive)
    archive.title = "Another"
    assert open_archive(archive).title == "Another"


def test_what_is_not_what_was_added_is_not_opened(archive: Archive, tmp_path: Path) -> None:
    index = index_path(archive.uuid)  # type: ignore[arg-type]
    archive.path = str(tmp_path / "none.zim")
    with pytest.raises(ZimError, match="There is no file"):
        open_archive(archive)
    archive.path = str(newer(tmp_path))
    with pytest.raises(ZimError, match="another edition"):
        open_archive(archive)
    archive.refresh_from_db()
    index.unlink()
    with pytest.raises(ZimError, match="There is no title index"):
        open_archive(archive)
    archive.uuid = None
    with pytest.raises(ZimError, match="is not built yet"):
        open_archive(archive)
