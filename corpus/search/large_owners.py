"""Partial indexes for the chunks of an owner that has very many.

An exact search takes some µs for each chunk of its scope. Of a large scope only candidates are scored: the nearest
ones by an HNSW index of this owner's vectors, and those with the rarest stems of the question by a GIN index. Nobody
else's rows are in these indexes, so no filter empties the result. A worker makes and drops them at night.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Generator
from hashlib import sha256
from typing import Any
from uuid import UUID

from django.db import connection, models
from django.db.models import Count, Func, Max

from corpus.advisory_lock import advisory_lock
from corpus.models import Chunk, concrete_models
from corpus.search.steps import SqlStatement

logger = logging.getLogger(__name__)

MIN_CHUNKS = 20_000
"""Chunks of one owner from which on it has indexes of its own, and of a scope from which on they are used."""

MAX_DIMENSIONS = 4000
"""Of vectors that pgvector has in an index."""

_LOCK = 0x6C61726765  # "large"
_KEPT = 60.0  # seconds for which a process keeps what it knows of the indexes
_INDEXES = r"""SELECT relname AS name, indisvalid AS is_valid FROM pg_class JOIN pg_index ON indexrelid = pg_class.oid
WHERE relname LIKE 'large\_%'"""

_DIMENSIONS = Func("embedding", function="vector_dims", output_field=models.IntegerField())

_known: tuple[frozenset[str], float] = (frozenset(), 0.0)


def build_condition(school: UUID, model: str) -> str:
    """What holds of the chunks of an owner in SQL. It is written into index and statement: a parameter would not do."""
    return f"school_id = '{school}'::uuid AND embedding_model = '{model.replace(chr(39), chr(39) * 2)}'"


def has_indexes(chunks: type[models.Model], school: UUID, model: str) -> Generator[SqlStatement, list[Any], bool]:
    """Whether this owner has indexes of its own, as a step of a search."""
    global _known
    names, until = _known
    if time.monotonic() > until:
        names = frozenset(row.name for row in (yield SqlStatement(_INDEXES, [])) if row.is_valid)
        _known = names, time.monotonic() + _KEPT
    name = _prefix(chunks, school, model)
    return names.issuperset([f"{name}_vectors", f"{name}_stems"])


def forget_indexes() -> None:
    """Look them up again at the next search."""
    global _known
    _known = frozenset(), 0.0


def update_indexes() -> None:
    """Make the indexes of owners that have become large, drop those of owners that are so no more.

    Searches go on meanwhile. Must not be called in a transaction.
    """
    with advisory_lock(_LOCK) as is_held, connection.cursor() as cursor:
        if not is_held:
            return
        wanted = _find_wanted()
        cursor.execute(_INDEXES)
        is_valid = dict(cursor.fetchall())
        for name in is_valid.keys() - {name for name in wanted if is_valid.get(name)}:
            cursor.execute(f'DROP INDEX CONCURRENTLY IF EXISTS "{name}"')
            is_valid[name] = False
        cursor.execute("SET maintenance_work_mem = '512MB'")  # the graph of some hundred thousand vectors
        try:
            for name, statement in wanted.items():
                if not is_valid.get(name):
                    logger.info("Making the index %s", name)
                    cursor.execute(statement)
        finally:
            cursor.execute("RESET maintenance_work_mem")
    forget_indexes()


def _find_wanted() -> dict[str, str]:
    """The statements of all indexes that there should be, by name."""
    wanted = {}
    for chunks in concrete_models(Chunk):
        table = chunks._meta.db_table
        owners = chunks._base_manager.order_by().values_list("school", "embedding_model").alias(size=Count("pk"))
        large = owners.filter(size__gte=MIN_CHUNKS).annotate(dimensions=Max(_DIMENSIONS))
        for school, model, dimensions in large.filter(dimensions__lte=MAX_DIMENSIONS):
            name, condition = _prefix(chunks, school, model), build_condition(school, model)
            wanted[f"{name}_vectors"] = (
                f'CREATE INDEX CONCURRENTLY "{name}_vectors" ON "{table}" '
                f"USING hnsw ((embedding::halfvec({dimensions})) halfvec_ip_ops) WHERE {condition}"
            )
            wanted[f"{name}_stems"] = (
                f'CREATE INDEX CONCURRENTLY "{name}_stems" ON "{table}" USING gin (search) WHERE {condition}'
            )
    return wanted


def _prefix(chunks: type[models.Model], school: UUID, model: str) -> str:
    return "large_" + sha256(f"{chunks._meta.db_table} {school} {model}".encode()).hexdigest()[:32]
