"""The peers' own virtual environment, and an adapter run in it."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from dataclasses import dataclass, field
from pathlib import Path

from benchmarks.ground import ROOT
from benchmarks.peers.measuring import Measured

PEERS = ["langchain_pgvector", "llamaindex", "chroma", "lancedb_hybrid"]
REQUIREMENTS = Path(__file__).parent / "requirements.txt"
QUIET = {
    "ANONYMIZED_TELEMETRY": "False",
    "DO_NOT_TRACK": "1",
    "LANGCHAIN_TRACING_V2": "false",
    "LANGSMITH_TRACING": "false",
    "LANGCHAIN_CALLBACKS_BACKGROUND": "false",
}


@dataclass
class Outcome:
    measured: list[Measured] = field(default_factory=list)
    versions: dict[str, str] = field(default_factory=dict)
    failure: str = ""


def peers_python(environment: Path) -> tuple[Path, dict[str, str]]:
    """The environment's interpreter, made and filled unless it is, and the requirements that could not be met."""
    folder, done = environment / "venv", environment / "installed.txt"
    python, wanted = folder / "bin" / "python", REQUIREMENTS.read_text()
    missing: dict[str, str] = {}
    if done.exists() and done.read_text() == wanted and python.exists():
        return python, missing
    print(f"installing the peers in {folder} (minutes) …", file=sys.stderr, flush=True)
    subprocess.run([sys.executable, "-m", "venv", folder], check=True)
    if not _install(python, "-r", str(REQUIREMENTS)):
        done.write_text(wanted)
        return python, missing
    for line in wanted.splitlines():
        if line and not line.startswith("#") and (reason := _install(python, line)):
            missing[line] = reason
    return python, missing


def run(python: Path, peer: str, folder: Path) -> Outcome:
    """Measure a peer in a process of its own; what it measured before it failed counts."""
    command: list[str | Path] = [python, "-m", "benchmarks.peers.measuring", peer, folder]
    with (folder / f"{peer}.log").open("w+") as log:
        print(f"{peer} …", file=sys.stderr, flush=True)
        done = subprocess.run(
            command, cwd=ROOT, env={**os.environ, **QUIET}, stdout=log, stderr=log, check=False
        )
        log.seek(0)
        lines = log.read().strip().splitlines()
    outcome = Outcome(failure=_last(lines) if done.returncode else "")
    result = folder / f"{peer}.json"
    if result.exists():
        written = json.loads(result.read_text())
        outcome.versions = written["versions"]
        outcome.measured = [Measured(**one) for one in written["measured"]]
    return outcome


def _install(python: Path, *what: str) -> str:
    """The reason why pip could not install this, or nothing."""
    command: list[str | Path] = [
        python,
        "-m",
        "pip",
        "install",
        "--quiet",
        "--disable-pip-version-check",
        *what,
    ]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    return _last(done.stderr.splitlines()) if done.returncode else ""


def _last(lines: list[str]) -> str:
    """The last line that says something, short enough for a table."""
    said = [line.strip() for line in lines if line.strip()]
    return (said[-1] if said else "no reason given")[:200].replace("|", "/")
