"""What every way to search is given and how it is timed, the product's own and the peers'.

Needs no more than NumPy: `python -m benchmarks.peers.measuring ADAPTER FOLDER` runs in the peers' environment.
"""

from __future__ import annotations

import importlib
import json
import sys
import time
import traceback
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

PLACES = 5
TURN_TAKEN = "turn taken"
CANDIDATES = 2 * PLACES  # of each leg of a hybrid search, as in the product's retrieval
Vector = NDArray[np.float32]
Search = Callable[[str, str, Vector], Sequence[int]]
"""A tenant, a question and its unit vector of shape (dimensions,) -> ids of passages, best first."""


@dataclass(frozen=True)
class Material:
    """Everything to search and to ask. Passages are {id, tenant, title, text}, questions {text, tenant, passage}."""

    folder: Path  # of the adapter's own, empty
    database: str  # what follows the driver's name in the address of an empty PostgreSQL database of the adapter's own
    searches: int  # timed in a round
    passages: list[dict[str, Any]]
    vectors: Vector  # (passages, dimensions), unit length
    questions: list[dict[str, Any]]
    question_vectors: Vector  # (questions, dimensions), unit length

    @property
    def texts(self) -> list[str]:
        """The passages with their titles above, so that each full text has the words that the product's has."""
        return [f"{passage['title']}\n{passage['text']}".strip() for passage in self.passages]

    @property
    def tenants(self) -> dict[str, list[int]]:
        """Positions of the passages by tenant."""
        positions: dict[str, list[int]] = {}
        for position, passage in enumerate(self.passages):
            positions.setdefault(passage["tenant"], []).append(position)
        return positions


@dataclass(frozen=True)
class Way:
    """One way to search, built, with what building took."""

    name: str
    search: Search
    build_seconds: float
    disk_bytes: int


@dataclass
class Measured:
    """What one way found and took, with the milliseconds of each search by round."""

    way: Way
    ranks: list[int | None]  # of the right passage among the places, by question
    rounds: list[list[float]] = field(default_factory=list)

    @classmethod
    def warmed_up(cls, way: Way, material: Material) -> Measured:
        """Ask everything once."""
        ranks: list[int | None] = []
        for question, vector in zip(material.questions, material.question_vectors, strict=True):
            found = list(way.search(question["tenant"], question["text"], vector))[:PLACES]
            ranks.append(found.index(question["passage"]) if question["passage"] in found else None)
        return cls(way, ranks)

    def take_turn(self, material: Material) -> None:
        """Another round of searches, one after another, going on in the questions where the last one ended."""
        first, took = len(self.rounds) * material.searches, []
        for number in range(first, first + material.searches):
            question = material.questions[number % len(material.questions)]
            vector = material.question_vectors[number % len(material.questions)]
            started = time.perf_counter()
            self.way.search(question["tenant"], question["text"], vector)
            took.append((time.perf_counter() - started) * 1000)
        self.rounds.append(took)


def seconds_since(started: float) -> float:
    return time.perf_counter() - started


def size_of(folder: Path) -> int:
    """Bytes of all files in a folder."""
    return sum(path.stat().st_size for path in folder.rglob("*") if path.is_file())


def vacuumed(database: str) -> int:
    """Vacuum and analyse all tables, as autovacuum does in time; bytes of the tables and their indexes."""
    import psycopg

    with psycopg.connect(f"postgresql{database}", autocommit=True) as connection:
        connection.execute("VACUUM ANALYZE")
        size = connection.execute("SELECT sum(pg_total_relation_size(relid)) FROM pg_stat_user_tables").fetchone()
    return int(size[0]) if size else 0


def _load(folder: Path, adapter: str) -> Material:
    given = json.loads((folder / "given.json").read_text())
    own = folder / adapter
    own.mkdir()
    return Material(
        folder=own,
        database=given["databases"][adapter],
        searches=given["searches"],
        passages=_rows(folder / "passages.jsonl"),
        vectors=np.load(folder / "passages.npy"),
        questions=_rows(folder / "questions.jsonl"),
        question_vectors=np.load(folder / "questions.npy"),
    )


def _rows(path: Path) -> list[dict[str, Any]]:
    with path.open() as lines:
        return [json.loads(line) for line in lines]


def _main(adapter: str, folder: Path) -> None:
    """Build and warm up an adapter's ways, then measure a round for each line that comes in."""
    module = importlib.import_module(f"benchmarks.peers.{adapter}")
    material = _load(folder, adapter)
    measured: list[Measured] = []
    failure = ""
    try:
        for way in module.ways(material):
            measured.append(Measured.warmed_up(way, material))
    except Exception as error:  # what was built before it is measured all the same
        traceback.print_exc()
        failure = f"{type(error).__name__}: {error}"
    print(TURN_TAKEN, flush=True)
    for _ in sys.stdin:
        for one in measured:
            one.take_turn(material)
        print(TURN_TAKEN, flush=True)
    result = {
        "versions": {name: version(name) for name in module.PACKAGES},
        "failure": failure,
        "measured": [
            {
                "name": one.way.name,
                "build_seconds": one.way.build_seconds,
                "disk_bytes": one.way.disk_bytes,
                "ranks": one.ranks,
                "rounds": one.rounds,
            }
            for one in measured
        ],
    }
    (folder / f"{adapter}.json").write_text(json.dumps(result))


if __name__ == "__main__":
    _main(sys.argv[1], Path(sys.argv[2]))
