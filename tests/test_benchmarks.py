"""The benchmarks of search run to their end on a tiny database of their own, and find what the product finds."""

import json
import os
import subprocess
import sys
import tempfile
import unicodedata
from collections.abc import Iterator
from datetime import datetime
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest
from django.conf import settings

from benchmarks import history, manuscripts
from benchmarks.documents.cases import KINDS, write_own
from benchmarks.documents.writers import WRITERS
from corpus.ingestion.parsing import parse


@pytest.fixture(scope="module")
def data() -> Iterator[Path]:
    """A directory that the benchmarks hand on, as with --data: the first makes the database, the others find it."""
    with tempfile.TemporaryDirectory(prefix="lectern benchmarks ") as directory:
        Path(directory).chmod(0o711)  # PostgreSQL's user passes through
        yield Path(directory)


def run(data: Path, name: str, *options: str) -> dict[str, Any]:
    """The JSON that a benchmark writes, run as people run it."""
    result = data / f"{name}.json"
    command = [sys.executable, "-m", f"benchmarks.{name}", "--json", str(result), "--data", str(data)]
    command += options
    done = subprocess.run(
        command,
        cwd=settings.BASE_DIR,
        env=dict(os.environ),
        capture_output=True,
        text=True,
        timeout=900,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    found: dict[str, Any] = json.loads(result.read_text())
    return found


@pytest.mark.parametrize("name", ["search", "streams"])
def test_each_says_what_it_measures(name: str) -> None:
    command = [sys.executable, "-m", f"benchmarks.{name}", "--help"]
    done = subprocess.run(command, cwd=settings.BASE_DIR, capture_output=True, text=True, check=True)
    assert "--json" in done.stdout


def test_own_documents_are_of_all_kinds_and_formats() -> None:
    with tempfile.TemporaryDirectory() as folder:
        cases = write_own(Path(folder))
    assert len(cases) >= 150
    assert {case.kind for case in cases} == set(KINDS) - {"keep"}
    assert {case.format for case in cases} == set(WRITERS)
    assert {case.language for case in cases} == {"en", "de", "fr", "es"}


def test_documents_are_asked_about(data: Path) -> None:
    found = run(data, "documents", "--folder", str(data), "--only", "steps-de-md-1", "years-en-docx-1")
    assert found["kind"]["all"] == {"cases": "2", "right": "2", "%": "100"}


def test_search_grows_and_is_exact(data: Path) -> None:
    found = run(data, "search", "--chunks", "200", "400", "--schools", "3", "--searches", "8")["sizes"]
    assert found["200"]["chatbots"] < found["400"]["chatbots"]
    for size in found.values():
        assert {"SELECT 1", "embedding", "search", "sources_for"} < set(size["steps"])
        assert all(row["exact"] == 1 and row["unavailable"] == 0 for row in size["by_chunks_read"].values())


def test_owner_measures_each_size(data: Path) -> None:
    rows = run(data, "search", "--owner", "60", "120", "--searches", "10")["owner"]["rows"]
    assert list(rows) == ["60", "120"]


def test_streams_are_read_to_their_end(data: Path) -> None:
    options = ["--streams", "2", "--processes", "1", "--tokens", "12", "--first", "20", "--within", "0.1"]
    found = run(data, "streams", *options)
    assert (found["streams"], found["errors"]) == (2, {})
    assert found["connections"] > 0
    assert 0 < found["first event"]["p50"] <= found["first token"]["p50"]
    assert found["added to a token"]["p50"] > 0


def test_what_a_question_costs_is_added_to_a_history_and_drawn(tmp_path: Path) -> None:
    path = tmp_path / "results" / "history.jsonl"
    history.note("question", {"page": 11.2}, path)
    history.note("question", {"page": 10.9, "JSON API": 7}, path)
    history.note("streams", {"first event": 900}, path)
    history.note("streams", {"first event": 1}, None)
    runs = [json.loads(line) for line in path.read_text().splitlines()]
    first, second, third = runs
    assert (first["figures"], second["figures"]["page"], third["benchmark"]) == ({"page": 11.2}, 10.9, "streams")
    assert datetime.fromisoformat(first["date"]) <= datetime.fromisoformat(second["date"])
    assert first["commit"] == second["commit"]
    assert set(first) == {"benchmark", "date", "commit", "machine", "figures"}
    chart = ElementTree.fromstring(history.draw(runs))
    words = "".join(chart.itertext())
    assert "page: 10.9" in words and "first event: 900.0" in words
    assert len(chart.findall(".//{*}circle")) == 4
    assert history.draw([])


def test_a_benchmarks_texts_can_be_read_in_every_format() -> None:
    text = manuscripts.manuscript(5)
    for name, (filename, write) in manuscripts.FORMATS.items():
        read = " ".join(section.text for section in parse(write(text), filename=filename).sections)
        assert [p.text for p in text if not p.level and levelled(p.text) not in levelled(read)] == [], name


def levelled(text: str) -> str:
    """Without line breaks, and with one letter for what looks the same: a PDF makes an ohm of an omega."""
    return " ".join(unicodedata.normalize("NFKC", text).split())


def test_indexing_measures_stages_updates_and_a_folder(data: Path, tmp_path: Path) -> None:
    folder = tmp_path / "texts"
    folder.mkdir()
    (folder / "one.md").write_text("# One\n\nThe river trade began with the harbour.\n")
    rows = run(data, "indexing", str(folder), "--formats", "--long", "4")["rows"]
    updates = {"the long PDF: 5 % in one place", "the long PDF: 5 % spread"}
    assert set(rows) == {"the long PDF", "the folder"} | updates
    for row in rows.values():
        assert 0 < row["embedded"] <= row["chunks"]
        assert 0 < row["stages"]["embedder"] <= row["stages"]["embedding"] < row["seconds"]
        assert 0 < row["memory"]["before"] <= row["memory"]["peak"]
    assert rows["the long PDF"]["pages"] == 4
    assert all(rows[name]["embedded"] < rows["the long PDF"]["chunks"] for name in updates)


def test_a_class_joins_and_asks(data: Path) -> None:
    options = ["--pupils", "3", "--minutes", "0.1", "--interval", "3", "--processes", "1"]
    found = run(data, "classes", *options)
    assert (found["asked"], found["errors"]) == (6, {})
    assert 0 < found["sources"]["p50"] <= found["answer"]["p50"]
