"""Orphan files: files without a row, such as those of an upload whose process was killed."""

from __future__ import annotations

import logging
import re
import time
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path

from django.conf import settings
from django.core.files.storage import default_storage

from corpus.ingestion.storage import delete_files
from corpus.models import Version, concrete_models

logger = logging.getLogger(__name__)

MIN_AGE = timedelta(days=1)
"""Younger files are kept: their rows may not be committed yet."""

_UUID = "[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}"
_OURS = re.compile(rf"{_UUID}/{_UUID}/\d+-{_UUID}")  # see corpus.models.stored_name
_AT_ONCE = 1000


def delete_orphan_files(*, dry_run: bool = False) -> list[str]:
    """Delete document files without a version that are older than a day. Returns their names.

    Other files are kept. Nothing is deleted while there is no version at all, since the database may be new and the
    files old. Versions without their file are logged as errors.
    """
    if not any(versions.objects.exists() for versions in concrete_models(Version)):
        return []
    old = sorted(_old_files())
    orphans: list[str] = []
    for start in range(0, len(old), _AT_ONCE):
        names = old[start : start + _AT_ONCE]
        kinds = [versions.objects.filter(file__in=names) for versions in concrete_models(Version)]
        named = {name for versions in kinds for name in versions.values_list("file", flat=True)}
        orphans += [name for name in names if name not in named]
    if not dry_run:
        delete_files(orphans)
    for name in find_missing_files():
        logger.error("The file %s of a document is missing. Restore it from a backup.", name)
    return orphans


def find_missing_files() -> Iterator[str]:
    """Names of files of versions that are missing on the disk."""
    for versions in concrete_models(Version):
        for name in versions.objects.exclude(file="").values_list("file", flat=True).iterator():
            # The version may have been deleted with its file meanwhile.
            if not default_storage.exists(name) and versions.objects.filter(file=name).exists():
                yield name


def _old_files() -> Iterator[str]:
    root, before = Path(settings.MEDIA_ROOT), time.time() - MIN_AGE.total_seconds()
    for path in root.glob("*/*/*"):
        name = path.relative_to(root).as_posix()
        if _OURS.fullmatch(name) and path.is_file() and path.stat().st_mtime < before:
            yield name
