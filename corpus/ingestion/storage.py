"""Stored files of versions: written only if the disk has room, and deleted if their row is not committed."""

from __future__ import annotations

import logging
import shutil
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path

from django.conf import settings
from django.core.files.storage import default_storage
from django.db import transaction

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
    """A transaction that writes files. Append each path to the list before the file is written.

    If the block fails, rows are rolled back and files deleted. If an outer transaction fails later, its files are left
    to `delete_orphan_files`. Raises StorageFailed for an OSError.
    """
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
    """Delete these files if they exist. Errors are logged."""
    for path in filter(None, paths):
        try:
            default_storage.delete(path)
        except OSError:
            logger.exception("Could not delete %s", path)
