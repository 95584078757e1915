"""Queries on the vectors of a target model (`NextVector`) and on the chunks that they belong to."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from django.db import connection, models
from numpy.typing import NDArray
from pgvector import HalfVector

from corpus.models import Chunk, NextVector, concrete_models

CHUNKS_PER_BATCH = 32
_TABLE = NextVector._meta.db_table


def select_next_batch(name: str) -> tuple[Any, Sequence[dict[str, Any]]]:
    """The next chunks without a vector of the target, as (model, rows). Chunks after the last vector come first."""
    foreign = list_other_chunks(name)
    for chunks in (*map(filter_after_last_vector, foreign), *map(_without_vector, foreign)):
        batch = chunks.order_by("pk").values("pk", "school_id", "heading_path", "text")[:CHUNKS_PER_BATCH]
        if batch:
            return chunks.model, batch
    return None, []


def save_vectors(chunks: Any, batch: Sequence[dict[str, Any]], vectors: NDArray[np.float32]) -> None:
    """Save the vectors of a batch, shape (len(batch), dimensions). Chunks deleted meanwhile are left out."""
    existing = set(chunks.objects.filter(pk__in=[part["pk"] for part in batch]).values_list("pk", flat=True))
    made = [
        NextVector(
            school_id=part["school_id"],
            chunks=chunks._meta.label,
            chunk_id=part["pk"],
            embedding=HalfVector(vector.tolist()),
        )
        for part, vector in zip(batch, vectors, strict=True)
        if part["pk"] in existing
    ]
    NextVector.objects.bulk_create(made, ignore_conflicts=True)


def has_missing(name: str) -> bool:
    """Whether any chunk lacks a vector of the model with this name."""
    return any(_without_vector(chunks).exists() for chunks in list_other_chunks(name))


def lock_for_switch(milliseconds: int) -> None:
    """Lock chunks against writing, and vectors against all access, until the transaction ends.

    Raises OperationalError if a lock is not granted within this time.
    """
    with connection.cursor() as cursor:
        cursor.execute(f"SET LOCAL lock_timeout = {milliseconds}")
        cursor.execute(f'LOCK TABLE "{_TABLE}" IN ACCESS EXCLUSIVE MODE')
        for chunks in concrete_models(Chunk):
            cursor.execute(f'LOCK TABLE "{chunks._meta.db_table}" IN SHARE ROW EXCLUSIVE MODE')


def block_switch(chunks: Any) -> None:
    """Prevent a switch until the transaction ends, and wait for one in progress. Conflicts with `lock_for_switch`."""
    with connection.cursor() as cursor:
        cursor.execute(f'LOCK TABLE "{chunks._meta.db_table}" IN ROW EXCLUSIVE MODE')


def switch_vectors(name: str) -> None:
    """Replace the vectors of all chunks by those of the target, and delete the latter."""
    with connection.cursor() as cursor:
        for chunks in concrete_models(Chunk):
            cursor.execute(
                f'UPDATE "{chunks._meta.db_table}" AS chunk SET embedding = vector.embedding, embedding_model = %s'  # noqa: S608
                f' FROM "{_TABLE}" AS vector WHERE vector.chunks = %s AND vector.chunk_id = chunk.id',
                [name, chunks._meta.label],
            )
    clear_vectors()


def clear_vectors() -> None:
    """Delete all vectors of the target."""
    with connection.cursor() as cursor:
        cursor.execute(f'TRUNCATE "{_TABLE}"')


def list_other_chunks(name: str) -> list[Any]:
    """For each kind of chunks, those of other models than this one."""
    return [chunks.objects.exclude(embedding_model=name) for chunks in concrete_models(Chunk)]


def filter_after_last_vector(chunks: Any) -> Any:
    """The chunks after the last one that has a vector of the target."""
    made = NextVector.objects.filter(chunks=chunks.model._meta.label)
    return chunks.filter(pk__gt=made.aggregate(last=models.Max("chunk_id"))["last"] or 0)


def _without_vector(chunks: Any) -> Any:
    made = NextVector.objects.filter(chunks=chunks.model._meta.label, chunk_id=models.OuterRef("pk"))
    return chunks.filter(~models.Exists(made))
