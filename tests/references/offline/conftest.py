from __future__ import annotations

from pathlib import Path

import pytest
from pytest_django import Settings

from references.models import Archive
from tests.references.offline.archives import add, shared_file


@pytest.fixture(scope="session")
def zim_file() -> Path:
    return shared_file()


@pytest.fixture
def indexes(tmp_path: Path, settings: Settings) -> Path:
    """The folder of title indexes, empty."""
    settings.DATA_DIR = tmp_path / "data"
    return tmp_path / "data" / "archives"


@pytest.fixture
def archive(db: None, zim_file: Path, indexes: Path) -> Archive:
    return add(zim_file)
