"""The vectors of an embedding model that does not answer yet, and the chunks that they belong to."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from django.apps import apps
from django.db import connection, models
from numpy.typing import NDArray
from pgvector import HalfVector

from corpus.ingestion.chunking import chunk, embedding_text
from corpus.ingestion.parsing import Section
from corpus.models import Chunk, NextVector
from engines.embedding import Embedder

CHUNKS_PER_BATCH = 32
_TABLE = NextVector._meta.db_table


def next_batch(name: str) -> tuple[Any, Sequence[dict[str, Any]]]:
    """Some chunks without a vector of the target, those after the last one made first: they are found at once."""
    foreign = chunks_not_of(name)
    for chunks in (*map(after_last_vector, foreign), *map(_without_vector, foreign)):
        batch = chunks.order_by("pk").values("pk", "school_id", "heading_path", "text")[:CHUNKS_PER_BATCH]
        if batch:
            return chunks.model, batch
    return None, []


def chunk_vectors(texts: Sequence[tuple[Sequence[str], str]], embedder: Embedder) -> NDArray[np.float32]:
    """Unit vectors, (len(texts), dimensions), of chunks that were cut for another embedder: heading path and text each.

    One that is too long for this embedder is cut, and has the direction of the mean of its parts' vectors, so that
    nothing of it is left out.
    """
    parts = [_parts(heading_path, text, embedder) for heading_path, text in texts]
    made = embedder.embed_passages([text for own in parts for text in own])
    ends = np.cumsum([len(own) for own in parts])[:-1]
    means = np.array([own.mean(axis=0) for own in np.split(made, ends)], dtype=np.float32)
    means /= np.maximum(np.linalg.norm(means, axis=1, keepdims=True), 1e-12)
    return means


def _parts(heading_path: Sequence[str], text: str, embedder: Embedder) -> list[str]:
    whole = embedding_text(heading_path, text)
    if embedder.count_tokens(whole) <= embedder.max_tokens:
        return [whole]
    section = Section(heading_path=tuple(heading_path), page=None, text=text, lines=None)
    pieces = chunk([section], count_tokens=embedder.count_tokens, max_tokens=embedder.max_tokens)
    return [embedding_text(piece.heading_path, piece.text) for piece in pieces] or [whole]


def save_vectors(chunks: Any, batch: Sequence[dict[str, Any]], vectors: NDArray[np.float32]) -> None:
    """Store the vectors of this batch, but for chunks that are gone."""
    there = set(chunks.objects.filter(pk__in=[part["pk"] for part in batch]).values_list("pk", flat=True))
    made = [
        NextVector(
            school_id=part["school_id"],
            chunks=chunks._meta.label,
            chunk_id=part["pk"],
            embedding=HalfVector(vector.tolist()),
        )
        for part, vector in zip(batch, vectors, strict=True)
        if part["pk"] in there
    ]
    NextVector.objects.bulk_create(made, ignore_conflicts=True)


def any_missing(name: str) -> bool:
    """Whether a chunk has no vector of the model of this name yet."""
    return any(_without_vector(chunks).exists() for chunks in chunks_not_of(name))


def lock_for_switch(milliseconds: int) -> None:
    """Keep everybody from writing chunks, and from reading and writing the vectors, until the transaction ends.

    Raises OperationalError when somebody is at it for longer than this.
    """
    with connection.cursor() as cursor:
        cursor.execute(f"SET LOCAL lock_timeout = {milliseconds}")
        cursor.execute(f'LOCK TABLE "{_TABLE}" IN ACCESS EXCLUSIVE MODE')
        for chunks in chunk_models():
            cursor.execute(f'LOCK TABLE "{chunks._meta.db_table}" IN SHARE ROW EXCLUSIVE MODE')


def block_switch(chunks: Any) -> None:
    """Let no switch begin before the transaction ends, and wait for one that has: `lock` excludes this."""
    with connection.cursor() as cursor:
        cursor.execute(f'LOCK TABLE "{chunks._meta.db_table}" IN ROW EXCLUSIVE MODE')


def switch_vectors(name: str) -> None:
    """Put the vectors in the place of those that the chunks have."""
    with connection.cursor() as cursor:
        for chunks in chunk_models():
            cursor.execute(
                f'UPDATE "{chunks._meta.db_table}" AS chunk SET embedding = vector.embedding, embedding_model = %s'  # noqa: S608
                f' FROM "{_TABLE}" AS vector WHERE vector.chunks = %s AND vector.chunk_id = chunk.id',
                [name, chunks._meta.label],
            )
    clear()


def clear() -> None:
    """Forget them all."""
    with connection.cursor() as cursor:
        cursor.execute(f'TRUNCATE "{_TABLE}"')


def chunks_not_of(name: str) -> list[Any]:
    """The chunks of each kind that are not of the model of this name."""
    return [chunks.objects.exclude(embedding_model=name) for chunks in chunk_models()]


def after_last_vector(chunks: Any) -> Any:
    """Those after the last one that has a vector beside it."""
    made = NextVector.objects.filter(chunks=chunks.model._meta.label)
    return chunks.filter(pk__gt=made.aggregate(last=models.Max("chunk_id"))["last"] or 0)


def _without_vector(chunks: Any) -> Any:
    made = NextVector.objects.filter(chunks=chunks.model._meta.label, chunk_id=models.OuterRef("pk"))
    return chunks.filter(~models.Exists(made))


def chunk_models() -> list[Any]:
    return [model for model in apps.get_models() if issubclass(model, Chunk)]
