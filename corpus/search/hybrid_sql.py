"""The SQL of a search: one statement that scores all chunks in scope by vector and by the stems of the question."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

from corpus.block_size import CHUNKS_PER_BLOCK

PROBE_SIZES = (4, 8, 12, 16, 24, 32, 48, 64, 96, 128, 192, 256, 384, 768)
"""How many stems a statement has room for: few sizes, so that each connection keeps them prepared. Of a question with
still more, such as 2,000 characters of Chinese, the first in alphabetical order count."""


def stem_probe(stems: Sequence[str | None]) -> str:
    """A literal of the type tsquery[] of these stems, one for each language; None where it has another stem."""
    return "{" + ",".join("NULL" if stem is None else _quoted(stem) for stem in stems) + "}"


@lru_cache(maxsize=500)
def search_sql(
    *,
    chunks: str,
    documents: str,
    versions: str,
    still: str,
    probes: int,
    phrases: bool,
    coverage: float,
    phrase: float,
    offset: float = 0.0,
) -> str:
    """The search statement for these tables and this number of probes. `corpus.search.search` describes the score.

    `still` is a condition on `document` in SQL. Parameters: languages, trust in each of them, vector, documents,
    school, embedding model, limit, the probes, and the phrases if there are any.

    Each stem has a column of its own, so frequencies and sums of idf take one pass each. Joining chunks with stems
    took quadratic time when the planner, which cannot know the size of a scope, chose a nested loop.
    """

    def each(template: str, between: str = ", ") -> str:
        return between.join(template.format(i=i) for i in range(1, probes + 1))

    quoted = (
        "(SELECT avg((position(phrase IN lower(chunk.text)) > 0)::int)::float8"  # noqa: S608
        f" FROM unnest(${8 + probes}::text[]) AS phrase)"
        if phrases
        else "0::float8"
    )
    cosine = f"({offset} - (embedding <#> $3::halfvec))" if offset else "-(embedding <#> $3::halfvec)"
    probe_parameters = ", ".join(f"${place}::tsquery[]" for place in range(8, 8 + probes))
    # LEFT JOIN: a document may have a new version in another language by now. Its vectors still count.
    # IS NOT DISTINCT FROM instead of = keeps the planner from combining the index on schools with that on documents.
    return f"""
WITH language AS MATERIALIZED (
    SELECT * FROM unnest($1::text[], $2::float8[], {probe_parameters}) AS language (name, trust, {each("probe{i}")})
), scope AS MATERIALIZED (
    SELECT chunk.id, document_id, block, position, name, coalesce(trust, 1) AS trust,
        {cosine} * coalesce(trust, 1) AS cosine,
        {quoted} AS quoted, {each("(search @@ probe{i})::int AS hit{i}")}
    FROM "{documents}" AS document JOIN "{chunks}" AS chunk ON chunk.document_id = document.id
    LEFT JOIN language ON language.name = chunk.language
    WHERE document.id = ANY($4::uuid[]) AND {still}
        AND chunk.school_id IS NOT DISTINCT FROM $5::uuid AND embedding_model = $6
), size AS MATERIALIZED (
    SELECT count(*)::float8 AS chunks, avg(cosine) AS mean, coalesce(stddev_samp(cosine), 0) AS spread,
        {each("coalesce(sum(hit{i}), 0)::float8 AS frequency{i}")}
    FROM scope
), weight AS MATERIALIZED (
    SELECT chunks, mean, spread, {each("ln(1 + (chunks - frequency{i} + 0.5) / (frequency{i} + 0.5)) AS idf{i}")}
    FROM size
), whole AS MATERIALIZED (
    SELECT name, nullif({each("CASE WHEN probe{i} IS NULL THEN 0 ELSE idf{i} END", " + ")}, 0) AS idf
    FROM language CROSS JOIN weight
), scored AS (
    SELECT id, document_id, block, position, cosine, quoted, cosine + {phrase} * quoted
        + (1 + {coverage} - trust) * coalesce(({each("coalesce(hit{i} * idf{i}, 0)", " + ")}) / idf, 0) AS score
    FROM scope LEFT JOIN whole USING (name) CROSS JOIN weight
), first AS (
    SELECT * FROM scored ORDER BY score DESC, document_id, position LIMIT {CHUNKS_PER_BLOCK} * $7
), best AS (
    SELECT DISTINCT ON (document_id, block) * FROM first ORDER BY document_id, block, score DESC, position
), top AS (
    SELECT * FROM best ORDER BY score DESC, document_id, position LIMIT $7
)
SELECT top.document_id, document.title, document.answering_version, chunk.heading_path, chunk.page,
    version.media_type, version.web_address, version.fetched_at,
    version.page_labels[chunk.page] AS page_label,
    chunk.page = ANY(version.recognised_pages) AS is_recognised,
    chunk.line_start, chunk.line_end, chunk.file_path, chunk.numbers, chunk.position, chunk.block, chunk.text,
    (SELECT string_agg(part.text, '' ORDER BY part.position) FROM "{chunks}" AS part
        WHERE part.document_id = top.document_id AND part.block = top.block
            AND part.position BETWEEN top.position - {CHUNKS_PER_BLOCK}
                AND top.position + {CHUNKS_PER_BLOCK}) AS section,
    top.score, top.cosine, top.quoted, ARRAY[{each("coalesce(chunk.search @@ own.probe{i}, false)")}] AS hits,
    chunk.language, ARRAY[{each("idf{i}")}] AS weights, chunks::int AS size, mean, spread
FROM top CROSS JOIN weight
JOIN "{chunks}" AS chunk ON chunk.id = top.id
LEFT JOIN language AS own ON own.name = chunk.language
JOIN "{documents}" AS document ON document.id = top.document_id
LEFT JOIN "{versions}" AS version
    ON version.document_id = document.id AND version.number = document.answering_version
ORDER BY top.score DESC, top.document_id, top.position
"""  # noqa: S608 - only table names and constants are put in


def _quoted(stem: str) -> str:
    """A stem as a quoted tsquery, quoted again as an array element."""
    query = "'" + stem.replace("\\", "\\\\").replace("'", "''") + "'"
    return '"' + query.replace("\\", "\\\\").replace('"', '\\"') + '"'
