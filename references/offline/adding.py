"""Add, replace and remove archives: check the file, build its title index, and only then switch to it."""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import date
from pathlib import Path

from django.db import transaction

from corpus.advisory_lock import advisory_lock
from references.models import Archive, ArchiveState
from references.offline.opened import index_path
from references.offline.title_index import NoTitleIndex, TitleIndex, build_title_index
from references.offline.zim import ZimError, ZimFile, check_file

_LOCK = 0x7A696D  # "zim"

_LANGUAGES = {
    "ara": "ar", "cat": "ca", "ces": "cs", "dan": "da", "deu": "de", "ell": "el", "eng": "en", "eus": "eu", "fas": "fa",
    "fin": "fi", "fra": "fr", "fre": "fr", "ger": "de", "gle": "ga", "heb": "he", "hin": "hi", "hun": "hu", "hye": "hy",
    "ind": "id", "ita": "it", "jpn": "ja", "kor": "ko", "lit": "lt", "nep": "ne", "nld": "nl", "nor": "no", "pol": "pl",
    "por": "pt", "ron": "ro", "rus": "ru", "slk": "sk", "spa": "es", "srp": "sr", "swe": "sv", "tam": "ta", "tur": "tr",
    "ukr": "uk", "vie": "vi", "yid": "yi", "zho": "zh",
}  # fmt: skip
"""By the three letters (ISO 639-3) that name them in ZIM files."""

Progress = Callable[[str, int, int], None]
"""Called with what is done, how much of it is done, and how much there is."""


def add_archive(path: Path, *, progress: Progress, limit: int | None = None, checksum: bool = True) -> Archive:
    """Add a ZIM file, or replace the edition of the same name, which answers until the new title index is ready.

    With `limit` only so many titles are indexed. A run that was interrupted is continued. Raises ZimUnavailable,
    ZimError or NoTitleIndex; then nothing has changed but the state of an archive that has never been ready.
    """
    path = path.resolve()
    check_file(path, read=(lambda done, size: progress("bytes checked", done, size)) if checksum else None)
    file = ZimFile(path)
    with advisory_lock(_LOCK) as held:
        if not held:
            raise ZimError("Another archive is being added. Wait until it is done.")
        row, _ = Archive.objects.get_or_create(name=_name(file), defaults={"path": str(path), "title": _title(file)})
        try:
            titles = _indexed(file, limit, progress)
        except (ZimError, NoTitleIndex) as error:
            never_ready = Archive.objects.filter(pk=row.pk).exclude(state=ArchiveState.READY)
            never_ready.update(state=ArchiveState.FAILED, reason=str(error)[:300])
            raise
        return _switch(row, file, titles)


def remove_archive(row: Archive) -> None:
    """Forget an archive and delete its title index. The ZIM file stays where it is."""
    row.delete()
    if row.uuid:
        index_path(row.uuid).unlink(missing_ok=True)


def _indexed(file: ZimFile, limit: int | None, progress: Progress) -> int:
    """The number of titles in the index of this file, which is built unless it is there."""
    index = index_path(file.uuid)
    try:
        built = TitleIndex(index)
        complete = built.limit == limit
        built.close()
        if complete:
            return built.titles
    except NoTitleIndex:
        pass
    language = (_language_codes(file.metadata("Language")) or [""])[0]
    return build_title_index(
        index,
        str(file.uuid),
        file.titles,
        language=language,
        limit=limit,
        done=lambda passed, titles: progress("titles", titles, limit or titles + file.entries - passed),
    )


def _switch(row: Archive, file: ZimFile, titles: int) -> Archive:
    """Make the row that of this edition, and delete the index of the one before."""
    with transaction.atomic():
        row = Archive.objects.select_for_update().get(pk=row.pk)
        before = row.uuid
        row.path, row.uuid, row.title = str(file.path), file.uuid, _title(file)
        row.language = ",".join(_language_codes(file.metadata("Language")))[:40]
        row.date, row.articles = _date(file), file.articles
        row.state, row.reason = ArchiveState.READY, ""
        row.save()
    if before and before != row.uuid and not Archive.objects.filter(uuid=before).exists():
        index_path(before).unlink(missing_ok=True)
    return row


def _name(file: ZimFile) -> str:
    """The name in the metadata, which editions share, with its flavour; else that of the file without its date."""
    name = file.metadata("Name") or re.sub(r"_\d{4}-\d{2}[a-z]?$", "", file.path.stem)
    flavour = file.metadata("Flavour")
    return (f"{name}_{flavour}" if flavour else name)[:200]


def _title(file: ZimFile) -> str:
    return (file.metadata("Title") or file.path.stem)[:200]


def _date(file: ZimFile) -> date | None:
    try:
        return date.fromisoformat(file.metadata("Date")[:10])
    except ValueError:
        return None


def _language_codes(metadata: str) -> list[str]:
    """Return the two-letter codes of the languages that a file names, such as "eng,fra"; unknown ones as they are."""
    return [_LANGUAGES.get(name, name) for part in metadata.split(",") if (name := part.strip().lower()[:8])]
