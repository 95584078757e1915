"""Indexing a document: parse, recognise scans, chunk, embed what is new, replace the chunks in one transaction.

The rows say what to do: documents that are queued or indexing (ADR 7). A worker holds an advisory lock on the document
that it indexes. PostgreSQL releases it when the worker dies, so a document that is "indexing" but not locked is indexed
again.
"""

from __future__ import annotations

import logging
from collections.abc import Sequence, Set
from datetime import datetime
from textwrap import shorten
from typing import Any

import numpy as np
from django.conf import settings
from django.db import transaction
from django.utils import timezone
from numpy.typing import NDArray

from corpus.advisory_lock import advisory_lock
from corpus.embedding.active_model import installation, refresh_active_model
from corpus.embedding.chunk_text import embedding_text
from corpus.embedding.next_vectors import block_switch
from corpus.embedding.parallel import embed_in_parallel
from corpus.ingestion.chunking import Piece, chunk
from corpus.ingestion.ocr import tesseract
from corpus.ingestion.ocr.pipeline import recognise_pages
from corpus.ingestion.parsing import Parsed, UnreadableDocument
from corpus.ingestion.replace_chunks import hash_piece, replace_chunks
from corpus.ingestion.sandbox import runner
from corpus.ingestion.text_quality import find_broken_text
from corpus.models import INTERNAL_ERROR, Document, Stage, Status, Version
from corpus.querysets import DocumentQuerySet
from corpus.retry_backoff import MAX_ATTEMPTS
from engines.embedding import Embedder
from text.languages import detect_configuration

logger = logging.getLogger(__name__)

EMBED_BATCH = 32
_FAULT = f"{INTERNAL_ERROR} while indexing this file. Please try again, or tell your operator."
_UNREACHABLE = "The server that reads documents cannot reach this file"
_TOO_MANY_CHUNKS = "This file has too much text: at most {most:,} passages can be indexed. Split it into parts."


class _Superseded(Exception):
    """A newer version was uploaded, or the document was deleted."""


class _ModelSwitched(Exception):
    """The new vectors belong to a model that is not active any more."""


def index_next_document(*kinds: DocumentQuerySet[Any]) -> bool:
    """Index one document that is due and not locked by another worker. False if there is none.

    Schools take turns, then kinds of documents, then the people of a school; who was served longest ago comes first.
    So after two hundred uploads of one teacher everybody else waits for one document at most.
    """
    turns = [(turn, number) for number, documents in enumerate(kinds) for turn in documents.indexing_turns()]
    served: dict[object, datetime] = {}  # by school, over all kinds
    for turn, _ in turns:
        served[turn.owner[0]] = max(served.get(turn.owner[0], turn.school_served), turn.school_served)
    for turn, number in sorted(turns, key=lambda waiting: (served[waiting[0].owner[0]], *waiting)):
        documents = kinds[number]
        for key in documents.of_owner(turn.owner).due().values_list("pk", flat=True):
            with advisory_lock(int.from_bytes(key.bytes[-8:], signed=True)) as acquired:
                if acquired and (document := documents.due().filter(pk=key).first()):
                    _index(document)
                    return True
    return False


def _index(document: Document) -> None:
    """One attempt, counted before it begins. A file that cannot be reached is tried without end: it may come back."""
    version = document.newest
    document.attempts += 1
    attempt = {"attempts": document.attempts, "attempted_at": timezone.now()}
    _update(document, version, status=Status.INDEXING, stage=Stage.READING, **attempt)
    if document.attempts > MAX_ATTEMPTS:
        _update(document, version, status=Status.FAILED, stage="", failure_reason=_FAULT)
        return
    try:
        parsed, recognised = _read(document, version)
        embedder = refresh_active_model()
        usable = document.chunks.filter(embedding_model=embedder.name)
        old = {embedding_text(path, text) for path, text in usable.values_list("heading_path", "text")}
        pieces = _cut(parsed, embedder)
        vectors, kept = _embed(document, version, pieces, old, embedder)
        _replace(document, version, parsed, recognised, pieces, vectors, kept, embedder)
    except _Superseded:
        return  # if the newer version was cancelled meanwhile, this one has been queued again
    except _ModelSwitched:
        _update(document, version, status=Status.QUEUED, stage="", attempts=document.attempts - 1)
    except UnreadableDocument as reason:
        _update(document, version, status=Status.FAILED, stage="", failure_reason=str(reason))
    except FileNotFoundError:
        logger.error("The file of %s version %s cannot be reached from here", document.pk, version.number)
        attempts = min(document.attempts, MAX_ATTEMPTS - 1)
        _update(document, version, status=Status.QUEUED, stage="", attempts=attempts, failure_reason=_UNREACHABLE)
    except Exception:
        logger.exception("Indexing %s version %s failed", document.pk, version.number)
        last = document.attempts >= MAX_ATTEMPTS
        outcome = {"status": Status.FAILED, "failure_reason": _FAULT} if last else {"status": Status.QUEUED}
        _update(document, version, stage="", **{"failure_reason": "", **outcome})


def _read(document: Document, version: Version) -> tuple[Parsed, Sequence[int]]:
    """The document with the text of its scanned pages, and the numbers of those pages."""

    def note(done: int, pages: int) -> None:
        _report_progress(document, version, Stage.RECOGNISING, done, pages, begins=not done)

    with version.file.open("rb") as file:
        parsed = runner.parse_in_sandbox(file, filename=version.filename)
        if not (parsed.blank_pages or parsed.picture_pages):
            return parsed, ()
        return recognise_pages(parsed, file, tesseract.find_tesseract(), note)


def _cut(parsed: Parsed, embedder: Embedder) -> list[Piece]:
    most = settings.LECTERN_MAX_CHUNKS
    if len(parsed.sections) > most:  # each has at least one piece, so chunking is not needed to know
        raise UnreadableDocument(_TOO_MANY_CHUNKS.format(most=most))
    pieces = chunk(parsed.sections, count_tokens=embedder.count_tokens, max_tokens=embedder.max_tokens)
    if len(pieces) > most:
        raise UnreadableDocument(_TOO_MANY_CHUNKS.format(most=most))
    if not pieces:
        raise UnreadableDocument("There is no text in this file.")
    return pieces


def _embed(
    document: Document, version: Version, pieces: Sequence[Piece], old: Set[str], embedder: Embedder
) -> tuple[dict[str, NDArray[np.float32]], int]:
    """Vectors of new pieces by content hash, shape (dimensions,), and how many pieces have a vector already."""
    texts = {hash_piece(piece): embedding_text(piece.heading_path, piece.text) for piece in pieces}
    vectors: dict[str, NDArray[np.float32]] = {}
    kept = sum(embedding_text(piece.heading_path, piece.text) in old for piece in pieces)
    new = [key for key, text in texts.items() if text not in old]
    for start in range(0, len(new), EMBED_BATCH):
        done = len(texts) - len(new) + start
        _report_progress(document, version, Stage.EMBEDDING, done, len(texts), begins=not start)
        batch = new[start : start + EMBED_BATCH]
        found = embed_in_parallel(embedder, [texts[key] for key in batch], settings.LECTERN_INDEXING_THREADS)
        vectors.update(zip(batch, found, strict=True))
    return vectors, kept


@transaction.atomic
def _replace(
    document: Document,
    version: Version,
    parsed: Parsed,
    recognised: Sequence[int],
    pieces: Sequence[Piece],
    vectors: dict[str, NDArray[np.float32]],
    kept: int,
    embedder: Embedder,
) -> None:
    """Replace the chunks in one transaction, unless the document was deleted or replaced. Raises _ModelSwitched."""
    documents = document.rows().select_for_update()
    current = documents.filter(pk=document.pk, version=version.number).first()
    if current is None:
        return
    block_switch(current.chunks.model)
    if installation().name != embedder.name:
        raise _ModelSwitched
    current.language = detect_configuration(" ".join(piece.text for piece in pieces[:40]))
    if parsed.title and not current.is_title_given and current.answering_version is None:
        current.title = shorten(parsed.title, 200, placeholder="…")
    before, now = replace_chunks(current, pieces, vectors, model=embedder.name), timezone.now()
    current.versions.filter(number=version.number).update(
        media_type=parsed.media_type,
        pages=parsed.pages,
        notes=[*parsed.notes, *filter(None, [find_broken_text([piece.text for piece in pieces])])],
        recognised_pages=list(recognised),
        page_labels=list(parsed.page_labels),
        marks=list(dict.fromkeys(mark for section in parsed.sections for mark in section.marks))[:5_000],
        indexed_at=now,
        chunks_kept=kept,
        chunks_added=len(pieces) - kept,
        chunks_removed=max(before - kept, 0),
    )
    documents.filter(pk=document.pk).update(
        answering_version=version.number,
        title=current.title,
        chunk_count=len(pieces),
        language=current.language,
        status=Status.READY,
        stage="",
        failure_reason="",
        attempts=0,
        updated_at=now,
    )


def _report_progress(
    document: Document, version: Version, stage: Stage, done: int, total: int, *, begins: bool
) -> None:
    progress = document.starting(done, total) if begins else {"progress_done": done, "progress_total": total}
    if not _update(document, version, stage=stage, **progress):
        raise _Superseded


def _update(document: Document, version: Version, **changes: object) -> bool:
    """Update the row. False if there is a newer version or the document was deleted."""
    rows = document.rows().filter(pk=document.pk, version=version.number)
    return bool(rows.update(updated_at=timezone.now(), **changes))
