"""What every benchmark stands on: its options, a database of its own, progress, tables and results.

`python -m benchmarks.NAME --help` says what each of them measures. Each works on an embedded PostgreSQL of its own, in
a temporary directory unless --data names one to keep, so that no installation is touched.
"""

from __future__ import annotations

import argparse
import gzip
import json
import os
import shutil
import statistics
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, TypeVar

T = TypeVar("T")
ROOT = Path(__file__).resolve().parent.parent

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
os.environ.setdefault("LECTERN_MODELS", str(ROOT / "var" / "models"))


def options(description: str | None) -> argparse.ArgumentParser:
    """A parser with the options that all benchmarks share: --data and --json."""
    parser = argparse.ArgumentParser(description=description, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, help="keep the database here, and find it here the next time")
    parser.add_argument("--json", type=Path, help="write the result here as well")
    return parser


@contextmanager
def database(data: Path | None) -> Iterator[None]:
    """Django set up on a migrated database of the benchmark's own, which runs as long as the context lasts.

    Must be entered before anything of Django is imported: settings are read once.
    """
    from operations import embedded, postgres

    directory = (data or Path(tempfile.mkdtemp(prefix="lectern-benchmark-"))).resolve()
    directory.mkdir(parents=True, exist_ok=True)
    if data is None:
        directory.chmod(0o711)  # PostgreSQL's user passes through
    os.environ["LECTERN_DATA"] = str(directory)
    os.environ.pop("DATABASE_URL", None)
    embedded.make_socket_directory(directory)
    cluster, log = postgres.find_cluster(directory), directory / "postgres.log"
    postgres.initialise(cluster, log)
    postgres.stop_leftover_postgres(cluster)
    server = postgres.make_postgres(cluster, log)
    server.start()
    try:
        while not postgres.accepts_connections(cluster):
            if not server.running():
                sys.exit(f"PostgreSQL did not start; its log is {log}.")
            time.sleep(0.05)
        postgres.create_database(cluster)
        _migrate()
        yield
    finally:
        _let_go()
        server.stop()
        shutil.rmtree(embedded.socket_directory(directory), ignore_errors=True)
        if data is None:
            shutil.rmtree(cluster.directory, ignore_errors=True)
            shutil.rmtree(directory, ignore_errors=True)


def read(corpus: Path, name: str) -> list[dict[str, Any]]:
    """The rows of NAME.jsonl or NAME.jsonl.gz in a corpus' directory."""
    for path in (corpus / f"{name}.jsonl", corpus / f"{name}.jsonl.gz"):
        if path.exists():
            with gzip.open(path, "rt") if path.suffix == ".gz" else path.open() as lines:
                return [json.loads(line) for line in lines]
    sys.exit(f"There is no {name}.jsonl in {corpus}.")


def progress(steps: Sequence[T], name: str) -> Iterator[T]:
    """The steps one by one, with a line on standard error that says how far they are."""
    for number, step in enumerate(steps, 1):
        yield step
        if sys.stderr.isatty() or number == len(steps):
            print(f"\r{name}: {number:,} of {len(steps):,}", end="", file=sys.stderr, flush=True)
    print(file=sys.stderr)


def percentiles(milliseconds: Sequence[float]) -> dict[str, float]:
    """p50, p95 and p99 by nearest rank, in the unit they came in."""
    ordered = sorted(milliseconds)
    last = len(ordered) - 1
    return {
        "p50": round(statistics.median(ordered), 3),
        "p95": round(ordered[min(last, int(len(ordered) * 0.95))], 3),
        "p99": round(ordered[min(last, int(len(ordered) * 0.99))], 3),
    }


def table(rows: Mapping[str, Mapping[str, Any]], first: str = "") -> str:
    """A Markdown table, one row for each name; columns in the order in which they first appear."""
    columns = list(dict.fromkeys(column for row in rows.values() for column in row))
    lines = [[first, *columns], ["---"] * (len(columns) + 1)]
    lines += [[name, *(str(row.get(column, "")) for column in columns)] for name, row in rows.items()]
    return "\n".join("| " + " | ".join(line) + " |" for line in lines)


def write(result: Mapping[str, Any], path: Path | None) -> None:
    if path:
        path.write_text(json.dumps(result, indent=2) + "\n")


def _migrate() -> None:
    import django
    from django.core.management import call_command

    django.setup()
    call_command("migrate", verbosity=0)


def _let_go() -> None:
    from django.apps import apps

    if apps.ready:
        from django.db import connection

        from corpus.search.pool import close_search_connections

        close_search_connections()
        connection.close()
        if hasattr(connection, "close_pool"):
            connection.close_pool()
