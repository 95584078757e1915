"""The archives that this process has open: opened once, and again when another edition has taken their place."""

from __future__ import annotations

import logging
import threading
from dataclasses import dataclass
from pathlib import Path
from uuid import UUID

from django.conf import settings

from references.models import Archive, ArchiveState
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


_opened: dict[UUID, tuple[tuple[object, ...], OpenArchive]] = {}
_opening = threading.Lock()


def index_path(edition: UUID) -> Path:
    """Where the title index of an edition is, whether it exists or not."""
    return Path(settings.DATA_DIR) / "archives" / f"{edition}.sqlite"


def open_archive(row: Archive) -> OpenArchive:
    """Return the archive of a row, ready to be read. Cheap when this process has opened it before.

    Raises ZimUnavailable without libzim; ZimError or NoTitleIndex when it cannot be read, or is not what was added.
    """
    if row.uuid is None:
        raise NoTitleIndex("Its title index is not built yet.")
    path, index = Path(row.path), index_path(row.uuid)
    state = (row.uuid, row.path, row.title, row.language, _state(path), _state(index))
    found = _opened.get(row.pk)
    if found and found[0] == state:
        return found[1]
    with _opening:
        found = _opened.get(row.pk)
        if found and found[0] == state:
            return found[1]
        archive = _open(row, path, index)
        _opened[row.pk] = state, archive
    return archive


def open_or_mark(row: Archive) -> OpenArchive | None:
    """The same; None for an archive that cannot be read, which is logged and stored in the row."""
    try:
        return open_archive(row)
    except ZimUnavailable as error:
        logger.error("%s", error)
    except (ZimError, NoTitleIndex) as error:
        mark_failed(row, str(error))
    return None


def mark_failed(row: Archive, reason: str) -> None:
    """Store why an archive cannot be read. It is not searched again until it is added again."""
    logger.error("The archive %s cannot be read: %s", row.name, reason)
    same = Archive.objects.filter(pk=row.pk, uuid=row.uuid, state=ArchiveState.READY)
    same.update(state=ArchiveState.FAILED, reason=reason[:300])


def _open(row: Archive, path: Path, index: Path) -> OpenArchive:
    file = ZimFile(path)
    if file.uuid != row.uuid:
        raise ZimError(f"{path} is another edition than the one that was added. Run manage.py add_zim {path} again.")
    titles = TitleIndex(index)
    return OpenArchive(row.pk, str(row), row.language.partition(",")[0], str(row.uuid), file, titles)


def _state(path: Path) -> tuple[int, int, int] | None:
    """What differs when another file is put in the place of this one."""
    try:
        found = path.stat()
    except OSError:
        return None
    return found.st_ino, found.st_size, found.st_mtime_ns
