"""Stored files of versions: written only if the disk has room, deleted if their row is not committed or gone."""

from __future__ import annotations

import logging
import re
import shutil
import tempfile
import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from datetime import timedelta
from pathlib import Path

from django.conf import settings
from django.core.files.storage import default_storage
from django.db import transaction

from corpus.ingestion.sandbox.office import OFFICE_PREFIX
from corpus.models import Version, concrete_models

logger = logging.getLogger(__name__)

FREE_SPACE_MARGIN = 200 * 1024 * 1024
"""Bytes that must stay free after an upload. The database grows too, often on the same disk."""


class UploadRefused(Exception):
    """The upload is refused. The message says why, in words for the person who sent it."""


class StorageFailed(UploadRefused):
    """The server could not store the file. The same upload may succeed later."""


class UnchangedFile(UploadRefused):
    """The newest version has this very file, so there is nothing to do."""


def has_disk_space(size: int) -> bool:
    folder = Path(settings.MEDIA_ROOT)
    while not folder.exists():
        folder = folder.parent
    return shutil.disk_usage(folder).free >= size + FREE_SPACE_MARGIN


@contextmanager
def file_transaction() -> Iterator[list[str]]:
    """A transaction that writes files. Append each path before it is written. Raises StorageFailed for an OSError."""
    paths: list[str] = []
    try:
        with transaction.atomic():
            transaction.on_commit(paths.clear)  # the first callback: from now on the files belong to rows
            yield paths
    except OSError as error:
        logger.exception("A file could not be stored")
        delete_files(paths)
        raise StorageFailed(
            "The file could not be stored on the server, so nothing was changed. "
            "Please try again later, and tell your operator if it stays like this."
        ) from error
    except BaseException:
        delete_files(paths)
        raise


def delete_files(paths: Iterable[str]) -> None:
    for path in filter(None, paths):
        try:
            default_storage.delete(path)
        except OSError:
            logger.exception("Could not delete %s", path)


MIN_AGE = timedelta(days=1)
"""Younger files are kept: their rows may not be committed yet."""

_UUID = "[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}"
_OURS = re.compile(rf"{_UUID}/{_UUID}/\d+-{_UUID}")  # see corpus.models.stored_name


def delete_orphan_files(*, dry_run: bool = False) -> list[str]:
    """Delete document files without a version that are older than a day, and folders of killed conversions.

    Returns the names of the files. Other files are kept. Nothing is deleted while there is no version at all, since the
    database may be new and the files old. Versions without their file are logged as errors.
    """
    old = sorted(_old_files())
    named = {name for versions in concrete_models(Version) for name in versions.objects.values_list("file", flat=True)}
    if not named:
        return []
    orphans = [name for name in old if name not in named]
    if not dry_run:
        delete_files(orphans)
        for folder in Path(tempfile.gettempdir()).glob(f"{OFFICE_PREFIX}*"):
            with suppress(OSError):  # another process has deleted it meanwhile, or it is a broken link
                if folder.stat().st_mtime < time.time() - MIN_AGE.total_seconds():
                    shutil.rmtree(folder)
    for versions in concrete_models(Version):
        for name in versions.objects.exclude(file="").values_list("file", flat=True).iterator():
            # The version may have been deleted with its file meanwhile.
            if not default_storage.exists(name) and versions.objects.filter(file=name).exists():
                logger.error("The file %s of a document is missing. Restore it from a backup.", name)
    return orphans


def _old_files() -> Iterator[str]:
    root, before = Path(settings.MEDIA_ROOT), time.time() - MIN_AGE.total_seconds()
    for path in root.glob("*/*/*"):
        name = path.relative_to(root).as_posix()
        if _OURS.fullmatch(name) and path.is_file() and path.stat().st_mtime < before:
            yield name
