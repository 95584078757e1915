"""An archive that every test of ZIM files may read."""

from __future__ import annotations

from pathlib import Path

import pytest
from pytest_django.fixtures import SettingsWrapper

from references.models import Archive


@pytest.fixture(scope="session")
def zim_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    from tests.references.offline import zim_files

    return zim_files.write(tmp_path_factory.mktemp("zim") / "test_en_all_2026-11.zim", zim_files.of_pages())


@pytest.fixture
def archives_folder(tmp_path: Path, settings: SettingsWrapper) -> Path:
    settings.DATA_DIR = tmp_path / "data"
    return tmp_path / "data" / "archives"


@pytest.fixture
def archive(db: None, zim_file: Path, archives_folder: Path) -> Archive:
    from references.offline.adding import add_archive

    return add_archive(zim_file, progress=lambda what, done, total: None)
