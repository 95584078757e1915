"""Indexing with all cores: how much faster, and what questions beside it feel of it.

    python -m benchmarks.indexing_beside [FOLDER] [--questions 60] [--rounds 3] [--data DIR] [--json result.json]

FOLDER has Markdown files, each a document; without it a text of 100 pages is indexed. It is indexed alone by one thread
and by as many as there are cores, in turn. Then questions are asked through the API, one after another, half of each
round beside indexing with all cores at the worker's priority. The bars: at most 0.6 of the time of one thread, and p95
of questions at most 1.5 times that without indexing.
"""

from __future__ import annotations

import asyncio
import os
import statistics
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from benchmarks import ground
from benchmarks.indexing import upload
from benchmarks.question import by_api, tokens, web
from benchmarks.streams import Asked, broker, prepare

THREADS = min(os.cpu_count() or 1, 4)


def main() -> None:
    parser = ground.options(__doc__)
    parser.add_argument("folder", type=Path, nargs="?", help="Markdown files to index")
    parser.add_argument("--questions", type=int, default=60)
    parser.add_argument("--rounds", type=int, default=3)
    options = parser.parse_args()
    texts = texts_of(options.folder)
    seconds: dict[int, list[float]] = {1: [], THREADS: []}
    alone: list[float] = []
    beside: list[float] = []
    with ground.database(options.data), broker():
        asked = iter(prepare(5, 2 * options.questions + 5))
        for number in range(options.rounds):
            for threads, taken in seconds.items():
                add(texts, f"{number} {threads}")
                began = time.monotonic()
                index(threads).wait()
                taken.append(time.monotonic() - began)
        mine = list(asked)
        secrets = tokens(mine)
        with web(None) as port:
            for one in mine[:5]:
                asyncio.run(by_api(port, one, secrets[one.session]))
            each = options.questions // options.rounds
            rest = iter(mine[5:])
            for number in range(options.rounds):
                alone += ask([next(rest) for _ in range(each)], port, secrets)
                add(texts, f"beside {number}")
                worker = index(THREADS)
                time.sleep(5)  # it has loaded its model
                beside += ask([next(rest) for _ in range(each)], port, secrets, until=worker)
                worker.wait()
    result = {
        "one thread, s": round(statistics.median(seconds[1]), 1),
        f"{THREADS} threads, s": round(statistics.median(seconds[THREADS]), 1),
        "ratio": round(statistics.median(seconds[THREADS]) / statistics.median(seconds[1]), 2),
    }
    rows = {"alone": ground.percentiles(alone), "beside indexing": ground.percentiles(beside)}
    result["questions, p50 ratio"] = round(rows["beside indexing"]["p50"] / rows["alone"]["p50"], 2)
    result["questions, p95 ratio"] = round(rows["beside indexing"]["p95"] / rows["alone"]["p95"], 2)
    result["questions beside"] = len(beside)
    print(ground.table(rows, "milliseconds of a question"))
    print("\n" + ground.table({"indexing": result}))
    ground.write({**result, **rows}, options.json)


def texts_of(folder: Path | None) -> list[bytes]:
    if folder:
        return [file.read_bytes() for file in sorted(folder.glob("*.md")) if file.name != "README.md"]
    from benchmarks.manuscripts import FORMATS, manuscript

    _, write = FORMATS["Markdown"]
    return [write(manuscript(100))]


def add(texts: Sequence[bytes], mark: str) -> None:
    """Let these texts wait to be indexed, as documents with new words, so that nothing is known."""
    for number, text in enumerate(texts):
        words = text.decode().replace(". ", f". In {mark} it is said: ")
        upload(f"{mark} {number}.md", words.encode())


def index(threads: int) -> subprocess.Popen[bytes]:
    """A process that indexes what waits, at the priority of the worker."""
    from operations.supervisor import WORKER_NICENESS

    command = ["nice", "-n", str(WORKER_NICENESS), sys.executable, "-m", "benchmarks.indexing", "--measure"]
    environment = {**os.environ, "LECTERN_INDEXING_THREADS": str(threads)}
    return subprocess.Popen(command, cwd=ground.ROOT, env=environment, stdout=subprocess.DEVNULL)


def ask(
    asked: list[Asked], port: int, secrets: dict[str, str], until: subprocess.Popen[Any] | None = None
) -> list[float]:
    """Milliseconds of each question, with a pause after it; those asked when `until` had ended are left out."""
    taken = []
    for one in asked:
        began = time.monotonic()
        asyncio.run(by_api(port, one, secrets[one.session]))
        if until is None or until.poll() is None:
            taken.append((time.monotonic() - began) * 1000)
        time.sleep(0.2)
    return taken


if __name__ == "__main__":
    main()
