"""Search in one scope of chunks: vector similarity and PostgreSQL full text in one statement (H5)."""

from __future__ import annotations

import math
from typing import Any
from uuid import UUID

from django.conf import settings
from django.db import connection, models, transaction
from pgvector import HalfVector

from corpus.passages import Passage, Query, SourceKind

COVERAGE_WEIGHT = 0.5
"""Of the lexical leg beside the cosine. Measured flat between 0.3 and 0.7 on 2,797 and 19,692 paragraphs, where it
ranks the right paragraph among five for 95.8 % and 91.3 % of questions (vector alone: 86.0 % and 77.3 %)."""

RELEVANCE_SPREAD = 0.1
"""How fast the relevance moves from 0 to 1 around the threshold, in units of the raw score."""


def search(
    chunks: models.QuerySet[Any], query: Query, limit: int, *, kind: SourceKind, timeout_ms: int | None = None
) -> list[Passage]:
    """The best `limit` blocks of the chunks in scope, best first, ties broken by document and position.

    score = cosine + 0.5 × coverage, where coverage is the sum of the idf of the question's stems that the chunk
    contains over the sum for all of the question's stems; document frequencies are those of the scope, counted in
    the same scan. Of several chunks in one block only the best is kept, and it brings the block as its text (H6).
    One statement, so one snapshot: all of one version of a document or all of another (D5). Exact, no approximate
    index: ADR 3. Raises django.db.OperationalError when it takes longer than `timeout_ms` (default: setting
    LECTERN_SEARCH_DEADLINE_MS).
    """
    timeout_ms = timeout_ms or settings.LECTERN_SEARCH_DEADLINE_MS
    chunk_table = chunks.model._meta.db_table
    document_table = chunks.model._meta.get_field("document").related_model._meta.db_table
    scope, scope_params = (
        chunks.filter(embedding_model=query.model)
        .order_by()
        .values_list("id", "document_id", "block", "position", "search", "embedding")
        .query.sql_with_params()
    )
    statement = _STATEMENT.format(scope=scope, chunk=chunk_table, document=document_table)
    params = [query.text, *scope_params, HalfVector(query.embedding.tolist()).to_text(), limit]
    with transaction.atomic(), connection.cursor() as cursor:
        cursor.execute(f"SET LOCAL statement_timeout = {int(timeout_ms)}")
        cursor.execute(statement, params)
        return [_passage(row, kind) for row in cursor.fetchall()]


def relevance(score: float, scope_size: int) -> float:
    """A raw score as a number in [0, 1] where 0.5 is the threshold below which a chunk is not evidence.

    The best score of an unrelated question grows with the number of chunks it is compared with: 95 % of them stay
    below 0.05 + 0.101 × ln(chunks in scope), measured on 33 to 998 chunks. Below 33 that line is not followed
    further down.
    """
    threshold = 0.05 + 0.101 * math.log(max(scope_size, 33))
    return 1 / (1 + math.exp((threshold - score) / RELEVANCE_SPREAD))


_STATEMENT = f"""
WITH stem AS (
    SELECT DISTINCT lexeme,
        ('''' || replace(replace(lexeme, '\\', '\\\\'), '''', '''''') || '''')::tsquery AS probe
    FROM unnest(to_tsvector('english', %s))
), scope (id, document_id, block, position, search, embedding) AS MATERIALIZED (
    {{scope}}
), size AS (
    SELECT count(*)::float AS chunks FROM scope
), found AS MATERIALIZED (
    SELECT scope.id, stem.lexeme FROM scope JOIN stem ON scope.search @@ stem.probe
), weight AS (
    SELECT stem.lexeme, ln(1 + (size.chunks - count(found.id) + 0.5) / (count(found.id) + 0.5)) AS idf
    FROM size CROSS JOIN stem LEFT JOIN found USING (lexeme) GROUP BY stem.lexeme, size.chunks
), coverage AS (
    SELECT found.id, sum(weight.idf) / (SELECT sum(idf) FROM weight) AS covered
    FROM found JOIN weight USING (lexeme) GROUP BY found.id
), scored AS (
    SELECT scope.id, document_id, block, position,
        -(embedding <#> %s::halfvec) + {COVERAGE_WEIGHT} * coalesce(covered, 0) AS score
    FROM scope LEFT JOIN coverage USING (id)
), best AS (
    SELECT DISTINCT ON (document_id, block) * FROM scored ORDER BY document_id, block, score DESC, position
), top AS (
    SELECT * FROM best ORDER BY score DESC, document_id, position LIMIT %s
)
SELECT top.document_id, document.title, document.answering_version, chunk.heading_path, chunk.page,
    chunk.line_start, chunk.line_end, chunk.position, chunk.block, chunk.text,
    (SELECT string_agg(part.text, '' ORDER BY part.position) FROM "{{chunk}}" AS part
        WHERE part.document_id = top.document_id AND part.block = top.block),
    top.score, size.chunks
FROM top CROSS JOIN size
JOIN "{{chunk}}" AS chunk ON chunk.id = top.id
JOIN "{{document}}" AS document ON document.id = top.document_id
ORDER BY top.score DESC, top.document_id, top.position
"""  # noqa: S608 - only table names and a constant are put in


def _passage(row: tuple[Any, ...], kind: SourceKind) -> Passage:
    document_id, title, version, headings, page, first, last, position, block, excerpt, text, score, size = (
        row
    )
    assert isinstance(document_id, UUID)
    return Passage(
        kind=kind,
        document_id=document_id,
        document_title=title,
        version=version,
        heading_path=tuple(headings),
        page=page,
        lines=(first, last) if first is not None and last is not None else None,
        position=position,
        block=block,
        excerpt=excerpt.strip(),
        text=text.strip(),
        score=score,
        relevance=relevance(score, int(size)),
    )
