"""Files of versions on the disk: written only where there is room, and never left behind without a row."""

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
"""Bytes that stay free beside an upload: the database grows by its text and vectors, often on the same disk."""


class UploadRefused(Exception):
    """The file is not taken; the message says why in words for the person who sent it."""


class StorageFailed(UploadRefused):
    """The fault is the server's: the same file may be taken later."""


class UnchangedFile(UploadRefused):
    """It is in place already, so that there was nothing to do."""


def has_disk_space(size: int) -> bool:
    """Whether so many bytes fit on the disk of the files with a margin left."""
    folder = Path(settings.MEDIA_ROOT)
    while not folder.exists():
        folder = folder.parent
    return shutil.disk_usage(folder).free >= size + FREE_SPACE_MARGIN


@contextmanager
def file_transaction() -> Iterator[list[str]]:
    """A transaction that writes files; name each in the list before it is written.

    When anything fails in here, rows and files are both gone. What fails later in a transaction around this one takes
    the rows along, and leaves the files to `orphans.sweep`. An error of the disk becomes UploadRefused.
    """
    paths: list[str] = []
    try:
        with transaction.atomic():
            transaction.on_commit(paths.clear)  # first of all: from here on the files belong to rows
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
    """Delete those that exist. One that cannot be deleted is noted for the operator."""
    for path in filter(None, paths):
        try:
            default_storage.delete(path)
        except OSError:
            logger.exception("Could not delete %s", path)
