"""Deleting schools and people with all that they have: rows of all apps, and stored files.

It follows the foreign keys of all models, so that a new model needs nothing here.
"""

from __future__ import annotations

import logging
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import Any

from django.apps import apps
from django.core.files.storage import Storage, default_storage
from django.db import DEFAULT_DB_ALIAS, models, transaction
from django.db.models.deletion import Collector

from schools.audit.actions import Action
from schools.audit.recording import record
from schools.models import School, User

logger = logging.getLogger(__name__)


@dataclass(frozen=True)
class Extent:
    """What would be deleted: rows by the plural name of their model, and stored files with their size in bytes."""

    rows: dict[str, int]
    files: list[str]
    size: int


def measure_extent(rows: Sequence[models.Model]) -> Extent:
    """How much would be deleted with these rows of one model. It changes nothing."""
    keys = _keys(_collected(rows))
    files = _files(keys)
    counts = {str(model._meta.verbose_name_plural): len(keys[model]) for model in keys if not model._meta.auto_created}
    return Extent(rows=dict(sorted(counts.items())), files=files, size=sum(map(_size, files)))


@transaction.atomic
def delete_with_everything(rows: Sequence[models.Model]) -> None:
    """Delete these rows of one model with all that belongs to them. Files are deleted when the transaction commits.

    Raises IntegrityError or OperationalError, and deletes nothing, if somebody writes at the same time.
    """
    if not rows:
        return
    # Whoever adds something that belongs to them waits here, and then finds them gone.
    chosen = type(rows[0])._base_manager.filter(pk__in=[row.pk for row in rows])
    current = list(chosen.select_for_update().order_by("pk"))
    collector = _collected(current)
    files = _files(_keys(collector))
    collector.delete()
    for row in current:
        if isinstance(row, School):
            record(Action.SCHOOL_ERASED, school=None, subject=row, label=row.name)
        elif isinstance(row, User):
            record(Action.PERSON_ERASED, school=None, subject=row)
    files = sorted(set(files) - set(_still_named(files)))
    transaction.on_commit(lambda: _delete_files(files))


def _collected(rows: Sequence[models.Model]) -> Collector:
    collector = Collector(using=DEFAULT_DB_ALIAS, origin=next(iter(rows), None))  # told to receivers of signals
    collector.collect(rows)
    return collector


def _keys(collector: Collector) -> dict[type[models.Model], set[object]]:
    """The primary keys of all rows to delete, by model. Django deletes some by query, maybe by several that overlap."""
    keys: dict[type[models.Model], set[Any]] = defaultdict(set)
    for model, found in collector.data.items():
        keys[model].update(row.pk for row in found)
    for query in collector.fast_deletes:
        if found := set(query.values_list("pk", flat=True)):
            keys[query.model] |= found
    return keys


def _file_fields(model: type[models.Model]) -> Iterator[str]:
    yield from (field.name for field in model._meta.concrete_fields if isinstance(field, models.FileField))


def _files(keys: dict[type[models.Model], set[object]]) -> list[str]:
    found = {
        path
        for model, chosen in keys.items()
        for name in _file_fields(model)
        for path in model._base_manager.filter(pk__in=chosen).values_list(name, flat=True)
    }
    return sorted(filter(None, found))


def _still_named(paths: list[str]) -> Iterator[str]:
    """Those that rows which stay name too."""
    for model in apps.get_models():
        for name in _file_fields(model):
            yield from model._base_manager.filter(**{f"{name}__in": paths}).values_list(name, flat=True)


def _size(path: str) -> int:
    try:
        return default_storage.size(path)
    except OSError:
        return 0


def _delete_files(paths: Iterable[str]) -> None:
    """Also the folders that are empty then. Errors are logged: a nightly task deletes what is left."""
    folders: set[str] = set()
    for path in paths:
        try:
            default_storage.delete(path)
        except OSError:
            logger.exception("Could not delete %s", path)
        folders.update(str(folder) for folder in PurePosixPath(path).parents if folder.name)
    for folder in sorted(folders, key=len, reverse=True):
        _delete_empty_folder(default_storage, folder)


def _delete_empty_folder(storage: Storage, folder: str) -> None:
    with suppress(OSError, NotImplementedError):
        if storage.listdir(folder) == ([], []):
            storage.delete(folder)
