"""How fast and how exact answers from a ZIM file are found, beside the file's own search and kiwix-serve's.

    python -m benchmarks.references --squad DIR [--articles 20000] [--questions 400] [--data DIR] [--json result.json]
    python -m benchmarks.references --squad DIR --zim FILE

The ZIM file holds the articles of --squad (`passages`, `questions` and `distractors` as JSON lines) among so many
generated ones; it is kept in --data. Each question is searched by the source that chatbots use. "Article@3": its
article is among the three that are read. "Paragraph@5": a sentence of its paragraph stands in one of the five best
passages. Both also for questions that name the title of their article, and for those that do not.
With --zim the questions are asked of any file: then only times are measured. Without libzim, or without the data, there
is nothing to measure, which is said. kiwix-serve (Debian's kiwix-tools) is compared where it is installed.
"""

from __future__ import annotations

import argparse
import html
import random
import re
import shutil
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from urllib.parse import quote, unquote

import httpx

from benchmarks import ground

Ask = Callable[[str], list[str]]
"""From a question to paths of articles, best first."""


def main() -> None:
    parser = ground.options(__doc__)
    parser.add_argument("--squad", type=Path, help="the corpus")
    parser.add_argument("--articles", type=int, default=20_000, help="generated ones")
    parser.add_argument("--questions", type=int, default=400)
    parser.add_argument("--zim", type=Path, help="ask this file instead")
    parser.add_argument("--seed", type=int, default=1, help="which questions")
    options = parser.parse_args()
    if not options.squad or not options.squad.is_dir():
        print("There is no corpus: name its directory with --squad. Nothing was measured.")
        return
    with ground.database(options.data):
        from references.offline.zim import INSTALL, is_installed

        if not is_installed():
            print(f"libzim is not installed ({INSTALL}). Nothing was measured.")
            return
        ground.write(measure(options), options.json)


def measure(options: argparse.Namespace) -> dict[str, Any]:
    questions = chosen(options.squad, options.questions, options.seed)
    with prepared(options) as path:
        result: dict[str, Any] = {"articles": options.articles, "title index": indexed(path)}
        print(f"\n{path.name}: {result['title index']['titles']:,} titles, {len(questions)} questions\n")
        result["milliseconds"], found = searched(questions)
        print(ground.table(result["milliseconds"], "milliseconds"), "\n")
        if options.zim is None:
            result["quality"] = quality(path, questions, found)
            print(ground.table(result["quality"], "share of questions"))
    return result


@contextmanager
def prepared(options: argparse.Namespace) -> Iterator[Path]:
    """The file that is asked, written if need be."""
    if options.zim:
        yield options.zim
        return
    from benchmarks.zim_files import write_zim

    with tempfile.TemporaryDirectory(prefix="lectern-zim-") as temporary:
        path = (options.data or Path(temporary)) / f"squad_{options.articles}.zim"
        if not path.exists():
            print(f"Writing {path.name} …", file=sys.stderr)
            write_zim(path, options.squad, options.articles)
        yield path


def chosen(corpus: Path, count: int, seed: int) -> list[dict[str, Any]]:
    """Answerable questions, each with the text of its paragraph."""
    texts = {row["id"]: row["text"] for row in ground.read(corpus, "passages")}
    rows = [row for row in ground.read(corpus, "questions") if row["answerable"]]
    random.Random(seed).shuffle(rows)  # noqa: S311
    return [row | {"text": texts[row["passage"]]} for row in rows[:count]]


def indexed(path: Path) -> dict[str, Any]:
    """Titles a second of one core: of the processor's time, so that other work on the machine does not count."""
    from references.models import Archive
    from references.offline.adding import add_archive
    from references.offline.opened import index_path

    for row in Archive.objects.all():
        if row.uuid:
            index_path(row.uuid).unlink(missing_ok=True)
    Archive.objects.all().delete()
    began: list[float] = []
    passed = 0

    def progress(what: str, done: int, total: int) -> None:
        nonlocal passed
        if what == "titles":
            passed = done
        else:
            began[:] = [time.process_time(), time.perf_counter()]

    row = add_archive(path, progress=progress)
    processor, clock = time.process_time() - began[0], time.perf_counter() - began[1]
    print(f"Title index: {passed / processor:,.0f} titles a second of processor time, {passed / clock:,.0f} by the clock")
    return {"titles": passed, "a second": round(passed / processor), "by the clock": round(passed / clock), "name": str(row)}


def searched(questions: Sequence[dict[str, Any]]) -> tuple[dict[str, dict[str, float]], list[dict[str, Any]]]:
    """Milliseconds of each step, and what was found for each question."""
    from engines.embedding import get_embedder
    from references.models import Archive
    from references.offline import finding, passages
    from references.offline.candidates import title_candidates
    from references.offline.full_text import search_full_text, word_weights
    from references.offline.opened import open_archive
    from references.offline.question import QuestionWords
    from references.offline.source import OfflineSource
    from corpus.sources import Query

    embedder = get_embedder()
    row = Archive.objects.get()
    source = OfflineSource([row])
    took: dict[str, list[float]] = {}
    found = []

    @contextmanager
    def timed(step: str) -> Iterator[None]:
        started = time.perf_counter()
        yield
        took.setdefault(step, []).append((time.perf_counter() - started) * 1000)

    with timed("first question after a start"):
        source.search(Query.of("Which is the first question?", embedder), 10)
    archive = open_archive(row)
    for question in ground.progress(questions, "questions"):
        query = Query.of(question["question"], embedder)
        with timed("in all"):
            with timed("finding three articles"):
                pages = finding.find_pages([archive], query, until=time.perf_counter() + 9, failed=print)
            with timed("passages of these"):
                best = passages.best_passages(pages, query, 10, kind=source.kind)
        words = QuestionWords.of(query.text, archive.language)
        with timed("titles alone"):
            title_candidates(archive, words, 8)
        with timed("full text alone"):
            search_full_text(archive.file, word_weights(archive.file, words.words.values()), 30)
        found.append({"paths": [page.page.path for page in pages], "passages": best, "surest": pages[0].probability})
    return {step: ground.percentiles(every) for step, every in took.items()}, found


def quality(
    path: Path, questions: Sequence[dict[str, Any]], found: Sequence[dict[str, Any]]
) -> dict[str, dict[str, float]]:
    from references.models import Archive
    from references.offline.opened import open_archive

    file = open_archive(Archive.objects.get()).file
    shares = {"lectern": _shares(questions, [one["paths"] for one in found])}
    right = [_has_paragraph(one["passages"][:5], row["text"]) for one, row in zip(found, questions, strict=True)]
    shares["lectern"] |= {
        "paragraph@5": _share(right),
        "relevance ≥ 0.5": _share([bool(one["passages"]) and one["passages"][0].relevance >= 0.5 for one in found]),
    }
    asked = [row["question"] for row in questions]
    shares["the file's own search"] = _shares(questions, [file.search(text, 3)[1] for text in asked])
    with kiwix(path) as ask:
        if ask:
            shares["kiwix-serve"] = _shares(questions, [ask(text) for text in asked])
    return shares


def _shares(questions: Sequence[dict[str, Any]], paths: Sequence[Sequence[str]]) -> dict[str, float]:
    right = [row["title"].replace(" ", "_") in found[:3] for row, found in zip(questions, paths, strict=True)]
    named = [row["title"].lower() in row["question"].lower() for row in questions]
    return {
        "article@3": _share(right),
        "title named": _share([is_right for is_right, is_named in zip(right, named, strict=True) if is_named]),
        "title not named": _share([is_right for is_right, is_named in zip(right, named, strict=True) if not is_named]),
    }


def _share(right: Sequence[bool]) -> float:
    return round(sum(right) / max(len(right), 1), 3)


def _has_paragraph(passages: Sequence[Any], text: str) -> bool:
    """Whether a sentence of the paragraph stands in one of the passages."""
    sentences = [_flat(sentence) for sentence in re.split(r"(?<=[.!?])\s+", text)]
    telling = [sentence for sentence in sentences if len(sentence) > 30] or [_flat(text)]
    return any(sentence in _flat(passage.excerpt) for passage in passages for sentence in telling)


def _flat(text: str) -> str:
    return re.sub(r"\W+", " ", text).strip()


@contextmanager
def kiwix(path: Path) -> Iterator[Ask | None]:
    """kiwix-serve on this file; None where it is not installed."""
    if not shutil.which("kiwix-serve"):
        print("kiwix-serve is not installed (Debian: kiwix-tools): not compared.")
        yield None
        return
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    command = ["kiwix-serve", "--address", "127.0.0.1", "--port", str(port), str(path)]
    server = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        with httpx.Client(base_url=f"http://127.0.0.1:{port}", timeout=30) as client:
            _wait(client)

            def ask(question: str) -> list[str]:
                page = client.get(f"/search?content={path.stem}&pageLength=3&pattern={quote(question)}").text
                links = re.findall(rf'<a href="[^"]*/{re.escape(path.stem)}/(?:A/)?([^"]+)"', page)
                return [unquote(html.unescape(link)) for link in links]

            yield ask
    finally:
        server.terminate()
        server.wait()


def _wait(client: httpx.Client) -> None:
    for _ in range(100):
        try:
            client.get("/")
            return
        except httpx.TransportError:
            time.sleep(0.1)
    sys.exit("kiwix-serve did not start.")


if __name__ == "__main__":
    main()
