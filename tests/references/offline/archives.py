"""An archive that tests read, written and indexed once in a run of the tests."""

from __future__ import annotations

import tempfile
from functools import cache
from pathlib import Path

from django.conf import settings

from references.models import Archive
from references.offline.adding import add_archive
from tests.references.offline import zim_files


@cache
def shared_file() -> Path:
    folder = Path(settings.DATA_DIR) / "test-archives"
    folder.mkdir(parents=True, exist_ok=True)
    return zim_files.write(Path(tempfile.mkdtemp(dir=folder)) / "test_en_all_2026-11.zim", zim_files.of_pages())


def shared_archive() -> Archive:
    """A row for it in the test's database."""
    return add(shared_file())


def add(path: Path, limit: int | None = None) -> Archive:
    return add_archive(path, progress=lambda what, done, total: None, limit=limit)
