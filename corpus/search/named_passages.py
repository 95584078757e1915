"""The passages of a document or section that is named by its title or heading, as few as stand for the rest.

A summary needs them: a search would find the passages most like the request instead. Titles and headings are compared
by stems. Of the blocks of what is named those are chosen whose vectors cover the vectors of all chunks best (facility
location: Lin and Bilmes, A Class of Submodular Functions for Document Summarization, 2011).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import groupby
from typing import TYPE_CHECKING, Any, NamedTuple
from uuid import UUID

import numpy as np
import psycopg
from django.db import models
from numpy.typing import NDArray
from psycopg.rows import namedtuple_row

from corpus.block_size import CHUNKS_PER_BLOCK
from corpus.search.pool import run_with_search_connection
from corpus.search.search import build_passage
from corpus.source_kinds import SourceKind
from corpus.sources import NamedPassages
from text.function_words import content_stems
from text.languages import get_language_code

if TYPE_CHECKING:
    from psycopg.rows import TupleRow

MAX_CHUNKS = 20_000
"""So many chunks of a scope are looked at for their headings; of a larger scope the first ones."""

MAX_VECTORS = 600
"""Chunks whose vectors are compared; of more, every second, third and so on. A chapter of 90,000 words has 600."""

EXACT = 1.0
"""How well words fit a title or heading that has no other words."""

MIN_FIT = 0.3
"""How well words must fit a title or heading to name it."""

MENTIONED = 0.6
"""The least share of the words that a title or heading, with what stands over it, must have. Where it has not all of
them, they must be as much of the title."""

_SCOPE = """FROM "{documents}" AS document JOIN "{chunks}" AS chunk ON chunk.document_id = document.id
WHERE document.id = ANY($1::uuid[]) AND {still} AND chunk.school_id IS NOT DISTINCT FROM $2::uuid
    AND chunk.embedding_model = $3"""

_OUTLINE = """
SELECT chunk.id, chunk.document_id, document.title, chunk.language, chunk.heading_path, chunk.numbers, chunk.block,
    chunk.purpose
{scope} ORDER BY document.title, document.id, chunk.position LIMIT {most}
"""

_VECTORS = "SELECT chunk.id, chunk.embedding {scope} AND chunk.id = ANY($4::bigint[])"

_PASSAGES = """
SELECT chunk.id, chunk.document_id, chunk.title, chunk.answering_version, chunk.heading_path, chunk.page,
    version.media_type, version.web_address, version.fetched_at,
    version.page_labels[chunk.page] AS page_label,
    chunk.page = ANY(version.recognised_pages) AS is_recognised, chunk.line_start, chunk.line_end,
    chunk.file_path, chunk.numbers, chunk.position, chunk.block, chunk.purpose, chunk.text, chunk.language,
    (SELECT string_agg(part.text, '' ORDER BY part.position) FROM "{chunks}" AS part
        WHERE part.document_id = chunk.document_id AND part.block = chunk.block
            AND part.position BETWEEN chunk.position - {per_block} AND chunk.position + {per_block}) AS section
FROM (SELECT chunk.*, document.title, document.answering_version {scope} AND chunk.id = ANY($4::bigint[])) AS chunk
LEFT JOIN "{versions}" AS version
    ON version.document_id = chunk.document_id AND version.number = chunk.answering_version
"""


class _Part(NamedTuple):
    """A document (depth 0) or a section of one, by the chunks that it has."""

    document: UUID
    depth: int
    title: str
    fit: float
    chunks: tuple[Any, ...]


def named_passages(
    chunks: type[models.Model],
    documents: Mapping[UUID, str],
    name: str,
    limit: int,
    *,
    school: UUID,
    kind: SourceKind,
    model: str,
    still: str = "true",
    outline: bool = False,
) -> NamedPassages | None:
    """At most `limit` passages of what `name` names among these documents of this school; None if it names nothing.

    An empty name names everything. Words that are only a part of titles or headings of two documents name neither:
    they are a topic. With `outline` they are the beginnings of sections. `model` is the name of the active embedding
    model; for the others see `corpus.search.search`.
    Raises psycopg.Error, also if too slow.
    """
    if not documents:
        return None
    tables = _tables(chunks) | {"still": still}
    scope, scoped = _SCOPE.format(**tables), [list(documents), school, model]

    def work(connection: psycopg.Connection[TupleRow]) -> NamedPassages | None:
        with psycopg.RawCursor(connection, row_factory=namedtuple_row) as cursor:
            in_scope: list[Any] = cursor.execute(_OUTLINE.format(scope=scope, most=MAX_CHUNKS), scoped).fetchall()
            part = _named(in_scope, name)
            if part is None:
                return None
            chunks_of_part = [row for row in part.chunks if not row.purpose] or part.chunks
            units = _sections(chunks_of_part) if outline else chunks_of_part
            some = units[:: -(-len(units) // MAX_VECTORS)]
            told: list[Any] = cursor.execute(
                _VECTORS.format(scope=scope), [*scoped, [row.id for row in some]]
            ).fetchall()
            chosen = _cover(some, {row.id: row.embedding for row in told}, limit)
            full = _PASSAGES.format(**tables, scope=scope, per_block=CHUNKS_PER_BLOCK)
            found: list[Any] = cursor.execute(full, [*scoped, chosen]).fetchall()
            rows = sorted(found, key=lambda row: chosen.index(row.id))
            size = len(units if outline else {(row.document_id, row.block) for row in chunks_of_part})
            passages = tuple(build_passage(row, kind, 1 - rank / 1000) for rank, row in enumerate(rows))
            return NamedPassages(part.title, part.fit, size, passages, is_section=part.depth > 0)

    return run_with_search_connection(work)


def _tables(chunks: type[models.Model]) -> dict[str, str]:
    document: Any = chunks._meta.get_field("document").related_model
    versions = document._meta.get_field("versions").related_model
    return {
        "chunks": chunks._meta.db_table,
        "documents": document._meta.db_table,
        "versions": versions._meta.db_table,
    }


def _named(outline: Sequence[Any], name: str) -> _Part | None:
    if not outline:
        return None
    if not name:
        documents = {row.document_id: row.title for row in outline}
        title = outline[0].title if len(documents) == 1 else ""
        return _Part(outline[0].document_id, 0, title, EXACT, tuple(outline))
    parts = [part for part in _parts(outline, name) if part.fit >= MIN_FIT]
    best = max((part.fit for part in parts), default=0.0)
    parts = [part for part in parts if part.fit == best]
    if not parts or (best < EXACT and len({part.document for part in parts}) > 1):
        return None
    least = min(part.depth for part in parts)
    parts = [part for part in parts if part.depth == least]
    titles = "; ".join(dict.fromkeys(part.title for part in parts))
    return parts[0]._replace(title=titles, chunks=tuple(chunk for part in parts for chunk in part.chunks))


def _parts(outline: Sequence[Any], name: str) -> list[_Part]:
    """The documents and sections of an outline with how well `name` fits each."""
    found = []
    for document, own in groupby(outline, key=lambda row: row.document_id):
        rows = list(own)
        language = get_language_code(rows[0].language)
        found.append(_Part(document, 0, rows[0].title, _fit(name, rows[0].title, "", language), tuple(rows)))
        for depth in range(1, 1 + max(len(row.heading_path) for row in rows)):
            deep = (row for row in rows if len(row.heading_path) >= depth)
            for path, members in groupby(deep, key=lambda row: row.heading_path[:depth]):
                inside = tuple(members)
                over = " ".join([rows[0].title, *path[:-1]])
                fit = max(_fit(name, path[-1], over, language), _fits_number(name, inside[0].numbers[:depth]))
                found.append(_Part(document, depth, path[-1], fit, inside))
    return found


def _fit(name: str, title: str, over: str, language: str) -> float:
    """The share of the name's words that the title or what stands over it has, times the share of the title that they
    are. 0 if either is too small.

    Numbers of a title, such as years, count only if the name has them; those of a name only if it has few other words.
    """
    asked = content_stems(name, language)
    if len(words := {stem for stem in asked if not _has_digit(stem)}) > 1:
        asked = words
    own = {stem for stem in content_stems(title, language) if stem in asked or not _has_digit(stem)}
    known = len(asked & (own | (content_stems(over, language) if over else set()))) / len(asked)
    named = len(asked & own) / len(own) if own else 0.0
    if known < MENTIONED or (known < 1 and named < MENTIONED):
        return 0.0
    return known * named


def _has_digit(stem: str) -> bool:
    return any(map(str.isdigit, stem))


def _fits_number(name: str, numbers: Sequence[str]) -> float:
    """EXACT if the name is the number of the section, such as “Chapter 3”, else 0."""
    return EXACT if numbers and numbers[-1].casefold() == name.casefold() else 0.0


def _sections(chunks: Sequence[Any]) -> Sequence[Any]:
    """The first chunk of each section; all chunks if there are no sections."""
    firsts = [next(own) for _, own in groupby(chunks, key=lambda row: (row.document_id, row.heading_path))]
    return firsts if len(firsts) > 1 else chunks


def _cover(chunks: Sequence[Any], vectors: Mapping[int, Any], limit: int) -> list[int]:
    """The ids of the chunks, one of a block at most, whose vectors cover those of all chunks best.

    Each step takes the chunk that raises the sum of the cosines between every chunk and its nearest chosen one most.
    Ties go to the earlier chunk.
    """
    chunks = [row for row in chunks if row.id in vectors]  # some may have been removed between two statements
    if not chunks:
        return []
    matrix: NDArray[np.float32] = np.array([vectors[row.id].to_list() for row in chunks], dtype=np.float32)
    cosines = np.maximum(matrix @ matrix.T, 0.0)
    blocks = [(row.document_id, row.block) for row in chunks]
    covered = np.zeros(len(chunks), dtype=np.float32)
    free = np.ones(len(chunks), dtype=bool)
    chosen: list[int] = []
    while free.any() and len(chosen) < limit:
        gains = np.where(free, np.maximum(cosines, covered).sum(axis=1), -1.0)
        best = int(gains.argmax())
        chosen.append(chunks[best].id)
        covered = np.maximum(covered, cosines[best])
        free &= np.array([block != blocks[best] for block in blocks])
    return chosen
