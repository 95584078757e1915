"""Lectern's own search beside what people would pick instead, on the same passages, vectors and questions.

    python -m benchmarks.peers [CORPUS] [--distractors] [--questions 500] [--tenants 40] [--json FILE]

CORPUS is a directory as in `python -m benchmarks.quality --help`. Its articles are dealt out to tenants, and every
search is limited to the tenant of the question's article. Five places, one client. After a search of every question to
warm up, all take turns in rounds of a few searches, and the quieter half of the rounds counts, the same for all, since
other work on the machine costs those more that talk to a server. Embedding is left out: all get the vectors of
Lectern's packaged model. Each peer is set up as its documentation recommends for hybrid search with a filter (see the
first lines of each file in benchmarks/peers), with titles in its full text as in the product's. All that need
PostgreSQL share one embedded server, in databases of their own. The product's second and third row may have fewer
places than five: a passage below its threshold of relevance gets none. The third one reads the passages as well.

The peers live in a virtual environment of their own (--environment, some 1.1 GB), made by the first run, so that they
never become dependencies. Vectors are kept there, too. What cannot be installed or fails is named in the table.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import platform
import random
import statistics
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any
from urllib.parse import quote

import numpy as np

from benchmarks import ground
from benchmarks.peers.comparison import compare, deal
from benchmarks.peers.environment import PEERS, Peer, peers_python
from benchmarks.peers.measuring import Material, Measured, Vector

MOST_QUESTIONS = 2000  # the product's embedder keeps 2,048 vectors, so that its retrieval embeds nothing anew


def main() -> None:
    parser = ground.options(__doc__)
    parser.add_argument("corpus", nargs="?", type=Path, default=ground.ROOT / "benchmarks" / "corpus")
    parser.add_argument("--distractors", action="store_true", help="search among more passages")
    parser.add_argument("--questions", type=int, default=500, help=f"so many, {MOST_QUESTIONS} at most")
    parser.add_argument("--tenants", type=int, default=40, help="so many, half the number of articles at most")
    parser.add_argument("--searches", type=int, default=100, help="in a round")
    parser.add_argument("--rounds", type=int, default=10)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--environment", type=Path, default=ground.ROOT / "var" / "peers")
    parser.add_argument("--peers", nargs="*", choices=PEERS, default=PEERS)
    options = parser.parse_args()
    passages, questions = chosen(options)
    options.environment.mkdir(parents=True, exist_ok=True)
    python, missing = peers_python(options.environment)
    with ground.database(options.data), tempfile.TemporaryDirectory() as folder:
        material = Material(
            folder=Path(folder),
            database="",
            searches=options.searches,
            passages=passages,
            vectors=embedded([p["text"] for p in passages], options.environment, questions=False),
            questions=questions,
            question_vectors=embedded([q["text"] for q in questions], options.environment, questions=True),
        )
        from benchmarks.peers import product

        measured = [Measured.warmed_up(way, material) for way in product.ways(material)]
        hand_over(material, options.peers)
        peers = [Peer(python, name, material.folder) for name in options.peers]
        loads = []
        for _ in ground.progress(range(options.rounds), "rounds"):
            for one in measured:
                one.take_turn(material)
            for peer in peers:
                peer.take_turn()
            loads.append(os.getloadavg()[0])
        versions: dict[str, str] = {}
        failures: dict[str, str] = {}
        for peer in peers:
            found, using, failure = peer.finish()
            measured += found
            versions |= using
            if failure:
                failures[peer.name] = failure
        about = {
            "passages": len(passages),
            "tenants": len(material.tenants),
            "questions": len(questions),
            "searches a round": options.searches,
            "load average by round": loads,
            "processors": os.cpu_count(),
            "versions": {"Python": platform.python_version(), "PostgreSQL": postgres_version(), **versions},
            "not installed": missing,
        }
    rows = compare(measured, failures)
    show(rows, about)
    medians = {one.way.name: [statistics.median(took) for took in one.rounds] for one in measured}
    all_rounds = {one.way.name: [each for took in one.rounds for each in took] for one in measured}
    tenths = {name: statistics.quantiles(took, n=10)[0] for name, took in all_rounds.items()}
    figures = {**about, "rows": rows, "p50 ms by round": medians, "p10 ms of all rounds": tenths}
    ground.write(figures, options.json)


def chosen(options: argparse.Namespace) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
    """All passages with their tenants, and the questions to ask with the tenant of their passage."""
    passages = ground.read(options.corpus, "passages")
    if options.distractors:
        passages += ground.read(options.corpus, "distractors")
    rng = random.Random(options.seed)  # noqa: S311
    passages = deal(passages, options.tenants, rng)
    tenants = {passage["id"]: passage["tenant"] for passage in passages}
    answerable = [q for q in ground.read(options.corpus, "questions") if q["answerable"]]
    asked = rng.sample(answerable, min(options.questions, MOST_QUESTIONS, len(answerable)))
    return passages, [{"text": q["question"], "passage": q["passage"], "tenant": tenants[q["passage"]]} for q in asked]


def embedded(texts: Sequence[str], environment: Path, *, questions: bool) -> Vector:
    """Unit vectors of shape (texts, dimensions) by the product's embedder, kept for the next run."""
    from engines.embedding import get_embedder

    embedder = get_embedder()
    key = json.dumps([embedder.name, questions, *texts])
    kept = environment / "vectors" / f"{hashlib.sha256(key.encode()).hexdigest()}.npy"
    if not kept.exists():
        kept.parent.mkdir(exist_ok=True)
        if questions:
            vectors = [embedder.embed_query(text) for text in texts]
        else:
            starts = ground.progress(range(0, len(texts), 32), "embedding batches")
            vectors = [row for start in starts for row in embedder.embed_passages(texts[start : start + 32])]
        np.save(kept, np.array(vectors, dtype=np.float32))
    loaded: Vector = np.load(kept)
    return loaded


def hand_over(material: Material, peers: Sequence[str]) -> None:
    """Write what the peers' processes read, and make each of them an empty database."""
    from django.db import connection

    access = connection.settings_dict
    databases = {}
    with connection.cursor() as cursor:
        for peer in peers:
            cursor.execute(f'DROP DATABASE IF EXISTS "{peer}"')
            cursor.execute(f'CREATE DATABASE "{peer}"')
            databases[peer] = f"://{access['USER']}@/{peer}?host={quote(access['HOST'], safe='')}"
    given = {"databases": databases, "searches": material.searches}
    (material.folder / "given.json").write_text(json.dumps(given))
    for name, rows in (("passages", material.passages), ("questions", material.questions)):
        (material.folder / f"{name}.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    np.save(material.folder / "passages.npy", material.vectors)
    np.save(material.folder / "questions.npy", material.question_vectors)


def postgres_version() -> str:
    from django.db import connection

    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT current_setting('server_version') || ', pgvector ' || extversion"
            " FROM pg_extension WHERE extname = 'vector'"
        )
        return str((cursor.fetchone() or [""])[0])


def show(rows: dict[str, dict[str, str]], about: dict[str, Any]) -> None:
    loads = about["load average by round"]
    print(
        f"\n{about['passages']:,} passages, {about['tenants']} tenants, {about['questions']:,} questions;",
        end=" ",
    )
    print(f"{len(loads)} rounds of {about['searches a round']} searches,", end=" ")
    print(f"load {min(loads):.1f} to {max(loads):.1f} on {about['processors']} processors.")
    print("In brackets the ratio to the first row.\n\n" + ground.table(rows, "search"))
    for name, reason in about["not installed"].items():
        print(f"\n{name} could not be installed: {reason}")
    print("\n" + ", ".join(f"{name} {version}" for name, version in about["versions"].items()))


if __name__ == "__main__":
    main()
