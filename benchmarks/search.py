"""How fast the product's own combined search of two sources is, and how exact, as the database of 500 schools grows.

    python -m benchmarks.search [--chunks 10000 100000 1000000] [--data DIR] [--json result.json]
    python -m benchmarks.search --owner 1000 5000 20000 50000 100000

Schools have skewed sizes; a million chunks make 20,000 chatbots, most of which read some hundred chunks, and the
largest some 10,000. Every search is `chatbots.answering.retrieval.retrieve` over `select_sources` a chatbot, warm,
one at a time, with a question that was never asked before. Its floors are measured in the same run: SELECT 1 on
a connection of the same pool, the same searches in plain prepared SQL (cosine and coverage, the ten best chunks with
text and title; stems and documents are known), and a scan of the same vectors in memory by NumPy. "Exact" is the share
of the ten best blocks of a source, computed here by cosine and coverage, that the product returned, too. Passages are
not read.
--owner measures one library of so many chunks.
"""

from __future__ import annotations

import argparse
import os
import random
import statistics
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any
from uuid import UUID

import numpy as np
from numpy.typing import NDArray

from benchmarks import ground

CLASSES = {
    "under 100": (0, 100),
    "100 to 1,000": (100, 1000),
    "1,000 to 10,000": (1000, 10_000),
    "10,000 and more": (10_000, 10**9),
}
SCOPES = 10  # chatbots of each class whose vectors and stems are brought into memory
TOP = 10  # what the product asks each source for

Samples = dict[str, list[float]]


def main() -> None:
    parser = ground.options(__doc__)
    parser.add_argument("--chunks", type=int, nargs="+", default=[10_000, 100_000, 1_000_000], help="sizes")
    parser.add_argument("--schools", type=int, default=500)
    parser.add_argument("--searches", type=int, default=400, help="of each kind at each size")
    parser.add_argument("--owner", type=int, nargs="+", default=[], help="chunks of one library, instead")
    options = parser.parse_args()
    if options.owner:
        os.environ["LECTERN_SEARCH_DEADLINE_MS"] = "30000"  # an exact search of a large scope, on a busy machine
    result: dict[str, Any] = {"options": {"schools": options.schools, "searches": options.searches}}
    with ground.database(options.data):
        from benchmarks import schools

        asked = schools.questions()
        if options.owner:
            result["owner"] = owner(options.owner, options.searches, asked)
        else:
            result["sizes"] = sizes(options, asked)
    ground.write(result, options.json)


def sizes(options: argparse.Namespace, asked: Iterator[str]) -> dict[str, Any]:
    """Everything at each size that the database has or can grow to."""
    from benchmarks import schools
    from chatbots.models import Chatbot

    found: dict[str, Any] = {}
    fixed: dict[str, dict[str, float]] = {}
    for chunks in sorted(options.chunks):
        if schools.total() > chunks:
            print(f"The database has more than {chunks:,} chunks already: left out.")
            continue
        started = time.perf_counter()
        schools.grow(chunks, options.schools)
        seconds = time.perf_counter() - started
        scopes = schools.scopes()
        one = Chatbot.objects.select_related("school").get(name=schools.FIXED)
        print(f"\n{chunks:,} chunks, {len(scopes):,} chatbots, load {os.getloadavg()[0]:.1f}\n")
        steps = overall(scopes, options.searches, asked)
        print(ground.table(steps, "milliseconds"), "\n", flush=True)
        classes = by_class(scopes, options.searches // len(CLASSES), asked)
        print(ground.table(classes, "chunks read"), flush=True)
        fixed[f"{chunks:,}"] = searched([one] * options.searches, asked)
        found[str(chunks)] = {
            "chatbots": len(scopes),
            "generated_seconds": round(seconds, 1),
            "chunks_read": np.percentile([*scopes.values()], [0, 25, 50, 75, 95, 100]).tolist(),
            "steps": steps,
            "by_chunks_read": classes,
            "fixed_chatbot": fixed[f"{chunks:,}"],
            "load": os.getloadavg(),
        }
    print("\nThe search of one chatbot while other schools' data grow:\n")
    print(ground.table(fixed, "chunks in all"))
    return found


def overall(scopes: dict[UUID, int], searches: int, asked: Iterator[str]) -> dict[str, dict[str, float]]:
    """Milliseconds of each step over chatbots drawn at random, with their ratio to SELECT 1."""
    chatbots = some_chatbots(random.Random(1).choices([*scopes], k=searches))  # noqa: S311
    samples: Samples = {}
    warming = chatbots[:20]
    for chatbot in ground.progress([*warming, *chatbots], "searches"):
        question = next(asked)
        for name, took in timed(chatbot, question).items():
            samples.setdefault(name, []).append(took)
        samples.setdefault("plain SQL", []).append(search_plainly(_sources(chatbot), question))
    samples = {name: took[len(warming) :] for name, took in samples.items()}
    late = sum(samples.pop("unavailable"))
    if late:
        print(f"Unavailable: {late:.0f} sources in {searches} searches.\n")
    samples["SELECT 1"] = [select_one() for _ in range(searches)]
    one, floor = (statistics.median(samples[name]) for name in ("SELECT 1", "plain SQL"))
    return {
        name: ground.percentiles(took)
        | {"p50 × SELECT 1": round(statistics.median(took) / one, 1)}
        | {"p50 × plain SQL": round(statistics.median(took) / floor, 2)}
        for name, took in samples.items()
    }


def by_class(scopes: dict[UUID, int], searches: int, asked: Iterator[str]) -> dict[str, dict[str, Any]]:
    """The same by how much the chatbot reads, beside NumPy over the same vectors, and how exact it is."""
    rows: dict[str, dict[str, Any]] = {}
    for name, (least, below) in CLASSES.items():
        keys = [key for key, chunks in scopes.items() if least <= chunks < below]
        if not keys:
            continue
        chosen = random.Random(1).sample(keys, min(SCOPES, len(keys)))  # noqa: S311
        samples: Samples = {"search": [], "unavailable": [], "NumPy": [], "exact": []}
        for chatbot in ground.progress(some_chatbots(chosen), name):
            scanned = [(weighted.source, Scope.of(weighted.source)) for weighted in _sources(chatbot)]
            timed(chatbot, next(asked))
            for _ in range(max(1, searches // len(chosen))):
                question = next(asked)
                took = timed(chatbot, question)
                samples["search"].append(took["search"])
                samples["unavailable"].append(took["unavailable"])
                samples["NumPy"].append(scan([scope for _, scope in scanned], question))
                if not took["unavailable"]:
                    samples["exact"] += [share_found(source, scope, question) for source, scope in scanned]
        search, numpy = ground.percentiles(samples["search"]), ground.percentiles(samples["NumPy"])
        rows[name] = {
            "chatbots": len(keys),
            "median chunks": int(statistics.median(scopes[key] for key in chosen)),
            "search p50": search["p50"],
            "p95": search["p95"],
            "NumPy p50": numpy["p50"],
            "p50 × NumPy": round(search["p50"] / numpy["p50"], 1),
            "exact": round(statistics.mean(samples["exact"] or [0]), 4),
            "unavailable": int(sum(samples["unavailable"])),
        }
    return rows


def owner(sizes: Sequence[int], searches: int, asked: Iterator[str]) -> dict[str, Any]:
    """The search of one library by how many chunks are linked: exact, and from MIN_CHUNKS on by the owner's indexes,
    with the share of the ten best passages that these find."""
    from benchmarks import schools
    from corpus.search import large_owners

    rows: dict[str, Any] = {}
    least, chatbots = large_owners.MIN_CHUNKS, schools.owner(sizes)
    large_owners.MIN_CHUNKS = 10**9
    large_owners.update_indexes()
    for size, chatbot in sorted(chatbots.items()):
        scope = Scope.of(_sources(chatbot)[0].source, stems="'{}'::text[]")
        numpy = [scan([scope], next(asked)) for _ in range(20)]
        rows[f"{size:,}"] = searched([chatbot] * max(10, min(searches, 2_000_000 // size)), asked)
        rows[f"{size:,}"]["NumPy p50"] = ground.percentiles(numpy)["p50"]
        rows[f"{size:,}"]["µs a chunk"] = round(rows[f"{size:,}"]["p50"] * 1000 / size, 2)
    large_owners.MIN_CHUNKS = least
    started = time.perf_counter()
    large_owners.update_indexes()
    print(f"Indexes made in {time.perf_counter() - started:.0f} s.")
    for size, chatbot in sorted(chatbots.items()):
        if size >= least:
            found = searched([chatbot] * min(searches, 100), asked)
            rows[f"{size:,}"] |= {f"by indexes, {name}": value for name, value in found.items()}
            rows[f"{size:,}"]["recall"] = recall(_sources(chatbot)[0].source, [next(asked) for _ in range(30)])
    print(ground.table(rows, "chunks of one owner"))
    return {"rows": rows, "load": os.getloadavg()}


def recall(source: Any, questions: Sequence[str]) -> float:
    """The share of the ten best passages of an exact search that a search by the owner's indexes finds."""
    from corpus.search import large_owners
    from corpus.sources import Query
    from engines.embedding import get_embedder

    shares, least = [], large_owners.MIN_CHUNKS
    for question in ground.progress(questions, "recall"):
        query = Query.of(question, get_embedder())
        by_index = {one.key for one in source.search(query, TOP)}
        large_owners.MIN_CHUNKS = 10**9
        exact = {one.key for one in source.search(query, TOP)}
        large_owners.MIN_CHUNKS = least
        shares.append(len(exact & by_index) / len(exact))
    return round(statistics.mean(shares), 3)


def searched(chatbots: Sequence[Any], asked: Iterator[str]) -> dict[str, float]:
    """Percentiles of the search alone, in milliseconds, after some that warm up."""
    for chatbot in chatbots[:6]:
        timed(chatbot, next(asked))
    took = [timed(chatbot, next(asked)) for chatbot in chatbots]
    late = sum(one["unavailable"] for one in took)
    return ground.percentiles([one["search"] for one in took]) | ({"unavailable": late} if late else {})


def timed(chatbot: Any, question: str) -> dict[str, float]:
    """Milliseconds of one combined search and its steps, and how many sources did not answer in time."""
    from chatbots.answering.retrieval import retrieve
    from chatbots.answering.source_selection import select_sources

    started = time.perf_counter()
    sources = select_sources(chatbot)
    chosen = time.perf_counter()
    found = retrieve(question, sources, places=chatbot.places, reads=False)
    ended = time.perf_counter()
    return {
        "unavailable": len(found.unavailable),
        "sources_for": (chosen - started) * 1000,
        "retrieve, all of it": (ended - chosen) * 1000,
        "embedding": found.timings["embed_ms"],
        "search": found.timings["search_ms"],
    }


def select_one() -> float:
    """Milliseconds of SELECT 1 on a connection lent by the pool for searches."""
    from corpus.search.pool import search_connection

    started = time.perf_counter()
    with search_connection() as lent, lent.cursor(binary=True) as cursor:
        cursor.execute("SELECT 1", prepare=True)
        cursor.fetchone()
    return (time.perf_counter() - started) * 1000


PLAIN = """
WITH scope AS MATERIALIZED (
    SELECT chunk.id, -(embedding <#> $1::halfvec) AS cosine, {hits}
    FROM {documents} AS document JOIN {chunks} AS chunk ON chunk.document_id = document.id
    WHERE document.id = ANY($2::uuid[]) AND chunk.school_id IS NOT DISTINCT FROM $3::uuid AND embedding_model = $4
), weight AS MATERIALIZED (SELECT {weights} FROM scope),
top AS (
    SELECT id, cosine + 0.5 * ({found}) / nullif({all}, 0) AS score FROM scope CROSS JOIN weight
    ORDER BY score DESC LIMIT 10
)
SELECT document.title, chunk.text, score FROM top JOIN {chunks} AS chunk USING (id)
JOIN {documents} AS document ON document.id = document_id ORDER BY score DESC
"""


def search_plainly(sources: Sequence[Any], question: str) -> float:
    """Milliseconds of the same searches in plain SQL, one after the other on one connection."""
    from corpus.search.hybrid_sql import quote_stem
    from corpus.search.pool import search_connection
    from corpus.search.steps import SqlStatement
    from corpus.sources import Query
    from engines.embedding import get_embedder

    query = Query.of(question, get_embedder())
    stems = _get_stems(question)
    statements = []
    for source in (weighted.source for weighted in sources):
        document = source.chunks._meta.get_field("document").related_model
        text = PLAIN.format(
            chunks=source.chunks._meta.db_table,
            documents=document._meta.db_table,
            hits=", ".join(f"(search @@ ${i + 5}::tsquery)::int AS h{i}" for i in range(len(stems))),
            weights=", ".join(
                f"ln(1 + (count(*) - sum(h{i}) + 0.5::float8) / (sum(h{i}) + 0.5::float8)) AS w{i}"
                for i in range(len(stems))
            ),
            found=" + ".join(f"h{i} * w{i}" for i in range(len(stems))),
            all=" + ".join(f"w{i}" for i in range(len(stems))),
        )
        scope = [query.vector, [*source.documents], source.school, query.embedder.name]
        statements.append(SqlStatement(text, [*scope, *map(quote_stem, stems)]))
    with search_connection() as lent:
        for statement in statements:  # prepared by now
            statement.execute(lent).fetchall()
        started = time.perf_counter()
        for statement in statements:
            statement.execute(lent).fetchall()
    return (time.perf_counter() - started) * 1000


def _get_stems(question: str) -> list[str]:
    from django.db import connection

    from text.lexemes import full_text_input
    from text.question_match import empty_stems

    with connection.cursor() as cursor:
        cursor.execute("SELECT tsvector_to_array(to_tsvector('english', %s))", [full_text_input(question)])
        found: list[str] = (cursor.fetchone() or ([],))[0]
    return [stem for stem in found if stem not in empty_stems("en")] or found


@dataclass(frozen=True)
class Scope:
    """What one source reads, in memory."""

    vectors: NDArray[np.float32]  # (chunks, dimensions)
    blocks: list[tuple[UUID, int]]
    stems: list[set[str]]

    @classmethod
    def of(cls, source: Any, stems: str = "tsvector_to_array(search)") -> Scope:
        from django.db import connection

        from knowledge.models import PersonalChunk
        from school_library.models import SchoolChunk

        model = PersonalChunk if source.kind.value == "personal" else SchoolChunk
        with connection.cursor() as cursor:
            cursor.execute(
                f"SELECT document_id, block, halfvec_send(embedding), {stems} FROM {model._meta.db_table} "  # noqa: S608
                "WHERE document_id = ANY(%s)",
                [[*source.documents]],
            )
            rows = cursor.fetchall()
        vectors = [np.frombuffer(row[2], ">f2", offset=4) for row in rows]  # after two 16-bit numbers
        blocks = [(row[0], row[1]) for row in rows]
        return cls(np.stack(vectors).astype(np.float32), blocks, [set(row[3]) for row in rows])


def scan(scopes: Sequence[Scope], question: str) -> float:
    """Milliseconds of the nearest few of each scope by their vectors alone, the question being embedded already."""
    from engines.embedding import get_embedder

    vector = get_embedder().embed_query(question)
    started = time.perf_counter()
    for scope in scopes:
        cosines = scope.vectors @ vector
        few = np.argpartition(-cosines, min(TOP, len(cosines) - 1))[:TOP]
        few[np.argsort(-cosines[few])]
    return (time.perf_counter() - started) * 1000


def share_found(source: Any, scope: Scope, question: str) -> float:
    """Share of the best blocks by cosine and coverage that the source returns, in any order; equal scores are equal."""
    from corpus.search.search import COVERAGE
    from corpus.sources import Query
    from engines.embedding import get_embedder

    embedder = get_embedder()
    vector, stems = embedder.embed_query(question), _get_stems(question)
    has = np.array([[stem in chunk for stem in stems] for chunk in scope.stems], dtype=np.float64)
    counts = has.sum(axis=0)
    idf = np.log(1 + (len(has) - counts + 0.5) / (counts + 0.5))
    query = Query(question, vector, embedder)
    asked = (query.scale.factor * vector).astype(np.float16).astype(np.float32)
    scores = scope.vectors @ asked + COVERAGE * (has @ idf) / idf.sum()
    best: dict[tuple[UUID, int], float] = {}
    for block, score in zip(scope.blocks, scores, strict=True):
        best[block] = max(best.get(block, -9.0), float(score))
    last = sorted(best.values(), reverse=True)[:TOP][-1]
    found = source.search(query, TOP)
    right = sum(best[passage.document_id, passage.block] >= last - 1e-5 for passage in found)
    return right / min(TOP, len(best))


def some_chatbots(keys: Sequence[UUID]) -> list[Any]:
    """In the order of their keys, with their schools, as the product reads them for an answer."""
    from chatbots.models import Chatbot

    found = Chatbot.objects.select_related("school").in_bulk(set(keys))
    return [found[key] for key in keys]


def _sources(chatbot: Any) -> list[Any]:
    from chatbots.answering.source_selection import select_sources

    return select_sources(chatbot)


if __name__ == "__main__":
    main()
