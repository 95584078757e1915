"""LangChain on PostgreSQL: PGVectorStore alone, its own hybrid, with BM25 in an ensemble; and the older PGVector.

PGVectorStore, which its documentation recommends, with the tenant in a column of its own under a B-tree and no HNSW:
for a filter that leaves one row in forty, pgvector's README recommends an index on the filter and exact search. Its
own hybrid has the GIN index of its how-to and reciprocal rank fusion; full text has to have all of a question's words.
Its configuration is made anew for each search, because the store would keep the first question's text in it.
PGVector has the table and the index on metadata that it creates.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from typing import Any

import psycopg
from langchain_postgres import Column, PGEngine, PGVector, PGVectorStore
from langchain_postgres.v2.hybrid_search_config import HybridSearchConfig, reciprocal_rank_fusion

from benchmarks.peers.langchain_parts import Given, alone, ensemble, fill, keyword_search
from benchmarks.peers.measuring import CANDIDATES, Material, Way, seconds_since, vacuumed

PACKAGES = ("langchain-postgres", "langchain-community", "langchain-classic", "rank-bm25")


def ways(material: Material) -> Iterator[Way]:
    given: Any = Given(material)
    dimensions = material.vectors.shape[1]
    keyword = keyword_search(material)

    started = time.perf_counter()
    engine = PGEngine.from_connection_string(f"postgresql+asyncpg{material.database}")
    columns = [Column("id", "INTEGER"), Column("tenant", "TEXT")]
    engine.init_vectorstore_table("passages", dimensions, metadata_columns=columns, hybrid_search_config=_hybrid())
    named = {"table_name": "passages", "metadata_columns": ["id", "tenant"]}
    store = PGVectorStore.create_sync(engine, given, **named, hybrid_search_config=_hybrid())
    fill(store, material)
    store.apply_hybrid_search_index()
    with psycopg.connect(f"postgresql{material.database}") as connection:
        connection.execute("CREATE INDEX ON passages (tenant)")
    size = vacuumed(material.database)
    built = seconds_since(started)
    store = PGVectorStore.create_sync(engine, given, **named)
    yield Way("LangChain PGVectorStore", alone(store), built, size)
    yield Way("LangChain PGVectorStore, own hybrid", alone(store, hybrid_search_config=_hybrid), built, size)
    yield Way("LangChain PGVectorStore + BM25", ensemble(store, keyword), built, size)

    started = time.perf_counter()
    address = f"postgresql+psycopg{material.database}"
    older = PGVector(given, connection=address, embedding_length=dimensions)
    fill(older, material)
    size, built = vacuumed(material.database) - size, seconds_since(started)
    yield Way("LangChain PGVector", alone(older), built, size)
    yield Way("LangChain PGVector + BM25", ensemble(older, keyword), built, size)


def _hybrid() -> Any:
    return HybridSearchConfig(
        tsv_column="content_tsv",
        fusion_function=reciprocal_rank_fusion,
        primary_top_k=CANDIDATES,
        secondary_top_k=CANDIDATES,
    )
