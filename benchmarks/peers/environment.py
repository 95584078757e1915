"""The peers' own virtual environment, and adapters that run in it."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

from benchmarks.ground import ROOT
from benchmarks.peers.measuring import TURN_TAKEN, Measured, Vector, Way

PEERS = ["langchain_pgvector", "llamaindex", "chroma", "lancedb_hybrid"]
REQUIREMENTS = Path(__file__).parent / "requirements.txt"
QUIET = {
    "ANONYMIZED_TELEMETRY": "False",
    "DO_NOT_TRACK": "1",
    "LANGCHAIN_TRACING_V2": "false",
    "LANGSMITH_TRACING": "false",
    "LANGCHAIN_CALLBACKS_BACKGROUND": "false",
}


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


class Peer:
    """An adapter in a process of its own, which builds and warms up at once and then takes its turns."""

    def __init__(self, python: Path, name: str, folder: Path) -> None:
        print(f"{name}: building …", file=sys.stderr, flush=True)
        self.name, self.log, self.result = name, folder / f"{name}.log", folder / f"{name}.json"
        command: list[str | Path] = [python, "-m", "benchmarks.peers.measuring", name, folder]
        with self.log.open("w") as log:
            self.process = subprocess.Popen(
                command,
                cwd=ROOT,
                env={**os.environ, **QUIET},
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=log,
                text=True,
            )
        self._wait()

    def take_turn(self) -> None:
        if self.process.poll() is None and self.process.stdin:
            print(file=self.process.stdin, flush=True)
            self._wait()

    def finish(self) -> tuple[list[Measured], dict[str, str], str]:
        """What was measured, versions, and the reason why not all was."""
        self.process.communicate()
        if self.process.returncode or not self.result.exists():
            return [], {}, _last(self.log.read_text().splitlines())
        written = json.loads(self.result.read_text())
        measured = [
            Measured(
                Way(one["name"], _elsewhere, one["build_seconds"], one["disk_bytes"]),
                one["ranks"],
                one["rounds"],
            )
            for one in written["measured"]
        ]
        return measured, written["versions"], _last([written["failure"]]) if written["failure"] else ""

    def _wait(self) -> None:
        for line in self.process.stdout or ():
            if line.strip() == TURN_TAKEN:
                return
        self.process.wait()  # it has closed its output: there will be no more turns


def _elsewhere(tenant: str, text: str, vector: Vector) -> Sequence[int]:
    raise RuntimeError("This search lives in another process.")


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
