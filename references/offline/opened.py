"""The archives that this process has open: opened once, and again when another edition has taken their place.

Whether an archive can be read is known to each process alone: another host may have the files that this one lacks.
"""

from __future__ import annotations

import logging
import threading
import time
from dataclasses import dataclass
from pathlib import Path
from uuid import UUID

from django.conf import settings

from references.models import Archive
from references.offline.title_index import NoTitleIndex, TitleIndex
from references.offline.zim import ZimError, ZimFile, ZimUnavailable

logger = logging.getLogger(__name__)


@dataclass(frozen=True)
class OpenArchive:
    """An archive that can be read: the row's values, its file, and its title index."""

    id: UUID
    title: str
    language: str
    revision: str
    """Of the edition: its uuid."""
    file: ZimFile
    titles: TitleIndex


RETRY_SECONDS = 180
"""After which an archive that could not be read is tried again; at once if its files have changed."""

_State = tuple[object, ...]
_opened: dict[UUID, tuple[_State, OpenArchive]] = {}
_failed: dict[UUID, tuple[_State, float, str]] = {}
"""Until when (time.monotonic) an archive is not tried, and why."""
_opening = threading.Lock()


def index_path(edition: UUID) -> Path:
    """Where the title index of an edition is, whether it exists or not."""
    return Path(settings.DATA_DIR) / "archives" / f"{edition}.sqlite"


def open_archive(row: Archive) -> OpenArchive:
    """Return the archive of a row, ready to be read. Cheap when this process has tried it before.

    Raises ZimError when this process cannot read it, or it is not what was added.
    """
    state = _state(row)
    found = _opened.get(row.pk)
    if found and found[0] == state:
        return found[1]
    with _opening:
        failed = _failed.get(row.pk)
        if failed and failed[0] == state and time.monotonic() < failed[1]:
            raise ZimError(failed[2])
        found = _opened.get(row.pk)
        if found and found[0] == state:
            return found[1]
        try:
            archive = _open(row)
        except (ZimUnavailable, ZimError, NoTitleIndex) as error:
            note_failure(row, str(error))
            raise ZimError(str(error)) from error
        _opened[row.pk] = state, archive
        _failed.pop(row.pk, None)
    return archive


def open_or_none(row: Archive) -> OpenArchive | None:
    """The same; None for an archive that cannot be read."""
    try:
        return open_archive(row)
    except ZimError:
        return None


def note_failure(row: Archive, reason: str) -> None:
    """Let this process leave an archive alone for some minutes, unless its files change."""
    logger.error("The archive %s cannot be read: %s", row.name, reason)
    _opened.pop(row.pk, None)
    _failed[row.pk] = _state(row), time.monotonic() + RETRY_SECONDS, reason


def find_problem(row: Archive) -> str:
    """Why this process cannot read an archive; empty if it can."""
    try:
        open_archive(row)
    except ZimError as error:
        return str(error)
    return ""


def _open(row: Archive) -> OpenArchive:
    if row.uuid is None:
        raise NoTitleIndex("Its title index is not built yet.")
    path, index = Path(row.path), index_path(row.uuid)
    file = ZimFile(path)
    if file.uuid != row.uuid:
        raise ZimError(f"{path} is another edition than the one that was added. Run manage.py add_zim {path} again.")
    titles = TitleIndex(index)
    return OpenArchive(row.pk, str(row), row.language.partition(",")[0], str(row.uuid), file, titles)


def _state(row: Archive) -> _State:
    """What differs when an archive, its file or its title index is another one."""
    index = _identity(index_path(row.uuid)) if row.uuid else None
    return row.uuid, row.path, row.title, row.language, _identity(Path(row.path)), index


def _identity(path: Path) -> tuple[int, int, int] | None:
    try:
        found = path.stat()
    except OSError:
        return None
    return found.st_ino, found.st_size, found.st_mtime_ns
