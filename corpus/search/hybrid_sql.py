"""The SQL of a search: one statement that scores all chunks in scope by vector and by the stems of the question."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from functools import lru_cache

from corpus.block_size import CHUNKS_PER_BLOCK

PROBE_SIZES = (4, 8, 12, 16, 24, 32, 48, 60, 96, 128, 192, 256, 384, 768)
"""How many stems a statement has room for: few sizes, so that each connection keeps them prepared. Of a question with
still more, such as 2,000 characters of Chinese, the first in alphabetical order count."""

NEAREST, RARE, PAIRED = 200, 2500, 4
"""Candidates of a large owner: its chunks nearest to the question, about so many with the rarest stems, and those with
two of its rarest stems."""

SAMPLED = 64
"""Of a large owner's chunks each so manieth is in the sample. So say the indexes of the tables (migrations)."""

_BITS = 60  # of a bigint that are used


def quote_stem(stem: str) -> str:
    """A stem as a tsquery."""
    return "'" + stem.replace("\\", "\\\\").replace("'", "''") + "'"


def compute_masks(own: Collection[str], every: Sequence[str], probes: int) -> list[int]:
    """Which of all stems are these: a bit for each, in as many numbers as a statement with so many probes has."""
    bits = sum(1 << place for place, stem in enumerate(every) if stem in own)
    return [bits >> first & (1 << _BITS) - 1 for first in range(0, probes, _BITS)]


def stems_in(masks: Sequence[int], every: Sequence[str]) -> set[str]:
    """The stems of `compute_masks`."""
    return {stem for place, stem in enumerate(every) if masks[place // _BITS] >> place % _BITS & 1}


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
    meaning: float,
    aside: float,
    purposes: tuple[str, ...],
    offset: float = 0.0,
    owner: str = "",
    dimensions: int = 0,
) -> str:
    """The search statement for these tables and this number of probes. `corpus.search.search` describes the score.

    `still` is a condition on `document` in SQL. `meaning` is what a cosine weighs where it is all that counts. `aside`
    is taken from the scores of chunks that are for none of these `purposes`.
    Parameters: languages, trust in each of them, vector, documents, school, embedding model, limit, the masks of each
    language's stems, what is added to its cosines, and to its scores by cosine alone (None where words count), the
    probes, and the phrases if there are any.

    `owner` is the condition of a large owner's indexes (`corpus.search.large_owners`), with the dimensions of its
    vectors. Then only candidates are scored, and frequencies are estimated from a sample. The last parameter is the
    number of chunks in scope.

    A row says in bits which stems it has. Frequencies are counted once for all rows with the same bits, of which there
    are few. Joining chunks with stems took quadratic time when the planner, which cannot know the size of a scope,
    chose a nested loop.
    """
    words = range(0, probes, _BITS)  # one bigint for each
    first_probe = 10 + len(words)

    def each(template: str, between: str = ", ", masks: str = "hit") -> str:
        return between.join(
            template.format(i=i, bit=f"{masks}{i // _BITS} & {1 << i % _BITS} <> 0") for i in range(probes)
        )

    def each_mask(template: str, between: str = ", ") -> str:
        return between.join(template.format(w=w) for w in range(len(words)))

    masks = ", ".join(
        " + ".join(
            f"CASE WHEN search @@ ${first_probe + i}::tsquery THEN {1 << i - first} ELSE 0 END"
            for i in range(first, min(first + _BITS, probes))
        )
        + f" AS mask{w}"
        for w, first in enumerate(words)
    )
    quoted = (
        "(SELECT avg((position(phrase IN lower(text)) > 0)::int)::float8"  # noqa: S608
        f" FROM unnest(${first_probe + probes}::text[]) AS phrase)"
        if phrases
        else "0::float8"
    )
    cosine = f"({offset} - (embedding <#> $3::halfvec))" if offset else "-(embedding <#> $3::halfvec)"
    columns = f"id, document_id, block, position, language, purpose, {cosine} AS cosine, {quoted} AS quoted, {masks}"
    in_scope = (
        "document_id = ANY(ARRAY(SELECT id FROM searched)) "
        "AND school_id IS NOT DISTINCT FROM $5::uuid AND embedding_model = $6"
    )
    scored, scope, factor, candidates = "scope", in_scope, "", ""
    if owner:
        scored, scope = "candidate", f"id % {SAMPLED} = 0 AND {in_scope}"
        factor = f" * ${first_probe + probes + phrases}::float8 / sum(count(*)) OVER ()"
        probed = ", ".join(f"${first_probe + i}::tsquery" for i in range(probes))
        # IS TRUE keeps the planner from the index on documents: it takes the owner's.
        of_owner = f"{owner} AND (document_id IN (SELECT id FROM searched)) IS TRUE"  # noqa: S608
        candidates = f"""), stem AS MATERIALIZED (
    SELECT probe, row_number() OVER rarest_first AS rank, sum(frequency) OVER rarest_first AS so_far
    FROM weight, unnest(ARRAY[{probed}], frequencies) WITH ORDINALITY AS stem (probe, frequency, place)
    WHERE probe IS NOT NULL WINDOW rarest_first AS (ORDER BY frequency, place)
), candidate AS MATERIALIZED (
    SELECT {columns} FROM "{chunks}" WHERE id IN ((
        SELECT id FROM "{chunks}" WHERE {of_owner}
        ORDER BY (embedding::halfvec({dimensions})) <#> $3::halfvec({dimensions}) LIMIT {NEAREST}
    ) UNION (
        SELECT id FROM "{chunks}" WHERE {of_owner} AND search @@ (
            SELECT string_agg(query::text, ' | ')::tsquery FROM (
                SELECT probe AS query FROM stem WHERE so_far <= {RARE} UNION ALL
                SELECT one.probe && other.probe FROM stem AS one JOIN stem AS other
                    ON one.rank < other.rank AND other.rank <= {PAIRED}
            ) AS queries
        ) LIMIT {2 * RARE}
    )) AND school_id IS NOT DISTINCT FROM $5::uuid
"""  # noqa: S608
    own_masks = "".join(f", ${8 + w}::bigint[]" for w in range(len(words)))
    own_masks += f", ${first_probe - 2}::float8[], ${first_probe - 1}::float8[]"
    # LEFT JOIN: a document may have a new version in another language by now. Its vectors still count.
    # IS NOT DISTINCT FROM instead of = keeps the planner from combining the index on schools with that on documents.
    return f"""
WITH language AS MATERIALIZED (
    SELECT * FROM unnest($1::text[], $2::float8[]{own_masks})
        AS language (name, trust, {each_mask("own{w}")}, shift, lift)
), searched AS MATERIALIZED (
    SELECT id FROM "{documents}" AS document WHERE id = ANY($4::uuid[]) AND {still}
), scope AS MATERIALIZED (
    SELECT {columns} FROM "{chunks}" WHERE {scope}
), pattern AS MATERIALIZED (
    SELECT chunks, coalesce(trust, 1) * (total + chunks * moved) AS total,
        coalesce(trust, 1) ^ 2 * (squares + 2 * moved * total + chunks * moved ^ 2) AS squares,
        {each_mask("mask{w} & own{w} AS hit{w}")}
    FROM (
        SELECT language, {each_mask("mask{w}")}, count(*)::float8{factor} AS chunks, sum(cosine){factor} AS total,
            sum(cosine * cosine){factor} AS squares
        FROM scope GROUP BY language, {each_mask("mask{w}")}
    ) AS counted LEFT JOIN language ON name = counted.language, coalesce(shift, 0) AS moved
), weight AS MATERIALIZED (
    SELECT chunks, mean, sqrt(greatest(squares - chunks * mean ^ 2, 0) / greatest(chunks - 1, 1)) AS spread,
        ARRAY[{each("frequency{i}")}] AS frequencies,
        {each("ln(1 + (chunks - frequency{i} + 0.5) / (frequency{i} + 0.5)) AS idf{i}")}
    FROM (
        SELECT sum(chunks) AS chunks, sum(total) / sum(chunks) AS mean, sum(squares) AS squares,
            {each("coalesce(sum(chunks) FILTER (WHERE {bit}), 0) AS frequency{i}")}
        FROM pattern
    ) AS size
), whole AS MATERIALIZED (
    SELECT name, trust, shift, lift, {each_mask("own{w}")},
        (1 + {coverage} - trust) / nullif({each("CASE WHEN {bit} THEN idf{i} ELSE 0 END", " + ", "own")}, 0) AS share
    FROM language CROSS JOIN weight
{candidates}), first AS (
    SELECT id, document_id, block, position, meant AS cosine, quoted,
        {each_mask("coalesce(mask{w} & own{w}, 0) AS hit{w}")},
        {phrase} * quoted + greatest({meaning} * meant + lift, meant + coalesce(
            share * ({each("CASE WHEN {bit} THEN idf{i} ELSE 0 END", " + ", "mask")}), 0))
            - {aside} * (purpose <> ALL('{{{",".join(map('"{}"'.format, purposes))}}}'))::int AS score, purpose
    FROM {scored} AS chunk CROSS JOIN weight LEFT JOIN whole ON name = chunk.language
        CROSS JOIN LATERAL (SELECT (cosine + coalesce(shift, 0)) * coalesce(trust, 1) AS meant) AS seen
    ORDER BY score DESC, document_id, position LIMIT {CHUNKS_PER_BLOCK} * $7
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
    top.purpose,
    (SELECT string_agg(part.text, '' ORDER BY part.position) FROM "{chunks}" AS part
        WHERE part.document_id = top.document_id AND part.block = top.block) AS section,
    top.score, top.cosine, top.quoted, ARRAY[{each_mask("hit{w}")}] AS hits, chunk.language,
    ARRAY[{each("idf{i}")}] AS weights, chunks::int AS size, mean, spread
FROM top CROSS JOIN weight
JOIN "{chunks}" AS chunk ON chunk.id = top.id
JOIN "{documents}" AS document ON document.id = top.document_id
LEFT JOIN "{versions}" AS version
    ON version.document_id = document.id AND version.number = document.answering_version
ORDER BY top.score DESC, top.document_id, top.position
"""  # noqa: S608 - only table names and constants are put in
