"""What a person can do with a document's file, the same for a teacher's own and the library's."""

from __future__ import annotations

import hashlib
import logging
from pathlib import PurePath
from typing import Any, TypeVar

from django.conf import settings
from django.core.files.base import File
from django.core.files.storage import default_storage
from django.db import transaction
from django.utils import timezone

from corpus.indexing import stems
from corpus.models import Document, Status, Version
from corpus.tasks import ring
from schools.models import User

logger = logging.getLogger(__name__)
D = TypeVar("D", bound=Document)


class UploadRefused(Exception):
    """The file is not taken; the message says why in words for the person who sent it."""


def check(upload: File[bytes]) -> None:
    """Raises UploadRefused for an empty or too large file. What kind it is, its content says when it is read."""
    name, limit = clean_filename(upload.name), settings.LECTERN_MAX_UPLOAD_MB
    if not upload.size:
        raise UploadRefused(f"“{name}” is empty.")
    if upload.size > limit * 1024 * 1024:
        raise UploadRefused(
            f"“{name}” has {upload.size / 1024 / 1024:.0f} MB; at most {limit} MB are allowed. Split it into parts."
        )


def fingerprint(upload: File[bytes]) -> str:
    """SHA-256 of the file's content; the same file has the same one, whatever its name."""
    digest = hashlib.sha256()
    for block in upload.chunks():
        digest.update(block)
    upload.seek(0)
    return digest.hexdigest()


@transaction.atomic
def create(document: D, upload: File[bytes], *, by: User) -> D:
    """Save a new document with its first version and have it indexed. Raises UploadRefused."""
    check(upload)
    document.title = document.title.strip() or title_from(upload.name)
    document.save(force_insert=True)
    _add_version(document, upload, by=by)
    return document


@transaction.atomic
def replace(document: D, upload: File[bytes], *, by: User) -> D:
    """Take in a new version; the old one answers until the new one is indexed. Raises UploadRefused."""
    check(upload)
    current = _locked(document)
    if current is None:
        raise UploadRefused("This document has been deleted meanwhile.")
    current.version += 1
    _add_version(current, upload, by=by)
    _queue(current)
    return current


@transaction.atomic
def retry(document: D) -> D:
    """Have the newest version indexed again, after a failure. Does nothing while it is pending, or deleted."""
    current = _locked(document)
    if current is None:
        return document
    if not current.is_pending:
        _queue(current)
    return current


@transaction.atomic
def delete(document: Document) -> None:
    """Delete a document with its versions and chunks, and its files once that is certain.

    Its row is locked before its versions are read, so that one taken in meanwhile goes as well. Does nothing when
    somebody else has deleted it.
    """
    current = _locked(document)
    if current is None:
        return
    paths = list(current.versions.values_list("file", flat=True))
    current.delete()
    transaction.on_commit(lambda: _delete_files(paths))


@transaction.atomic
def retitle(document: Document, title: str) -> None:
    """Give a document another title, by which its passages are found from the next question on."""
    current = type(document)._default_manager.select_for_update().filter(pk=document.pk)
    current.update(title=title)
    chunks = list(document.chunks.only("heading_path", "text", "language"))
    for chunk in chunks:
        chunk.search = stems(chunk.language, (title, *chunk.heading_path, chunk.text))
    document.chunks.bulk_update(chunks, ["search"], batch_size=200)


def title_from(filename: str | None) -> str:
    """A title for a file that was given none: its name without ending, underscores as spaces."""
    return PurePath(clean_filename(filename)).stem.replace("_", " ").strip()[:200] or "Untitled"


def clean_filename(filename: str | None) -> str:
    """A name as it may be shown and offered for download: no folders, no control or direction characters.

    Of a name of more than 200 characters the start and the ending stay, and the middle is left out.
    """
    name = (filename or "").replace("\\", "/").rsplit("/", 1)[-1]
    name = "".join(c for c in name if c.isprintable()).strip()
    return (name if len(name) <= 200 else f"{name[:159]}…{name[-40:]}") or "document"


def _locked(document: D) -> D | None:
    """The document as it is now, its row locked until the transaction ends; None when it is deleted."""
    found: D | None = type(document)._default_manager.select_for_update().filter(pk=document.pk).first()
    return found


def _queue(document: Document) -> None:
    document.status, document.stage, document.failure_reason = Status.QUEUED, "", ""
    document.attempts = document.progress_done = document.progress_total = 0
    document.updated_at = timezone.now()
    document.save()
    transaction.on_commit(ring)


def _add_version(document: Document, upload: File[bytes], *, by: User) -> Version:
    version: Any = document.versions.create(
        school_id=document.school_id,
        number=document.version,
        file=File(upload, name=upload.name),
        filename=clean_filename(upload.name),
        size=upload.size,
        content_hash=fingerprint(upload),
        uploaded_by=by,
    )
    transaction.on_commit(ring)
    found: Version = version
    return found


def _delete_files(paths: list[str]) -> None:
    for path in paths:
        try:
            default_storage.delete(path)
        except OSError:
            logger.exception("Could not delete %s", path)
