"""benchmarks.references runs to its end, and says when there is nothing to measure."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

from django.conf import settings

TOPICS = {
    "Volcano": "A volcano is a rupture in the crust through which lava, ash and gases escape.",
    "Glacier": "A glacier is a persistent body of dense ice that moves under its own weight.",
    "Estuary": "An estuary is a body of brackish water with rivers flowing into it.",
}


def run(*options: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "benchmarks.references", *options]
    return subprocess.run(
        command, cwd=settings.BASE_DIR, env=dict(os.environ), capture_output=True, text=True, timeout=900, check=False
    )


def test_without_a_corpus_nothing_is_measured() -> None:
    done = run()
    assert (done.returncode, "Nothing was measured" in done.stdout) == (0, True), done.stderr


def test_the_right_articles_of_a_small_corpus_are_found() -> None:
    with tempfile.TemporaryDirectory(prefix="lectern references ") as folder:
        data, corpus = Path(folder), Path(folder) / "corpus"
        data.chmod(0o711)  # PostgreSQL's user passes through
        corpus.mkdir()
        rows = list(enumerate(TOPICS.items()))
        tables = {
            "passages": [{"id": key, "title": title, "text": text} for key, (title, text) in rows],
            "distractors": [{"id": 9, "text": "Trains stop at stations. Every carriage carries passengers quickly."}],
            "questions": [
                {"question": f"What is a {title.lower()} made of?", "passage": key, "title": title, "answerable": True}
                for key, (title, _) in rows
            ],
        }
        for name, table in tables.items():
            (corpus / f"{name}.jsonl").write_text("\n".join(map(json.dumps, table)))
        result = data / "result.json"
        done = run("--squad", str(corpus), "--data", str(data), "--articles", "20", "--json", str(result))
        assert done.returncode == 0, done.stderr
        found = json.loads(result.read_text())
        assert found["title index"]["titles"] == 23
        assert found["quality"]["lectern"]["article@3"] == 1.0
        assert found["quality"]["lectern"]["paragraph@5"] == 1.0
