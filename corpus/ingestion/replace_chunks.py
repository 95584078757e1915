"""Replace the chunks of a document by those of a new version. Unchanged chunks keep their rows."""

from __future__ import annotations

import hashlib
from collections import defaultdict, deque
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from django.contrib.postgres.search import SearchVector, SearchVectorField
from django.db import connection
from django.db.models import Func, Value
from numpy.typing import NDArray
from pgvector import HalfVector

from corpus.embedding.chunk_text import embedding_text
from corpus.ingestion.chunking import Piece
from corpus.models import Document
from text.lexemes import full_text_input

_PLACE = ("position", "block", "page", "line_start", "line_end", "file_path", "purpose", "numbers")
_TEMPORARY = 1 << 30  # added to a position; larger than any

ChunkPlace = tuple[object, ...]
Vector = NDArray[np.float32] | list[float]


def replace_chunks(document: Document, pieces: Sequence[Piece], vectors: Mapping[str, Vector], *, model: str) -> int:
    """Make these pieces the chunks of the document. Returns how many chunks it had before.

    A chunk with the same headings, text and language keeps its row; only its position is updated. `vectors` holds the
    vectors of `model` by content hash, shape (dimensions,), for pieces that no stored chunk has a vector for. The
    caller opens the transaction and locks the document, because its title is part of the search vector.
    """
    kept, moved, new = _matched(document, pieces, model)
    missing = [key for key in map(hash_piece, new) if key not in vectors]
    same = document.chunks.filter(embedding_model=model, content_hash__in=missing)
    found = {**vectors, **{chunk.content_hash: chunk.embedding for chunk in same}}
    rows = [chunk_row(document, piece, found[hash_piece(piece)], model) for piece in new]
    removed, _ = document.chunks.exclude(pk__in=kept).delete()
    _move(document, moved)
    document.chunks.bulk_create(rows, batch_size=200)
    return removed + len(kept)


def hash_piece(piece: Piece) -> str:
    """SHA-256 of the embedded text. Pieces with the same hash have the same vector."""
    return hashlib.sha256(embedding_text(piece.heading_path, piece.text).encode()).hexdigest()


def search_vector(language: str, texts: Sequence[str]) -> Func:
    """The full text search vector of title, headings and text, without positions to save space."""
    words = Value(full_text_input("\n".join(texts)))
    return Func(SearchVector(words, config=language), function="strip", output_field=SearchVectorField())


def chunk_row(document: Document, piece: Piece, vector: Vector, model: str) -> Any:
    return document.chunks.model(
        school_id=document.school_id,
        document=document,
        **dict(zip(_PLACE, _place(piece), strict=True)),
        heading_path=list(piece.heading_path),
        text=piece.text,
        tokens=piece.tokens,
        content_hash=hash_piece(piece),
        embedding=HalfVector(vector),
        embedding_model=model,
        language=document.language,
        search=search_vector(document.language, (document.title, *piece.heading_path, piece.text)),
    )


def _matched(
    document: Document, pieces: Sequence[Piece], model: str
) -> tuple[list[int], dict[int, ChunkPlace], list[Piece]]:
    """The keys of chunks to keep, places of those that move, pieces without a chunk. Equal ones keep their order."""
    same = document.chunks.filter(embedding_model=model, language=document.language).order_by("position")
    stock: dict[tuple[tuple[str, ...], str], deque[tuple[int, ChunkPlace]]] = defaultdict(deque)
    for key, path, text, *place in same.values_list("pk", "heading_path", "text", *_PLACE):
        stock[tuple(path), text].append((key, tuple(place)))  # numbers is a list: not hashable
    kept: list[int] = []
    moved: dict[int, ChunkPlace] = {}
    new: list[Piece] = []
    for piece in pieces:
        if equals := stock[piece.heading_path, piece.text]:
            key, before = equals.popleft()
            kept.append(key)
            if before != _place(piece):
                moved[key] = _place(piece)
        else:
            new.append(piece)
    return kept, moved, new


def _place(piece: Piece) -> ChunkPlace:
    first, last = piece.lines or (None, None)
    place = (piece.position, piece.block, piece.page, first, last, piece.file_path, piece.purpose.value)
    return (*place, list(piece.numbers))


def _move(document: Document, places: Mapping[int, ChunkPlace]) -> None:
    if not places:
        return
    table = connection.ops.quote_name(document.chunks.model._meta.db_table)
    *columns, numbers = (list(column) for column in zip(*places.values(), strict=True))
    columns.append(["\n".join(parts) for parts in numbers])  # arrays in an array would need equal lengths
    with connection.cursor() as cursor:
        cursor.execute(
            f"UPDATE {table} AS chunk SET position = chunk.position + {_TEMPORARY}"  # noqa: S608
            " FROM unnest(%s::bigint[], %s::int[]) AS moved (id, position)"
            " WHERE chunk.id = moved.id AND chunk.position <> moved.position",
            [list(places), columns[0]],
        )
        cursor.execute(
            f"UPDATE {table} AS chunk SET position = moved.position, block = moved.block, page = moved.page,"  # noqa: S608
            " line_start = moved.line_start, line_end = moved.line_end, file_path = moved.file_path,"
            " purpose = moved.purpose,"
            r" numbers = string_to_array(moved.numbers, E'\n')"
            " FROM unnest(%s::bigint[], %s::int[], %s::int[], %s::int[], %s::int[], %s::int[], %s::text[], %s::text[],"
            " %s::text[])"
            f" AS moved (id, {', '.join(_PLACE)}) WHERE chunk.id = moved.id",
            [list(places), *columns],
        )
