"""How many combined searches one web process does in a second, and how long each takes, by how many ask at once.

    python -m benchmarks.concurrency [--clients 1 8 32 100] [--seconds 10] [--data DIR] [--json result.json]

Each client is a thread, as the writer of an answer is, that asks one new question after another of chatbots drawn at
random, through `chatbots.answering.retrieval.retrieve`; "from sources_for on" includes finding out what the chatbot may
read, "search alone" searches with the question embedded beforehand, and SELECT 1 uses the same pool of connections.
Unavailable are sources that did not answer within the setting LECTERN_SEARCH_DEADLINE_MS; there must be none.
"""

from __future__ import annotations

import os
import random
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

import psutil

from benchmarks import ground

CHATBOTS = 500  # drawn at random


@dataclass
class Outcome:
    """Of all clients together."""

    milliseconds: list[float] = field(default_factory=list)
    unavailable: int = 0
    errors: Counter[str] = field(default_factory=Counter)
    seconds: float = 0
    cpu_percent: float = 0  # of this process; PostgreSQL's are its own

    def row(self) -> dict[str, Any]:
        times = ground.percentiles(self.milliseconds) if self.milliseconds else {}
        return {
            "a second": round(len(self.milliseconds) / self.seconds, 1),
            **times,
            "unavailable": self.unavailable,
            "errors": sum(self.errors.values()),
            "CPU %": round(self.cpu_percent),
        }


def main() -> None:
    parser = ground.options(__doc__)
    parser.add_argument("--clients", type=int, nargs="+", default=[1, 8, 32, 100])
    parser.add_argument("--seconds", type=float, default=10, help="for each line of the table")
    parser.add_argument("--chunks", type=int, default=100_000, help="in the database")
    parser.add_argument("--schools", type=int, default=500)
    parser.add_argument(
        "--questions",
        type=int,
        default=1500,
        help='embedded beforehand for "search alone"; no more than the embedder remembers',
    )
    options = parser.parse_args()
    with ground.database(options.data):
        from benchmarks import schools

        schools.grow(options.chunks, options.schools)
        kinds = workloads(options.questions)
        rows: dict[str, dict[str, Any]] = {}
        errors: Counter[str] = Counter()
        for name, work in kinds.items():
            for clients in options.clients:
                outcome = run(work, clients, options.seconds)
                rows[f"{name} × {clients}"] = outcome.row()
                errors += outcome.errors
                print(f"{name} × {clients}: load {os.getloadavg()[0]:.1f}", flush=True)
        print("\n" + ground.table(rows, "what × clients"))
        for message, times in errors.items():
            print(f"\n{times} × {message}")
        chunks = schools.total()
    result = {"chunks": chunks, "rows": rows, "errors": errors, "load": os.getloadavg()}
    ground.write(result, options.json)


def workloads(questions: int) -> dict[str, Callable[[], int]]:
    """What a client does over and over, by name; each returns how many sources were unavailable."""
    from benchmarks import schools
    from benchmarks.search import select_one, some_chatbots
    from chatbots.answering.retrieval import retrieve
    from chatbots.answering.source_selection import sources_for
    from engines.embedding import get_embedder

    rng = random.Random(1)  # noqa: S311
    keys = [*schools.scopes()]
    chatbots = some_chatbots(rng.sample(keys, min(CHATBOTS, len(keys))))
    chosen = [(chatbot, sources_for(chatbot)) for chatbot in chatbots]
    asked = _shared(schools.questions())
    queries = [next(asked) for _ in range(questions)]

    def searching() -> int:
        chatbot, sources = rng.choice(chosen)
        return len(retrieve(next(asked), sources, places=chatbot.places).unavailable)

    def from_the_chatbot() -> int:
        chatbot = rng.choice(chatbots)
        return len(retrieve(next(asked), sources_for(chatbot), places=chatbot.places).unavailable)

    def without_embedding() -> int:
        chatbot, sources = rng.choice(chosen)
        return len(retrieve(rng.choice(queries), sources, places=chatbot.places).unavailable)

    def statement() -> int:
        select_one()
        return 0

    for query in queries:
        get_embedder().embed_query(query)
    return {
        "search alone": without_embedding,  # first, while the embedder remembers its questions
        "retrieve": searching,
        "from sources_for on": from_the_chatbot,
        "SELECT 1": statement,
    }


def run(work: Callable[[], int], clients: int, seconds: float) -> Outcome:
    """Let so many threads do it for some seconds. Errors are counted by their message."""
    outcome, lock = Outcome(), threading.Lock()
    ready = threading.Barrier(clients + 1)
    ends = float("inf")

    def client() -> None:
        took, unavailable, errors = [], 0, Counter[str]()
        ready.wait()
        while (started := time.perf_counter()) < ends:
            try:
                unavailable += work()
                took.append((time.perf_counter() - started) * 1000)
            except Exception as error:
                errors[f"{type(error).__name__}: {error}"] += 1
        with lock:
            outcome.milliseconds += took
            outcome.unavailable += unavailable
            outcome.errors += errors

    threads = [threading.Thread(target=client) for _ in range(clients)]
    for thread in threads:
        thread.start()
    process = psutil.Process()
    process.cpu_percent()
    started = time.perf_counter()
    ends = started + seconds
    ready.wait()
    for thread in threads:
        thread.join()
    outcome.seconds, outcome.cpu_percent = time.perf_counter() - started, process.cpu_percent()
    return outcome


def _shared(asked: Iterator[str]) -> Iterator[str]:
    """The same questions for several threads, each given once."""
    lock = threading.Lock()

    class Shared(Iterator[str]):
        def __next__(self) -> str:
            with lock:
                return next(asked)

    return Shared()


if __name__ == "__main__":
    main()
