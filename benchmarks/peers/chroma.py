"""Chroma in process, on disk: one collection with a filter on the tenant, and a collection for each tenant.

Those are the two of its cookbook's ways to keep tenants apart that one database allows. Its open-source search is by
vector alone (full text only filters), so there is no hybrid row. HNSW with its defaults, for the cosine.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from typing import Any

import chromadb
from chromadb.config import Settings

from benchmarks.peers.measuring import PLACES, Material, Vector, Way, seconds_since, size_of

PACKAGES = ("chromadb",)


def ways(material: Material) -> Iterator[Way]:
    started = time.perf_counter()
    one = _client(material, "filter").create_collection("passages", configuration=_COSINE)
    _fill(one, material, range(len(material.passages)))

    def filtered(tenant: str, text: str, vector: Vector) -> Sequence[int]:
        return _ids(one.query(query_embeddings=[vector], n_results=PLACES, where={"tenant": tenant}, include=_PARTS))

    yield Way("Chroma, filter", filtered, seconds_since(started), size_of(material.folder / "filter"))

    started = time.perf_counter()
    client = _client(material, "collections")
    own = {}
    for name, positions in material.tenants.items():
        own[name] = client.create_collection(name, configuration=_COSINE)
        _fill(own[name], material, positions)

    def apart(tenant: str, text: str, vector: Vector) -> Sequence[int]:
        return _ids(own[tenant].query(query_embeddings=[vector], n_results=PLACES, include=_PARTS))

    size = size_of(material.folder / "collections")
    yield Way("Chroma, a collection a tenant", apart, seconds_since(started), size)


_COSINE: Any = {"hnsw": {"space": "cosine"}}
_PARTS: Any = ["documents"]


def _client(material: Material, name: str) -> Any:
    settings = Settings(anonymized_telemetry=False)
    return chromadb.PersistentClient(path=str(material.folder / name), settings=settings)


def _fill(collection: Any, material: Material, positions: Sequence[int]) -> None:
    texts = material.texts
    for start in range(0, len(positions), 1000):
        batch = list(positions[start : start + 1000])
        collection.add(
            ids=[str(material.passages[n]["id"]) for n in batch],
            embeddings=material.vectors[batch],
            documents=[texts[n] for n in batch],
            metadatas=[{"tenant": material.passages[n]["tenant"]} for n in batch],
        )


def _ids(found: Any) -> list[int]:
    return [int(key) for key in found["ids"][0]]
