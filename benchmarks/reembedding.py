"""What a move to another embedding model costs: its pace, the searches meanwhile, and how long the switch takes.

    python -m benchmarks.reembedding [--chunks 20000] [--seconds 60] [--json result.json]

The packaged model moves from int8 to single precision. A worker's process makes vectors for so many seconds, beside
searches through `chatbots.answering.retrieval.retrieve`; PostgreSQL then copies what is missing from the
vectors in place, so that the switch has all chunks to move, and the process switches, beside searches again.
"""

from __future__ import annotations

import json
import os
import random
import subprocess
import sys
import time
from collections.abc import Iterator
from typing import Any

from benchmarks import ground
from benchmarks.search import some_chatbots

_COPY = """
INSERT INTO corpus_nextvector (school_id, chunks, chunk_id, embedding)
SELECT school_id, %s, id, embedding FROM "{chunks}" ON CONFLICT DO NOTHING
"""


def main() -> None:
    parser = ground.options(__doc__)
    parser.add_argument("--chunks", type=int, default=20_000)
    parser.add_argument("--schools", type=int, default=20)
    parser.add_argument("--seconds", type=float, default=60, help="of making vectors")
    parser.add_argument("--work", type=float, help="work on the move for so many seconds, in this process")
    options = parser.parse_args()
    if options.work is not None:
        print(json.dumps(work(options.work)))
        return
    with ground.database(options.data):
        result = measured(options.chunks, options.schools, options.seconds)
    ground.write(result | {"load": os.getloadavg()}, options.json)


def measured(chunks: int, in_schools: int, seconds: float) -> dict[str, Any]:
    """Grow the database, move it, and print what that took."""
    from config.celery import app

    app.conf.broker_url = "memory://"  # a doorbell that nobody hears
    from benchmarks import schools
    from corpus.embedding import migrate_model, next_vectors
    from corpus.embedding.active_model import ModelSpec, installation
    from corpus.models import Chunk, concrete_models
    from engines.embedding import load_embedder

    schools.grow(chunks, in_schools)
    asked = schools.questions()
    chatbots = some_chatbots(random.Random(1).choices([*schools.scopes()], k=100))  # noqa: S311
    installation()
    searches(chatbots, asked, seconds=3)
    rows = {"before": searches(chatbots, asked, seconds=min(seconds, 20))}
    target = load_embedder("", "onnx")
    migrate_model.begin_move(ModelSpec("", "onnx", target.name))
    rows["while vectors are made"], made = beside(chatbots, asked, seconds)
    next_vectors.clear()
    fill(concrete_models(Chunk))
    rows["through the switch"], switched = beside(chatbots, asked, 0)
    rows["after"] = searches(chatbots, asked, seconds=min(seconds, 20))
    print(ground.table(against(rows), "milliseconds"))
    print(
        f"\n{made['made'] / made['seconds']:.1f} vectors a second beside the searches; "
        f"{schools.total():,} chunks switched in {switched['seconds']:.2f} s. Load {os.getloadavg()[0]:.1f}."
    )
    return {"searches": rows, "made": made, "switched": switched}


def against(rows: dict[str, dict[str, Any]]) -> dict[str, dict[str, Any]]:
    """With each p50 as a multiple of that before."""
    return {name: row | {"p50 to before": f"× {row['p50'] / rows['before']['p50']:.2f}"} for name, row in rows.items()}


def beside(chatbots: list[Any], asked: Iterator[str], seconds: float) -> tuple[dict[str, Any], dict[str, Any]]:
    """Searches while a process works on the move, for so many seconds or to its end; and what that process says."""
    command = [sys.executable, "-m", "benchmarks.reembedding", "--work", str(seconds)]
    process = subprocess.Popen(command, cwd=ground.ROOT, stdout=subprocess.PIPE, text=True)
    found = searches(chatbots, asked, until=process)
    said = process.stdout.read() if process.stdout else ""
    result: dict[str, Any] = json.loads(said.splitlines()[-1])
    return found, result


def searches(
    chatbots: list[Any],
    asked: Iterator[str],
    *,
    seconds: float = 0,
    until: subprocess.Popen[str] | None = None,
) -> dict[str, Any]:
    """Percentiles in milliseconds of searches one after the other, how many, and the longest."""
    from chatbots.answering.retrieval import retrieve
    from chatbots.answering.source_selection import sources_for

    took: list[float] = []
    without, end = 0, time.perf_counter() + seconds
    while time.perf_counter() < end if until is None else until.poll() is None:
        chatbot = chatbots[len(took) % len(chatbots)]
        sources, question = sources_for(chatbot), next(asked)
        started = time.perf_counter()
        found = retrieve(question, sources, places=chatbot.places)
        took.append((time.perf_counter() - started) * 1000)
        without += bool(found.unavailable)
    counts = {"longest": round(max(took)), "searches": len(took), "unavailable": without}
    return ground.percentiles(took) | counts


def work(seconds: float) -> dict[str, Any]:
    """As a worker does: make vectors for so many seconds, or with 0 to the end, which is the switch."""
    import django

    django.setup()
    from corpus.embedding import migrate_model
    from corpus.embedding.active_model import installation
    from engines.embedding import load_embedder

    row = installation()
    load_embedder(row.target_model, row.target_runtime)
    started, before = time.perf_counter(), row.progress_done
    while (step := migrate_model.next_step()) is not None:
        migrate_model.run_step(step)
        if seconds and time.perf_counter() - started > seconds:
            break
    took = time.perf_counter() - started
    return {"seconds": took, "made": installation().progress_done - before}


def fill(kinds: list[Any]) -> None:
    """Copy the vectors in place: how they were made makes no difference to the switch."""
    from django.db import connection

    with connection.cursor() as cursor:
        for chunks in kinds:
            cursor.execute(_COPY.format(chunks=chunks._meta.db_table), [chunks._meta.label])


if __name__ == "__main__":
    main()
