"""How fast documents are indexed: by format and stage, the share of the embedder, memory, and an update of 5 %.

    python -m benchmarks.indexing [FOLDER] [--pages 50] [--long 500] [--changed 5] [--json result.json]

The same text is written in each format (400 words a page), uploaded, and indexed by
`corpus.ingestion.indexing.index_next_document` in a warm
process of its own, whose memory is measured: before, at its peak with its children, and after. It is updated
twice: 5 % of its paragraphs are written anew in one place, then 5 % spread over all of it. A long PDF follows, updated
likewise, and with FOLDER all its Markdown files, one document each. How many times faster an update is, is told from
the seconds of a processor, which other work on the machine changes little. As many threads embed as the settings say
(LECTERN_INDEXING_THREADS).
"""

from __future__ import annotations

import functools
import gc
import json
import os
import re
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import psutil

from benchmarks import ground

STAGES = {"reading": "_read", "cutting": "_cut", "embedding": "_embed", "replacing": "_replace"}
"""Stages of `corpus.ingestion.indexing`, and the functions that are timed for them."""
GOALS = {
    "the folder, s": (60.0, False),
    "the long PDF, s": (90.0, False),
    "peak memory, MB": (1000.0, False),
    "update in one place, times faster": (8.0, True),
    "update spread, times faster": (8.0, True),
}
"""Limits, and whether more is better."""

Row = dict[str, Any]


def main() -> None:
    parser = ground.options(__doc__)
    parser.add_argument("folder", type=Path, nargs="?", help="Markdown files to index as well")
    parser.add_argument("--pages", type=int, default=50, help="of the document in each format")
    parser.add_argument("--formats", nargs="*", help="of these names only; all, unless given")
    parser.add_argument("--long", type=int, default=500, help="pages of the long PDF")
    parser.add_argument("--changed", type=int, default=5, help="per cent of the text that an update changes")
    parser.add_argument("--measure", action="store_true", help="index what is waiting, in this process")
    options = parser.parse_args()
    if options.measure:
        print(json.dumps(measure()))
        return
    with ground.database(options.data):
        from config.celery import app

        app.conf.broker_url = "memory://"  # a doorbell that nobody hears
        rows = by_format(options.pages, options.changed, options.formats) | long_pdf(options.long, options.changed)
        if options.folder:
            rows["the folder"] = folder(options.folder)
    goals = against_goals(rows)
    print(ground.table({name: shown(row) for name, row in rows.items()}, "document"))
    print("\n" + ground.table(goals))
    ground.write({"rows": rows, "goals": goals, "load": os.getloadavg()}, options.json)


def by_format(pages: int, percent: int, names: Sequence[str] | None) -> dict[str, Row]:
    """A document of so many pages in each format: its first indexing and two updates."""
    from benchmarks import manuscripts

    texts = versions(pages, percent)
    rows: dict[str, Row] = {}
    chosen = [name for name in manuscripts.FORMATS if names is None or name in names]
    for name in ground.progress(chosen, "formats"):
        filename, write = manuscripts.FORMATS[name]
        rows |= first_and_updates(name, filename, {change: write(text) for change, text in texts.items()})
    return rows


def long_pdf(pages: int, percent: int) -> dict[str, Row]:
    """The same of a long PDF."""
    from benchmarks import manuscripts

    texts = versions(pages, percent)
    files = {change: manuscripts.pdf(text) for change, text in texts.items()}
    return first_and_updates("the long PDF", "long.pdf", files)


def versions(pages: int, percent: int) -> dict[str, Sequence[Any]]:
    """Three versions of a text by what has changed since the one before."""
    from benchmarks.manuscripts import changed, manuscript

    first = manuscript(pages)
    second = changed(first, percent, spread=False)
    third = changed(second, percent, spread=True)
    return {"": first, f": {percent} % in one place": second, f": {percent} % spread": third}


def first_and_updates(name: str, filename: str, files: Mapping[str, bytes]) -> dict[str, Row]:
    """Index the first of these files, then each in the place of the one before, with how many times faster that is."""
    from corpus.ingestion.uploads import replace
    from knowledge.models import PersonalDocument

    rows: dict[str, Row] = {}
    key = None
    for change, content in files.items():
        if key is None:
            key = upload(filename, content)
            rows[name] = in_own_process([key])
        else:
            document = PersonalDocument.objects.get(pk=key)
            replace(document, _file(filename, content), by=document.owner)
            row = in_own_process([key])
            faster = rows[name]["processor_seconds"] / row["processor_seconds"]
            rows[name + change] = row | {"faster": faster}
    return rows


def folder(path: Path) -> Row:
    """All Markdown files of a folder, but not its README."""
    files = [file for file in sorted(path.glob("*.md")) if file.name != "README.md"]
    return in_own_process([upload(file.name, file.read_bytes()) for file in files])


def upload(filename: str, content: bytes) -> Any:
    """Take a file in as a teacher's document that waits to be indexed; its key."""
    from knowledge.services import upload as take_in
    from schools.models import Membership, School, User

    school, _ = School.objects.get_or_create(slug="benchmark", defaults={"name": "Benchmark"})
    user, _ = User.objects.get_or_create(email="indexing@lectern.example")
    member, _ = Membership.objects.get_or_create(school=school, user=user)
    document, _ = take_in(member=member, file=_file(filename, content), title=f"{time.time_ns()}")
    return document.pk


def _file(filename: str, content: bytes) -> Any:
    from django.core.files.base import ContentFile

    return ContentFile(content, name=filename)


def in_own_process(documents: Sequence[Any]) -> Row:
    """Index these documents, which are all that waits, in a new process; with their pages, words and chunks."""
    from knowledge.models import PersonalChunk, PersonalDocument

    command = [sys.executable, "-m", "benchmarks.indexing", "--measure"]
    done = subprocess.run(command, cwd=ground.ROOT, stdout=subprocess.PIPE, text=True, check=True)
    row: Row = json.loads(done.stdout.splitlines()[-1])
    found = PersonalDocument.objects.filter(pk__in=documents)
    for document in found:
        if document.status != "ready":
            sys.exit(f"{document.newest.filename} could not be indexed: {document.failure_reason}")
    newest = [document.newest for document in found]
    texts = PersonalChunk.objects.filter(document__in=documents).values_list("text", flat=True)
    words = sum(len(re.findall(r"\w+", text)) for text in texts)
    counted = {
        "documents": len(newest),
        "pages": sum(version.pages or 0 for version in newest) or round(words / 400),
        "words": words,
        "chunks": len(texts),
        "embedded": sum(version.chunks_added or 0 for version in newest),
    }
    return counted | row


def measure() -> Row:
    """In a process of its own: index all that waits. Seconds in all, by stage and in the embedder; MB of memory."""
    import django

    django.setup()
    from corpus.ingestion import indexing
    from engines.embedding import get_embedder
    from knowledge.models import PersonalDocument
    from text.languages import load_detector

    embedder: Any = get_embedder()
    spent: dict[str, float] = {}
    for stage, name in STAGES.items():
        setattr(indexing, name, timed(getattr(indexing, name), stage, spent))
    for owner, name, what in ((indexing, "embed_in_parallel", "embedder"), (embedder, "count_tokens", "tokens")):
        setattr(owner, name, timed(getattr(owner, name), what, spent))
    load_detector()  # as a worker has before
    PersonalDocument.objects.exists()  # the first connection
    before = _memory("VmRSS")
    with memory_peak() as peak:
        started, worked = time.perf_counter(), _worked()
        while indexing.index_next_document(PersonalDocument.objects.all()):
            pass
        seconds, worked = time.perf_counter() - started, _worked() - worked
    gc.collect()
    memory = {"before": before, "peak": max(_memory("VmHWM"), *peak), "after": _memory("VmRSS")}
    load = os.getloadavg()[0]
    return {"seconds": seconds, "processor_seconds": worked, "stages": spent, "memory": memory, "load": load}


def _worked() -> float:
    """Seconds that this process and its ended children have had a processor; PostgreSQL's are not among them."""
    return sum(os.times()[:4])


@contextmanager
def memory_peak() -> Iterator[list[float]]:
    """A list of what this process and its children hold, pages that they share counted once, in MB, as time goes by."""
    found: list[float] = [0.0]
    ended = threading.Event()
    process = psutil.Process()

    def look() -> None:
        while not ended.wait(0.05):
            held = 0
            for one in (process, *process.children(recursive=True)):
                with suppress(psutil.Error):
                    held += one.memory_full_info().pss
            found.append(held / 1e6)

    thread = threading.Thread(target=look, daemon=True)
    thread.start()
    yield found
    ended.set()
    thread.join()


def timed(function: Callable[..., Any], name: str, spent: dict[str, float]) -> Callable[..., Any]:
    """The same function, which adds the seconds that it takes to spent[name]."""

    @functools.wraps(function)
    def measured(*positional: Any, **named: Any) -> Any:
        started = time.perf_counter()
        try:
            return function(*positional, **named)
        finally:
            spent[name] = spent.get(name, 0.0) + time.perf_counter() - started

    return measured


def _memory(which: str) -> float:
    """Megabytes of this process: VmRSS now, VmHWM at most so far."""
    status = Path("/proc/self/status").read_text()
    return int(re.search(rf"{which}:\s+(\d+)", status)[1]) / 1000  # type: ignore[index]


def shown(row: Row) -> dict[str, Any]:
    """A row of the table."""
    seconds, spent, memory = row["seconds"], row["stages"], row["memory"]
    share = f"{100 * spent.get('embedder', 0) / seconds:.0f} %"
    return {
        "pages": row["pages"],
        "chunks": row["chunks"],
        "embedded": row["embedded"],
        "s": f"{seconds:.2f}",
        "processor s": f"{row['processor_seconds']:.2f}",
        "pages/s": f"{row['pages'] / seconds:.1f}",
        "chunks/s": f"{row['chunks'] / seconds:.1f}",
        **{stage: f"{spent[stage]:.2f}" for stage in STAGES},
        "in the embedder": share,
        "MB before": f"{memory['before']:.0f}",
        "peak": f"{memory['peak']:.0f}",
        "after": f"{memory['after']:.0f}",
        "faster": f"× {row['faster']:.1f}" if "faster" in row else "",
        "load": f"{row['load']:.1f}",
    }


def against_goals(rows: Mapping[str, Row]) -> dict[str, dict[str, Any]]:
    """Each goal, what was measured for it, and whether it is met; of several updates the slowest counts."""
    measured = {
        "the long PDF, s": rows["the long PDF"]["seconds"],
        "peak memory, MB": max(row["memory"]["peak"] for row in rows.values()),
    }
    for kind in ("in one place", "spread"):
        updates = [row["faster"] for name, row in rows.items() if name.endswith(kind)]
        measured[f"update {kind}, times faster"] = min(updates)
    if "the folder" in rows:
        measured["the folder, s"] = rows["the folder"]["seconds"]
    return {
        goal: {
            "": "at least" if more else "at most",
            "goal": limit,
            "measured": round(measured[goal], 1),
            "met": "yes" if (measured[goal] >= limit if more else measured[goal] <= limit) else "no",
        }
        for goal, (limit, more) in GOALS.items()
        if goal in measured
    }


if __name__ == "__main__":
    main()
