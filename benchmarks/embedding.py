"""How fast the embedder is on each runtime: questions, passages of some 200 tokens, memory and start-up.

    python -m benchmarks.embedding [--json result.json]

Every row is measured in a process of its own, with the model converted beforehand (the seconds of that stand below the
table, measured in a folder of its own). The texts are this project's documents. Start-up is from the start of the
process to its first vector, Django's settings included. A ratio is to the row of PyTorch with as many threads.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import django
import psutil

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")

ROOT = Path(__file__).resolve().parent.parent
RUNTIMES = ["torch", "onnx", "onnx-int8"]
PASSAGE_TOKENS = 200
COLUMNS = {
    "name": "vectors",
    "question_p50_ms": "question p50 ms",
    "question_p95_ms": "p95 ms",
    "questions_per_second": "questions/s",
    "passages_per_second": "passages/s",
    "start_seconds": "start s",
    "memory_mb": "memory MB",
}
# Whether more of it is better, by column.
COMPARED = {"question_p50_ms": False, "passages_per_second": True, "start_seconds": False, "memory_mb": False}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--questions", type=int, default=400)
    parser.add_argument("--passages", type=int, default=100)
    parser.add_argument("--threads", type=int, nargs="+", default=[1, 2])
    parser.add_argument("--runtimes", nargs="+", choices=RUNTIMES, default=RUNTIMES)
    parser.add_argument("--repeats", type=int, default=2, help="processes for each row; the faster one counts")
    parser.add_argument("--json", type=Path, help="where to write the result")
    parser.add_argument("--measure", nargs=2, metavar=("RUNTIME", "THREADS"), help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.measure:
        runtime, threads = options.measure
        print(json.dumps(measure(runtime, int(threads), options.questions, options.passages)))
        return
    django.setup()
    converted, measured = conversion(options.runtimes), rows(options)
    print("\n" + table(measured))
    for precision, seconds in converted.items():
        print(f"\nConversion to {precision}, once in an installation: {seconds:.1f} s")
    if options.json:
        options.json.write_text(json.dumps({"conversion_seconds": converted, "rows": measured}, indent=2))


def conversion(runtimes: list[str]) -> dict[str, float]:
    """Convert into an empty folder and time it; then into the one of LECTERN_DATA, which the rows use."""
    from django.conf import settings

    from engines.embedding.export import converted_model

    seconds = {}
    for runtime in runtimes:
        if runtime != "torch":
            precision = "int8" if runtime == "onnx-int8" else "fp32"
            print(f"converting to {precision} …", file=sys.stderr, flush=True)
            with tempfile.TemporaryDirectory() as folder:
                started = time.perf_counter()
                converted_model(settings.LECTERN_EMBEDDING_MODEL, precision, Path(folder))
                seconds[precision] = time.perf_counter() - started
            converted_model(settings.LECTERN_EMBEDDING_MODEL, precision, settings.LECTERN_MODELS)
    return seconds


def rows(options: argparse.Namespace) -> list[dict[str, Any]]:
    """Measure every runtime with every number of threads; of the repeats keep the one with the fastest question."""
    found = []
    for threads in options.threads:
        for runtime in options.runtimes:
            print(f"{runtime}, threads: {threads} …", file=sys.stderr, flush=True)
            runs = [_in_own_process(runtime, threads, options) for _ in range(options.repeats)]
            found.append(min(runs, key=lambda run: float(run["question_p50_ms"])))
    return found


def _in_own_process(runtime: str, threads: int, options: argparse.Namespace) -> dict[str, Any]:
    command = [sys.executable, "-m", "benchmarks.embedding", "--measure", runtime, str(threads)]
    counts = ["--questions", str(options.questions), "--passages", str(options.passages)]
    environment = {**os.environ, "OMP_NUM_THREADS": str(threads), "LECTERN_LOG_LEVEL": "WARNING"}
    done = subprocess.run(command + counts, cwd=ROOT, env=environment, stdout=subprocess.PIPE, text=True, check=True)
    row: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return row


def measure(runtime: str, threads: int, questions: int, passages: int) -> dict[str, Any]:
    """Measure in this process, which has to be a new one."""
    django.setup()
    from django.conf import settings

    from engines.embedding.runtime import create_embedder

    process = psutil.Process()
    embedder = create_embedder(settings.LECTERN_EMBEDDING_MODEL, runtime, threads)
    embedder.embed_query("first")
    start_seconds = time.time() - process.create_time()
    asked = list(some_questions(questions))
    cut = some_passages(passages, embedder.count_tokens)
    took = []
    for text in asked:
        started = time.perf_counter()
        embedder.embed_query(text)
        took.append((time.perf_counter() - started) * 1000)
    started = time.perf_counter()
    embedder.embed_passages(cut)
    passage_seconds = time.perf_counter() - started
    return {
        "runtime": runtime,
        "threads": threads,
        "name": embedder.name,
        "question_p50_ms": statistics.median(took),
        "question_p95_ms": statistics.quantiles(took, n=20)[-1],
        "questions_per_second": 1000 * len(took) / sum(took),
        "passages_per_second": len(cut) / passage_seconds,
        "passage_tokens": statistics.mean(embedder.count_tokens(text) for text in cut),
        "start_seconds": start_seconds,
        "memory_mb": process.memory_info().rss / 1e6,
    }


def words() -> list[str]:
    """All words of the project's documents."""
    documents = [ROOT / "CONTEXT.md", *sorted(ROOT.glob("docs/**/*.md"))]
    return [word for path in documents for word in re.findall(r"[A-Za-z’]+", path.read_text(encoding="utf-8"))]


def some_questions(count: int) -> Iterator[str]:
    """Give different questions of 8 to 15 words, the lengths of people's questions."""
    text = words()
    for number in range(count):
        start = number * 7 % (len(text) - 15)
        yield f"How does {' '.join(text[start : start + 6 + number % 8])}?"


def some_passages(count: int, count_tokens: Any) -> list[str]:
    """Give passages of some 200 tokens each, cut where the words reach them."""
    text, start = words(), 0
    passages: list[str] = []
    while len(passages) < count:
        end = start + PASSAGE_TOKENS // 2
        while count_tokens(" ".join(text[start:end])) < PASSAGE_TOKENS and end < len(text):
            end += 5
        passages.append(" ".join(text[start:end]))
        start = end if end + PASSAGE_TOKENS < len(text) else len(passages)
    return passages


def table(measured: list[dict[str, Any]]) -> str:
    """Return the rows as Markdown, with ratios to PyTorch's row of as many threads in brackets."""
    bases = {row["threads"]: row for row in measured if row["runtime"] == "torch"}
    lines = [
        "| runtime | threads | " + " | ".join(COLUMNS.values()) + " |",
        "| --- | --- |" + " --- |" * len(COLUMNS),
    ]
    for row in measured:
        cells = [_cell(key, row, bases.get(row["threads"])) for key in COLUMNS]
        lines.append(f"| {row['runtime']} | {row['threads']} | " + " | ".join(cells) + " |")
    return "\n".join(lines)


def _cell(key: str, row: dict[str, Any], base: dict[str, Any] | None) -> str:
    value = row[key]
    if isinstance(value, str):
        return value.rpartition("/")[2]
    text = f"{value:.0f}" if value >= 100 else f"{value:.1f}"
    if key not in COMPARED or base is None or base is row:
        return text
    ratio = value / base[key] if COMPARED[key] else base[key] / value
    return f"{text} (×{ratio:.1f})"


if __name__ == "__main__":
    main()
