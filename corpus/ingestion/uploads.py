"""What a person can do with a document's file, the same for a teacher's own and the library's."""

from __future__ import annotations

import hashlib
from pathlib import PurePath
from typing import Any, TypeVar
from uuid import UUID

from django.conf import settings
from django.core.files.base import File
from django.core.files.storage import default_storage
from django.db import connection, transaction
from django.db.models import F, Q
from django.utils import timezone

from corpus.embedding.active_model import installation
from corpus.ingestion.readers.structure import BOOK, MARKDOWN
from corpus.ingestion.replace_chunks import search_vector
from corpus.ingestion.storage import (
    StorageFailed,
    UnchangedFile,
    UploadRefused,
    delete_files,
    file_transaction,
    has_disk_space,
)
from corpus.ingestion.wake_worker import wake_worker
from corpus.models import Document, Status, Version, stored_name
from corpus.signals import document_merged
from schools.models import User, name_in_school

D = TypeVar("D", bound=Document)


def check_upload(upload: File[bytes]) -> None:
    """Raises UploadRefused for an empty or too large file, or a full disk, before anything is written.

    What kind it is, its content says when it is read.
    """
    name, limit = clean_filename(upload.name), settings.LECTERN_MAX_UPLOAD_MB
    if not upload.size:
        raise UploadRefused(f"“{name}” is empty.")
    if upload.size > limit * 1024 * 1024:
        raise UploadRefused(
            f"“{name}” has {upload.size / 1024 / 1024:.0f} MB; at most {limit} MB are allowed. Split it into parts."
        )
    if not has_disk_space(upload.size):
        raise StorageFailed(
            f"There is not enough room left on the server for “{name}”. Nothing was stored; "
            "please tell your operator that the disk is full."
        )


def file_hash(upload: File[bytes]) -> str:
    """SHA-256 of the file's content; the same file has the same one, whatever its name."""
    digest = hashlib.sha256()
    for block in upload.chunks():
        digest.update(block)
    upload.seek(0)
    return digest.hexdigest()


def create(document: D, upload: File[bytes], *, by: User) -> tuple[D, bool]:
    """Save a new document with its first version and have it indexed, unless its place has this very file (D7).

    Returns the document that has the file and whether it is new. Of two who send one file to one place at the same
    moment the second waits for the first, and gets its document. Raises UploadRefused.
    """
    check_upload(upload)
    content_hash = file_hash(upload)
    with file_transaction() as paths:
        _lock_duplicates(document, content_hash)
        documents: Any = type(document)._default_manager
        twin: D | None = documents.at(document.location).with_content(content_hash).first()
        if twin:
            return twin, False
        document.title = document.title.strip() or title_from(upload.name)
        document.save(force_insert=True)
        _add_version(document, upload, content_hash, paths, by=by)
    return document, True


def copy(document: D, new: D, *, filename: str, by: User, key: UUID | None = None) -> D:
    """Save `new` with the newest file of a document, under another name. Raises UploadRefused.

    `key` is the id that the form chose for it: of two sendings the second waits for the first, and gets its document.
    """
    with file_transaction() as paths:
        version = _locked_or_refused(document).newest
        known: D | None = type(document)._default_manager.filter(pk=key).first() if key else None
        if known and known.location == new.location:
            return known
        if key and not known:
            new.pk = key
        with version.file.open("rb") as stored:
            upload = File(stored, name=filename)
            check_upload(upload)
            new.title = title_from(filename)
            new.save(force_insert=True)
            _add_version(new, upload, version.content_hash, paths, by=by)
    return new


def replace(document: D, upload: File[bytes], *, by: User, seen: int | None = None) -> D:
    """Take in a new version; the old one answers until the new one is indexed.

    `seen` is the last version that its sender knew of: a later one is not put aside unseen. The very file that could
    not be read, or has pages without text, is read again: what reads scans may have been installed since. Raises
    UploadRefused, also for any other that is in place.
    """
    check_upload(upload)
    content_hash = file_hash(upload)
    with file_transaction() as paths:
        current = _locked_or_refused(document)
        _check_seen(current, seen, by)
        if _is_file_of(current.newest, content_hash):
            if not _may_index_better(current):
                raise UnchangedFile("This is the same file as the one in place; nothing was changed.")
            _queue(current)
            return current
        current.version = current.last_number + 1
        _add_version(current, upload, content_hash, paths, by=by)
        _queue(current)
    return current


@transaction.atomic
def merge(document: D, into: D) -> D:
    """Put the versions of one document after those of another, the newest to be read next, and delete the first.

    Both rows are locked in the order of their keys, so that two opposite merges do not wait for each other.
    Raises UploadRefused.
    """
    if document.pk == into.pk:
        raise UploadRefused("A document cannot become a version of itself.")
    rows: Any = type(document)._default_manager.select_for_update().filter(pk__in=[document.pk, into.pk])
    locked: dict[UUID, D] = {row.pk: row for row in rows.order_by("pk")}
    if len(locked) < 2:
        raise UploadRefused("One of the two documents has been deleted meanwhile. Nothing was changed.")
    document, into = locked[document.pk], locked[into.pk]
    after = into.last_number
    document.versions.filter(number=document.version).update(
        indexed_at=None, chunks_kept=None, chunks_added=None, chunks_removed=None
    )
    # Versions of it that never answered are over: nobody waits for them, so nothing may fall back on them either.
    over = document.versions.filter(indexed_at__isnull=True, number__lt=document.version)
    over.filter(cancelled_at__isnull=True).update(cancelled_at=timezone.now())
    document.versions.update(document=into, number=F("number") + after)
    into.version = after + document.version
    _queue(into)
    document_merged.send(type(document), document=document, into=into, after=after)
    document.delete()
    return into


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
def cancel(document: Document) -> bool:
    """Take back a new version that does not answer yet; the one before it goes on as if nothing had been sent.

    Its file is deleted; its row stays in the history. A worker that is busy with it stops at its next batch. False,
    and nothing is done, when there is no older version that answers, or the new one answers by now.
    """
    current = _locked(document)
    if current is None or not current.is_updating:
        return False
    version = current.newest
    path, version.file.name, version.cancelled_at = str(version.file.name), "", timezone.now()
    version.save(update_fields=["file", "cancelled_at"])
    older = current.versions.filter(cancelled_at__isnull=True, number__lt=version.number)
    before = older.filter(Q(number=current.answering_version) | Q(indexed_at__isnull=True)).latest("number")
    current.version = before.number
    foreign = current.chunks.exclude(embedding_model=installation().name)
    if before.number == current.answering_version and not foreign.exists():
        _restart(current, Status.READY)
    else:  # one that waited, or could not be read, or that the answering embedding model cannot search
        _queue(current)
    transaction.on_commit(lambda: delete_files([path]))
    return True


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
    transaction.on_commit(lambda: delete_files(paths))


@transaction.atomic
def rename(document: Document, title: str) -> None:
    """Give a document another title, by which its passages are found from the next question on."""
    current = type(document)._default_manager.select_for_update().filter(pk=document.pk)
    current.update(title=title)
    chunks = list(document.chunks.only("heading_path", "text", "language"))
    for chunk in chunks:
        chunk.search = search_vector(chunk.language, (title, *chunk.heading_path, chunk.text))
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


def _check_seen(document: Document, seen: int | None, by: User) -> None:
    last = document.versions.annotate(uploader=name_in_school("uploaded_by")).latest("number")
    if seen is None or last.number <= seen:
        return
    who = "You have" if last.uploaded_by_id == by.pk else f"{last.uploader or 'A former member'} has"
    raise UploadRefused(
        f"{who} replaced this file with “{last.filename}” at {timezone.localtime(last.created_at):%H:%M}, after you "
        f"opened this page: that is version {last.number}. Your file was not taken. To put it in the place of that "
        "one, choose it again."
    )


def _locked(document: D) -> D | None:
    """The document as it is now, its row locked until the transaction ends; None when it is deleted."""
    found: D | None = type(document)._default_manager.select_for_update().filter(pk=document.pk).first()
    return found


def _locked_or_refused(document: D) -> D:
    """As `_locked`. Raises UploadRefused when the document is deleted."""
    current = _locked(document)
    if current is None:
        raise UploadRefused("This document has been deleted meanwhile.")
    return current


def _is_file_of(version: Version, content_hash: str) -> bool:
    """Whether a file is the very one of this version. One that got lost on the disk is to be had again."""
    name = str(version.file.name)
    return version.content_hash == content_hash and default_storage.exists(name)


def _may_index_better(document: Document) -> bool:
    """Whether the same file is worth reading again. What is odd about Markdown stays so."""
    newest = document.newest
    return document.status == Status.FAILED or (
        bool(newest.notes) and newest.media_type not in (MARKDOWN, BOOK)
    )


def _queue(document: Document) -> None:
    _restart(document, Status.QUEUED)
    transaction.on_commit(wake_worker)


def _restart(document: Document, status: Status) -> None:
    document.status, document.stage, document.failure_reason = status, "", ""
    document.attempts = document.progress_done = document.progress_total = 0
    document.updated_at = timezone.now()
    document.save()


def _lock_duplicates(document: Document, content_hash: str) -> None:
    """Hold an advisory lock on this file in this place until the transaction ends."""
    name = ":".join(str(part) for part in (document._meta.label, *document.location, content_hash))
    number = int.from_bytes(hashlib.sha256(name.encode()).digest()[:8], signed=True)
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_advisory_xact_lock(%s)", [number])


def _add_version(
    document: Document, upload: File[bytes], content_hash: str, paths: list[str], *, by: User
) -> None:
    version: Version = document.versions.model(
        school_id=document.school_id,
        document=document,
        number=document.version,
        filename=clean_filename(upload.name),
        size=upload.size,
        content_hash=content_hash,
        uploaded_by=by,
    )
    paths.append(stored_name(version, version.filename))
    version.file.name = default_storage.save(paths[-1], upload)
    version.save(force_insert=True)
    transaction.on_commit(wake_worker)
