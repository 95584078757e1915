"""Search in one scope of documents: vector similarity and PostgreSQL full text in one statement (H5)."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from typing import Any
from uuid import UUID

import psycopg
from django.db import models

from corpus.connections import search_connection
from corpus.language import spaced, vector_weight
from corpus.passages import Passage, Query, SourceKind
from engines.embedding import get_embedder

COVERAGE = 0.6
"""Weight of the lexical leg beside the cosine. On 2,943 questions over 1,216 and 5,871 paragraphs the right one is
first for 85.6 % and 82.9 % and among five for 97.3 % and 96.2 %; flat between 0.4 and 0.75 (vector alone: 65.5 % and
59.7 %, 88.8 % and 84.2 %). `python -m benchmarks.quality` measures it."""

PHRASE = 0.5
"""Added for a phrase that the question quotes and the chunk contains, letter for letter but for case."""

_PHRASE = re.compile(r"[\"“„«]([^\"“”„«»]{3,200})[\"”“»]")


def search(
    chunks: type[models.Model],
    documents: Mapping[UUID, str],
    query: Query,
    limit: int,
    *,
    school: UUID,
    kind: SourceKind,
    still: str = "true",
) -> list[Passage]:
    """The best `limit` blocks among the chunks of these documents of this school, best first, ties broken by key.

    `documents` maps ids to text search configurations; `still` is a condition in SQL on the `document` that must hold
    at the moment of the search, such as that it is published. score = λ · cosine + (1 + COVERAGE - λ) · coverage, where
    coverage is the sum of the idf of the question's stems that title, headings or text of the chunk contain over the
    sum for all of the question's stems, with document frequencies counted in the scope by the same scan; λ is 1, or
    less where the embedder does not know a document's language. Of several chunks in one block only the best is kept,
    and it brings the block as its text (H6). One statement, so one snapshot: all of one version of a document or all
    of another (D5). Exact, through the index on the document: ADR 3. Raises psycopg.Error, also when it takes longer
    than the setting LECTERN_SEARCH_DEADLINE_MS.
    """
    if not documents:
        return []
    configurations = sorted(set(documents.values()))
    parameters = {
        "school": school,
        "documents": list(documents),
        "model": query.model,
        "configurations": configurations,
        "trust": [vector_weight(name, get_embedder()) for name in configurations],
        "text": spaced(query.text),
        "vector": "[" + ",".join(map(str, query.embedding.tolist())) + "]",
        "phrases": [phrase.strip().lower() for phrase in _PHRASE.findall(query.text)],
        "limit": limit,
    }
    document: Any = chunks._meta.get_field("document").related_model
    statement = _STATEMENT.format(chunk=chunks._meta.db_table, document=document._meta.db_table, still=still)
    with search_connection() as lent, psycopg.Cursor(lent) as cursor:
        cursor.execute(statement, parameters, prepare=True, binary=True)
        return [_passage(row, kind) for row in cursor.fetchall()]


def relevance(score: float, *, scope_size: int, mean: float, spread: float) -> float:
    """How surely a passage of this score is evidence: a number in [0, 1] with its threshold at 0.5.

    A logistic regression of "is the question about anything in the scope" on the best score, the mean and standard
    deviation of the question's (trusted) cosines over the scope, and the logarithm of its size, which the best score
    of an unrelated question grows with. Fitted on the questions of 18 articles of SQuAD 2.0 over bases of 33 to 3,000
    chunks; on 18 others it keeps 98.6 / 97.3 / 95.6 / 90.9 % of answerable questions in bases of 33 / 100 / 300 /
    1,000 chunks and rejects 98 / 98 / 97 / 95 % of those without evidence. The logit is halved so that the numbers
    spread out between good and very good passages. `python -m benchmarks.quality` measures it.
    """
    # In a scope of a few chunks the best ones make mean and deviation themselves: usual values take their part.
    share = min(scope_size / 33, 1)
    mean, spread = (share * own + (1 - share) * usual for own, usual in ((mean, 0.06), (spread, 0.1)))
    logit = 12.7 * score + 16.6 * mean + 18.4 * spread - 0.47 * math.log(max(scope_size, 33)) - 8.9
    return 1 / (1 + math.exp(-logit / 2))


_STATEMENT = f"""
WITH language AS (
    SELECT * FROM unnest(%(configurations)s::text[], %(trust)s::float8[]) AS language (name, trust)
), stem AS (
    SELECT language.name, lexeme,
        ('''' || replace(replace(lexeme, '\\', '\\\\'), '''', '''''') || '''')::tsquery AS probe
    FROM language, unnest(to_tsvector(language.name::regconfig, %(text)s))
), scope AS MATERIALIZED (
    SELECT chunk.id, document_id, block, position, search, language.name, trust,
        -(embedding <#> %(vector)s::halfvec) * trust AS cosine,
        CASE WHEN cardinality(%(phrases)s::text[]) = 0 THEN 0 ELSE (
            SELECT avg((position(phrase IN lower(chunk.text)) > 0)::int) FROM unnest(%(phrases)s::text[]) AS phrase
        ) END AS quoted
    FROM "{{chunk}}" AS chunk JOIN language ON language.name = chunk.language
    JOIN "{{document}}" AS document ON document.id = chunk.document_id AND {{still}}
    WHERE document_id = ANY(%(documents)s::uuid[]) AND chunk.school_id = %(school)s AND embedding_model = %(model)s
), size AS (
    SELECT count(*)::float8 AS chunks, avg(cosine) AS mean, coalesce(stddev_samp(cosine), 0) AS spread FROM scope
), found AS MATERIALIZED (
    SELECT scope.id, stem.lexeme FROM scope JOIN stem ON stem.name = scope.name AND scope.search @@ stem.probe
), weight AS (
    SELECT lexeme, ln(1 + (size.chunks - count(found.id) + 0.5) / (count(found.id) + 0.5)) AS idf
    FROM size CROSS JOIN (SELECT DISTINCT lexeme FROM stem) AS stem LEFT JOIN found USING (lexeme)
    GROUP BY lexeme, size.chunks
), whole AS (
    SELECT stem.name, sum(idf) AS idf FROM stem JOIN weight USING (lexeme) GROUP BY stem.name
), coverage AS (
    SELECT found.id, sum(idf) AS idf FROM found JOIN weight USING (lexeme) GROUP BY found.id
), scored AS (
    SELECT scope.id, document_id, block, position, cosine
        + (1 + {COVERAGE} - trust) * coalesce(coverage.idf / whole.idf, 0) + {PHRASE} * quoted AS score
    FROM scope LEFT JOIN coverage USING (id) LEFT JOIN whole ON whole.name = scope.name
), best AS (
    SELECT DISTINCT ON (document_id, block) * FROM scored ORDER BY document_id, block, score DESC, position
), top AS (
    SELECT * FROM best ORDER BY score DESC, document_id, position LIMIT %(limit)s
)
SELECT top.document_id, document.title, document.answering_version, chunk.heading_path, chunk.page,
    chunk.line_start, chunk.line_end, chunk.position, chunk.block, chunk.text,
    (SELECT string_agg(part.text, '' ORDER BY part.position) FROM "{{chunk}}" AS part
        WHERE part.document_id = top.document_id AND part.block = top.block),
    top.score::float8, size.chunks, size.mean, size.spread
FROM top CROSS JOIN size
JOIN "{{chunk}}" AS chunk ON chunk.id = top.id
JOIN "{{document}}" AS document ON document.id = top.document_id
ORDER BY top.score DESC, top.document_id, top.position
"""  # noqa: S608 - only table names and constants are put in


def _passage(row: tuple[Any, ...], kind: SourceKind) -> Passage:
    (
        document_id,
        title,
        version,
        headings,
        page,
        first,
        last,
        position,
        block,
        excerpt,
        text,
        score,
        *scope,
    ) = row
    size, mean, spread = scope
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
        relevance=relevance(score, scope_size=int(size), mean=mean, spread=spread),
    )
