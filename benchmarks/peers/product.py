"""Lectern's own search: a school a tenant, a document an article, a chunk a passage, found by SchoolSource.

Imports models: only to be imported inside `ground.database`. The second row is all that an answer waits for but the
embedding of its question and reading: the school's documents read from the database, the search in its thread, the
places shared. The third one reads the best passages, too.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from functools import partial
from typing import Any

from django.db import connection

from benchmarks.peers.measuring import PLACES, Material, Vector, Way, seconds_since
from chatbots.answering.retrieval import WeightedSource, retrieve
from corpus.ingestion.chunking import Piece
from corpus.ingestion.replace_chunks import chunk_row
from corpus.sources import Query
from engines.embedding import get_embedder
from school_library.models import SchoolChunk, SchoolDocument
from school_library.sources import SchoolSource
from schools.models import School

SLUG = "peers-"


def ways(material: Material) -> Iterator[Way]:
    School.objects.filter(slug__startswith=SLUG).delete()
    started = time.perf_counter()
    schools = {tenant: School.objects.create(name=tenant, slug=SLUG + tenant) for tenant in material.tenants}
    places = _fill(schools, material)
    size, built = _vacuumed(), seconds_since(started)
    embedder = get_embedder()
    sources = {tenant: _source(school) for tenant, school in schools.items()}

    def search(tenant: str, text: str, vector: Vector) -> Sequence[int]:
        found = sources[tenant].search(Query(text, vector, embedder), PLACES)
        return [places[passage.document_id, passage.position] for passage in found]

    yield Way("Lectern, search", search, built, size)

    def whole(tenant: str, text: str, vector: Vector, *, reads: bool = False) -> Sequence[int]:
        found = retrieve(text, [WeightedSource(_source(schools[tenant]), 100)], places=PLACES, reads=reads)
        return [places[placed.passage.document_id, placed.passage.position] for placed in found.placed]

    yield Way("Lectern, documents looked up and places shared", whole, built, size)
    yield Way("Lectern, the best passages read as well", partial(whole, reads=True), built, size)


def _source(school: School) -> SchoolSource:
    return SchoolSource(school, SchoolDocument.objects.for_school(school))


def _fill(schools: dict[str, School], material: Material) -> dict[tuple[Any, int], int]:
    """Store all passages; their ids by document and position."""
    documents: dict[tuple[str, str], SchoolDocument] = {}
    places: dict[tuple[Any, int], int] = {}
    counts: dict[Any, int] = {}
    rows, model = [], get_embedder().name
    for passage, vector in zip(material.passages, material.vectors, strict=True):
        article = passage["tenant"], passage["article"]
        if article not in documents:
            documents[article] = SchoolDocument.objects.create(
                school=schools[passage["tenant"]],
                title=passage["title"][:200],
                answering_version=1,
                status="ready",
            )
        document = documents[article]
        position = counts.get(document.pk, 0)
        counts[document.pk] = position + 1
        places[document.pk, position] = passage["id"]
        rows.append(chunk_row(document, Piece(position, position, (), None, None, passage["text"], 0), vector, model))
    SchoolChunk.objects.bulk_create(rows, batch_size=200)
    return places


def _vacuumed() -> int:
    """Vacuum and analyse as the peers' tables; bytes of the tables that hold this, and of their indexes."""
    tables = [model._meta.db_table for model in (SchoolChunk, SchoolDocument)]
    with connection.cursor() as cursor:
        cursor.execute("VACUUM ANALYZE")
        cursor.execute("SELECT sum(pg_total_relation_size(name::regclass)) FROM unnest(%s::text[]) AS name", [tables])
        (size,) = cursor.fetchone() or (0,)
    return int(size)
