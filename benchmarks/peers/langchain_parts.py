"""What both of LangChain's PostgreSQL stores are measured with: alone, and in an ensemble with BM25.

Ensemble: its class for hybrid retrieval, weights of one half each, reciprocal rank fusion. BM25 for each tenant is
held in memory, built beforehand and not counted; it takes words in lower case, where its default only splits at
spaces.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import Any
from uuid import NAMESPACE_OID, uuid5

from langchain_classic.retrievers import EnsembleRetriever
from langchain_community.retrievers import BM25Retriever

from benchmarks.peers.measuring import CANDIDATES, PLACES, Material, Search, Vector


class Given:
    """LangChain's protocol of an embedder over vectors made beforehand."""

    def __init__(self, material: Material) -> None:
        texts = [question["text"] for question in material.questions]
        self.vectors = dict(zip(texts, material.question_vectors.tolist(), strict=True))

    def embed_query(self, text: str) -> list[float]:
        vector: list[float] = self.vectors[text]
        return vector

    async def aembed_query(self, text: str) -> list[float]:
        return self.embed_query(text)


def fill(store: Any, material: Material) -> None:
    store.add_embeddings(
        material.texts,
        material.vectors.tolist(),
        metadatas=[{"id": passage["id"], "tenant": passage["tenant"]} for passage in material.passages],
        ids=[str(uuid5(NAMESPACE_OID, str(passage["id"]))) for passage in material.passages],
    )


def alone(store: Any, **more: Callable[[], Any]) -> Search:
    """The store's own search, with arguments made anew for each."""

    def search(tenant: str, text: str, vector: Vector) -> Sequence[int]:
        made = {name: make() for name, make in more.items()}
        return _ids(store.similarity_search(text, k=PLACES, filter={"tenant": tenant}, **made))

    return search


def ensemble(store: Any, keyword: dict[str, Any]) -> Search:
    ensembles = {}
    for tenant, bm25 in keyword.items():
        nearest = store.as_retriever(search_kwargs={"k": CANDIDATES, "filter": {"tenant": tenant}})
        ensembles[tenant] = EnsembleRetriever(retrievers=[bm25, nearest], weights=[0.5, 0.5], id_key="id")
    return lambda tenant, text, vector: _ids(ensembles[tenant].invoke(text))


def keyword_search(material: Material) -> dict[str, Any]:
    """BM25 by tenant."""
    texts, found = material.texts, {}
    for tenant, positions in material.tenants.items():
        found[tenant] = BM25Retriever.from_texts(
            [texts[n] for n in positions],
            metadatas=[{"id": material.passages[n]["id"], "tenant": tenant} for n in positions],
            preprocess_func=lambda text: re.findall(r"\w+", text.lower()),
            k=CANDIDATES,
        )
    return found


def _ids(documents: Any) -> list[int]:
    return [document.metadata["id"] for document in documents]
