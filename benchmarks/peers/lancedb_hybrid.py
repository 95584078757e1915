"""LanceDB in process, on disk: hybrid search with a filter on the tenant.

As its guide to hybrid search has it: full-text index with the defaults (English stems, stop words), results merged by
its default, reciprocal rank fusion; a scalar index on the filtered column, a bitmap because tenants are few. No vector
index, which its documentation finds worth while from some hundred thousand rows; so the vectors' leg is exact.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence

import lancedb
import pyarrow as pa
from lancedb.index import FTS, Bitmap

from benchmarks.peers.measuring import CANDIDATES, Material, Vector, Way, seconds_since, size_of

PACKAGES = ("lancedb",)


def ways(material: Material) -> Iterator[Way]:
    started = time.perf_counter()
    dimensions = material.vectors.shape[1]
    rows = pa.table(
        {
            "id": [passage["id"] for passage in material.passages],
            "tenant": [passage["tenant"] for passage in material.passages],
            "text": material.texts,
            "vector": pa.FixedSizeListArray.from_arrays(pa.array(material.vectors.ravel()), dimensions),
        }
    )
    table = lancedb.connect(material.folder).create_table("passages", rows)
    table.create_index("text", config=FTS())
    table.create_index("tenant", config=Bitmap())
    table.optimize()

    def search(tenant: str, text: str, vector: Vector) -> Sequence[int]:
        query = table.search(query_type="hybrid").vector(vector).text(text).distance_type("cosine")
        query = query.where(f"tenant = '{tenant}'", prefilter=True).select(["id", "text"]).limit(CANDIDATES)
        return [row["id"] for row in query.to_list()]

    yield Way("LanceDB hybrid", search, seconds_since(started), size_of(material.folder))
