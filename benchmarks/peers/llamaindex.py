"""LlamaIndex on PostgreSQL: its store's hybrid search, and both legs merged by QueryFusionRetriever.

The notebook of its Postgres store recommends the second for better hybrid search; arguments are the notebook's. The
store's own hybrid lists the nearest by vector and then what full text adds, unranked: three and two fill the places.
JSONB metadata with an index on the tenant (`indexed_metadata_keys`) and the store's GIN index on the text. No HNSW:
with it the store forbids bitmap scans, and a filter on one tenant in forty leaves of its candidates one or two.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from typing import Any

from llama_index.core import MockEmbedding, VectorStoreIndex
from llama_index.core.llms import MockLLM
from llama_index.core.retrievers import QueryFusionRetriever
from llama_index.core.schema import QueryBundle, TextNode
from llama_index.core.vector_stores import MetadataFilter, MetadataFilters, VectorStoreQuery
from llama_index.core.vector_stores.types import VectorStoreQueryMode
from llama_index.vector_stores.postgres import PGVectorStore

from benchmarks.peers.measuring import CANDIDATES, PLACES, Material, Vector, Way, seconds_since, vacuumed

PACKAGES = ("llama-index-core", "llama-index-vector-stores-postgres")


def ways(material: Material) -> Iterator[Way]:
    started = time.perf_counter()
    store: Any = PGVectorStore.from_params(
        connection_string=f"postgresql+psycopg2{material.database}",
        async_connection_string=f"postgresql+asyncpg{material.database}",
        table_name="passages",
        embed_dim=material.vectors.shape[1],
        hybrid_search=True,
        text_search_config="english",
        use_jsonb=True,
        indexed_metadata_keys={("tenant", "text")},
    )
    rows = zip(material.passages, material.texts, material.vectors.tolist(), strict=True)
    store.add(
        [
            TextNode(id_=str(passage["id"]), text=text, embedding=vector, metadata={"tenant": passage["tenant"]})
            for passage, text, vector in rows
        ]
    )
    size = vacuumed(material.database)
    built = seconds_since(started)

    def hybrid(tenant: str, text: str, vector: Vector) -> Sequence[int]:
        query = VectorStoreQuery(
            query_embedding=vector.tolist(),
            query_str=text,
            similarity_top_k=PLACES - PLACES // 2,
            sparse_top_k=PLACES // 2,
            mode=VectorStoreQueryMode.HYBRID,
            filters=_only(tenant),
        )
        return [int(node.node_id) for node in store.query(query).nodes]

    yield Way("LlamaIndex Postgres hybrid", hybrid, built, size)

    model = MockEmbedding(embed_dim=material.vectors.shape[1])  # never asked: the vector comes with the question
    index = VectorStoreIndex.from_vector_store(store, embed_model=model)
    fused = {tenant: _fusion(index, tenant) for tenant in material.tenants}

    def merged(tenant: str, text: str, vector: Vector) -> Sequence[int]:
        found = fused[tenant].retrieve(QueryBundle(text, embedding=vector.tolist()))
        return [int(scored.node.node_id) for scored in found]

    yield Way("LlamaIndex Postgres, QueryFusionRetriever", merged, built, size)


def _only(tenant: str) -> Any:
    return MetadataFilters(filters=[MetadataFilter(key="tenant", value=tenant)])


def _fusion(index: Any, tenant: str) -> Any:
    legs = [
        index.as_retriever(vector_store_query_mode=mode, similarity_top_k=CANDIDATES, filters=_only(tenant))
        for mode in ("default", "sparse")
    ]
    return QueryFusionRetriever(
        legs, llm=MockLLM(), mode="relative_score", similarity_top_k=PLACES, num_queries=1, use_async=False
    )
