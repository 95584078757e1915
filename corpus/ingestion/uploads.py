"""Services for document files: upload, copy, replace, merge, retry, cancel, delete. For documents of both kinds."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from datetime import datetime
from pathlib import PurePath
from typing import TypeVar
from unicodedata import normalize
from uuid import UUID

from django.conf import settings
from django.core.files.base import File
from django.core.files.storage import default_storage
from django.db import connection, transaction
from django.db.models import F, Q
from django.utils import timezone

from corpus.embedding.active_model import installation
from corpus.ingestion.parsing import HEAD, find_early_refusal
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
from corpus.models import Document, Status, Version, stored_name
from corpus.signals import document_merged
from corpus.wake_worker import wake_worker
from schools import rate_limits
from schools.audit.actions import Action
from schools.audit.recording import record
from schools.models import Membership, User, name_in_school

D = TypeVar("D", bound=Document)


@dataclass(frozen=True)
class WebOrigin:
    address: str
    fetched_at: datetime


def check_upload(upload: File[bytes]) -> None:
    """Raise UploadRefused if the file is empty, too large or of a format that cannot be read, or the disk is full."""
    name, limit = clean_filename(upload.name), settings.LECTERN_MAX_UPLOAD_MB
    if not upload.size:
        raise UploadRefused(f"“{name}” is empty.")
    if upload.size > limit * 1024 * 1024:
        raise UploadRefused(
            f"“{name}” has {upload.size / 1024 / 1024:.0f} MB; at most {limit} MB are allowed. Split it into parts."
        )
    upload.seek(0)
    if reason := find_early_refusal(upload.read(HEAD), name):
        raise UploadRefused(f"“{name}” cannot be read. {reason}")
    if not has_disk_space(upload.size):
        raise StorageFailed(
            f"There is not enough room left on the server for “{name}”. Nothing was stored; "
            "please tell your operator that the disk is full."
        )


def upload(
    model: type[D],
    *,
    member: Membership,
    file: File[bytes],
    title: str = "",
    subject: str = "",
    origin: WebOrigin | None = None,
    **tags: str,
) -> tuple[D, bool]:
    """Save a file, which may be from the web, as a document of the member or of their school, and queue it.

    Returns the document and True, or that of the same owner which has this very file already (D7) and False. If two
    requests upload the same file at the same time, the second waits for the first. Raises UploadRefused.
    """
    check_upload(file)
    content_hash = _file_hash(file)
    owner = {"school_id": member.school_id, "owner_id": member.user_id}
    document = model(**{name: owner[name] for name in model.OWNER_FIELDS}, **tags)
    document.is_title_given = bool(title.strip())
    document.title = normalize("NFC", title.strip()) or derive_title(file.name)
    with file_transaction() as paths:
        _lock_duplicates(document, content_hash)
        documents = model.rows().of_owner(document.owner_key)
        if duplicate := documents.with_content(content_hash).first():
            return duplicate, False
        document.subject = documents.get_spelling(subject)
        document.save(force_insert=True)
        _add_version(document, file, content_hash, paths, by=member.user, origin=origin)
        _record(Action.LIBRARY_UPLOADED, document, member.user)
    return document, True


@transaction.atomic
def describe(document: Document, *, title: str | None, subject: str, **tags: str) -> None:
    """Change title (None: it stays) and tags. Another spelling of its subject holds for all documents of its owner."""
    documents = document.rows()
    documents.of_owner(document.owner_key).file_under(subject, [document.pk])
    documents.filter(pk=document.pk).update(**{name: text.strip() for name, text in tags.items()})
    if title is not None:
        rename(document, title)
        document.title = title
    _record(Action.LIBRARY_DESCRIBED, document)


def copy(document: D, *, filename: str, by: User, key: UUID | None = None) -> D:
    """A second document with the newest file and tags of this one; the same one for a `key` that was sent before."""
    with file_transaction() as paths:
        document = _locked_or_refused(document)
        version = document.newest
        known = document.rows().filter(pk=key).first() if key else None
        if known and known.owner_key == document.owner_key:
            return known
        kept = {name: getattr(document, name) for name in (*document.OWNER_FIELDS, *document.TAGS, *document.FLAGS)}
        new = type(document)(**kept)
        if key and not known:
            new.pk = key
        with version.file.open("rb") as stored:
            upload = File(stored, name=filename)
            check_upload(upload)
            new.title, new.is_title_given = derive_title(filename), True  # the name tells it from the first one
            new.save(force_insert=True)
            origin = WebOrigin(version.web_address, version.fetched_at) if version.fetched_at else None
            _add_version(new, upload, version.content_hash, paths, by=by, origin=origin)
        _record(Action.LIBRARY_UPLOADED, new, by)
    return new


def replace(
    document: D, upload: File[bytes], *, by: User, seen: int | None = None, origin: WebOrigin | None = None
) -> D:
    """Add a new version. The old one answers until the new one is indexed.

    `seen` is the last version that the sender knows; a later one is not replaced. An identical file is indexed again
    if it could not be read or has pages without text, since OCR may have been installed meanwhile. Raises
    UploadRefused, and UnchangedFile for any other identical file.
    """
    check_upload(upload)
    content_hash = _file_hash(upload)
    with file_transaction() as paths:
        current = _locked_or_refused(document)
        _check_seen(current, seen, by)
        newest = current.newest
        if newest.content_hash == content_hash and default_storage.exists(str(newest.file.name)):
            # Warnings about Markdown stay the same, whoever reads it.
            can_improve = newest.notes and newest.media_type not in (MARKDOWN, BOOK)
            if current.status != Status.FAILED and not can_improve:
                raise UnchangedFile("This is the same file as the one in place; nothing was changed.")
            _queue(current)
            return current
        current.version = current.last_number + 1
        _add_version(current, upload, content_hash, paths, by=by, origin=origin)
        _queue(current)
        _record(Action.LIBRARY_REPLACED, current, by, version=current.version)
    return current


@transaction.atomic
def merge(document: D, into: D) -> D:
    """Append the versions of a document to `into`, queue the newest, delete the first. Locks in the order of keys."""
    if document.pk == into.pk:
        raise UploadRefused("A document cannot become a version of itself.")
    rows = document.rows().select_for_update().filter(pk__in=[document.pk, into.pk])
    locked = {row.pk: row for row in rows.order_by("pk")}
    if len(locked) < 2:
        raise UploadRefused("One of the two documents has been deleted meanwhile. Nothing was changed.")
    document, into = locked[document.pk], locked[into.pk]
    after = into.last_number
    document.versions.filter(number=document.version).update(
        indexed_at=None, chunks_kept=None, chunks_added=None, chunks_removed=None
    )
    # Older versions that never answered count as cancelled, so that `cancel` never falls back on them.
    unused = document.versions.filter(indexed_at__isnull=True, number__lt=document.version)
    unused.filter(cancelled_at__isnull=True).update(cancelled_at=timezone.now())
    document.versions.update(document=into, number=F("number") + after)
    into.version = after + document.version
    _queue(into)
    document_merged.send(type(document), document=document, into=into, after=after)
    _record(Action.LIBRARY_MERGED, into, merged=document.title)
    document.delete()
    return into


@transaction.atomic
def retry(document: D) -> D:
    """Queue the newest version again after a failure. Does nothing if it is pending or deleted."""
    current = _locked(document)
    if current is None:
        return document
    if not current.is_pending:
        _queue(current)
    return current


@transaction.atomic
def cancel(document: Document) -> bool:
    """Cancel a new version that does not answer yet. The version before it becomes the newest again.

    The file is deleted; the row stays in the history. A worker that indexes it stops at the next batch. Returns False
    and does nothing if no older version answers, or the new one answers by now.
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
    else:  # it was queued or unreadable, or has chunks of another embedding model
        _queue(current)
    _record(Action.LIBRARY_CANCELLED, current, version=version.number)
    transaction.on_commit(lambda: delete_files([path]))
    return True


@transaction.atomic
def delete(document: Document) -> None:
    """Delete a document, locked before its versions are read, and its files after the commit."""
    current = _locked(document)
    if current is None:
        return
    paths = list(current.versions.values_list("file", flat=True))
    _record(Action.LIBRARY_DELETED, current)
    current.delete()
    transaction.on_commit(lambda: delete_files(paths))


@transaction.atomic
def rename(document: Document, title: str) -> None:
    """Change the title, and the search vectors of all chunks, which contain it. Indexing does not change it again."""
    title = normalize("NFC", title)
    document.rows().filter(pk=document.pk).update(title=title, is_title_given=True)
    chunks = list(document.chunks.only("heading_path", "text", "language"))
    for chunk in chunks:
        chunk.search = search_vector(chunk.language, (title, *chunk.heading_path, chunk.text))
    document.chunks.bulk_update(chunks, ["search"], batch_size=200)


def derive_title(filename: str | None) -> str:
    """The title of a file until it is read: its name without extension, with spaces instead of underscores."""
    return PurePath(clean_filename(filename)).stem.replace("_", " ").strip()[:200] or "Untitled"


def clean_filename(filename: str | None) -> str:
    """A file name that is safe to show: no folders, control or direction characters, at most 200 characters."""
    name = (filename or "").replace("\\", "/").rsplit("/", 1)[-1]
    name = "".join(c for c in normalize("NFC", name) if c.isprintable()).strip()
    return (name if len(name) <= 200 else f"{name[:159]}…{name[-40:]}") or "document"


def _file_hash(upload: File[bytes]) -> str:
    upload.seek(0)
    return hashlib.file_digest(upload, "sha256").hexdigest()


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
    """The current document with its row locked until the transaction ends. None if it is deleted."""
    return document.rows().select_for_update().filter(pk=document.pk).first()


def _locked_or_refused(document: D) -> D:
    """Like `_locked`. Raises UploadRefused if the document is deleted."""
    current = _locked(document)
    if current is None:
        raise UploadRefused("This document has been deleted meanwhile.")
    return current


def _record(action: Action, document: Document, by: User | None = None, **detail: str | int) -> None:
    """For documents that belong to the school itself. A person's own documents are nobody else's business."""
    if document.OWNER_FIELDS == ("school_id",):
        record(action, school=document.school_id, actor=by, subject=document, label=document.title, detail=detail)


def _queue(document: Document) -> None:
    _restart(document, Status.QUEUED)
    transaction.on_commit(wake_worker)


def _restart(document: Document, status: Status) -> None:
    document.status, document.stage, document.failure_reason = status, "", ""
    document.attempts = document.progress_done = document.progress_total = document.progress_first = 0
    document.progress_since = None
    document.updated_at = timezone.now()
    document.save()


def _lock_duplicates(document: Document, content_hash: str) -> None:
    """Hold an advisory lock on this content and owner until the transaction ends."""
    name = ":".join(str(part) for part in (document._meta.label, *document.owner_key, content_hash))
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_advisory_xact_lock(hashtextextended(%s, 0))", [name])


def _add_version(
    document: Document,
    upload: File[bytes],
    content_hash: str,
    paths: list[str],
    *,
    by: User,
    origin: WebOrigin | None = None,
) -> None:
    if not rate_limits.take(rate_limits.UPLOADS, document.school_id, by.pk).allowed:
        raise UploadRefused(f"{rate_limits.UPLOADS.number:,} files were uploaded within an hour. Go on in an hour.")
    version: Version = document.versions.model(
        school_id=document.school_id,
        document=document,
        number=document.version,
        filename=clean_filename(upload.name),
        size=upload.size,
        content_hash=content_hash,
        uploaded_by=by,
        web_address=origin.address if origin else "",
        fetched_at=origin.fetched_at if origin else None,
    )
    paths.append(stored_name(version, version.filename))
    version.file.name = default_storage.save(paths[-1], upload)
    version.save(force_insert=True)
    transaction.on_commit(wake_worker)
