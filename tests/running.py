"""Lectern as its users run it: `manage.py serve` in a process of its own with a data directory of its own."""

import os
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import psutil
import pytest
from django.conf import settings

COMMANDS = {
    "postgres": "bin/postgres -D",
    "redis": "redis-server",
    "worker": "--queues documents",
    "sweeper": "--queues mail,celery",
    "beat": "config beat",
    "web": "uvicorn config",
}


@dataclass
class RunningLectern:
    """A running supervisor. `output` is what a person at the terminal would have read so far."""

    process: subprocess.Popen[bytes]
    data: Path
    address: str
    terminal: Path

    @property
    def output(self) -> str:
        return self.terminal.read_text()

    def child(self, name: str) -> psutil.Process:
        """The process the supervisor runs under that name: postgres, redis, worker, sweeper, beat or web."""
        for child in psutil.Process(self.process.pid).children():
            if COMMANDS[name] in " ".join(child.cmdline()):
                return child
        raise LookupError(f"no process {name}; the supervisor said:\n{self.output}")

    def pids(self) -> dict[str, int]:
        return {name: self.child(name).pid for name in COMMANDS}

    def everything(self) -> list[psutil.Process]:
        """The supervisor's children and theirs."""
        return psutil.Process(self.process.pid).children(recursive=True)

    def get(self, path: str) -> tuple[int, str]:
        """Status and body of a page."""
        try:
            with urllib.request.urlopen(f"{self.address}{path}", timeout=30) as answer:
                return answer.status, answer.read().decode()
        except urllib.error.HTTPError as error:
            return error.code, error.read().decode()

    def manage(self, *arguments: str, seconds: float = 180) -> subprocess.CompletedProcess[str]:
        return manage(self.data, *arguments, seconds=seconds)

    def stop(self, number: signal.Signals = signal.SIGINT) -> int:
        """Sends the signal and returns the exit code."""
        self.process.send_signal(number)
        return self.process.wait(120)


def environment(data: Path, **more: str) -> dict[str, str]:
    """What a newcomer's environment looks like: no addresses are given."""
    inherited = {name: value for name, value in os.environ.items() if name not in {"DATABASE_URL", "REDIS_URL"}}
    return {**inherited, "LECTERN_DATA": str(data), "LECTERN_DEMO": "0", **more}


def manage(data: Path, *arguments: str, seconds: float = 180, **more: str) -> subprocess.CompletedProcess[str]:
    """Runs `manage.py` with that data directory and returns what it did."""
    command = [sys.executable, "manage.py", *arguments]
    return subprocess.run(
        command,
        cwd=settings.BASE_DIR,
        env=environment(data, **more),
        capture_output=True,
        text=True,
        timeout=seconds,
        check=False,
    )


def serve(data: Path, **more: str) -> RunningLectern:
    """Starts Lectern and waits until it says that it is ready."""
    port = more.setdefault("PORT", str(free_port()))
    terminal = data.with_name(f"{data.name} terminal.txt")
    with terminal.open("wb") as output:
        process = subprocess.Popen(
            [sys.executable, "manage.py", "serve"],
            cwd=settings.BASE_DIR,
            env=environment(data, **more),
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=subprocess.STDOUT,
        )
    lectern = RunningLectern(process, data, f"http://127.0.0.1:{port}", terminal)
    wait_for(lambda: "Lectern is ready" in lectern.output or process.poll() is not None, seconds=300)
    assert process.poll() is None, lectern.output
    return lectern


def wait_for(condition: Callable[[], bool], seconds: float = 180) -> None:
    deadline = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < deadline, f"not within {seconds} seconds"
        time.sleep(0.05)


def free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port: int = listener.getsockname()[1]
        return port


@pytest.fixture(scope="module")
def data_directory() -> Iterator[Path]:
    """A data directory with spaces that does not exist yet. pytest's own are closed to PostgreSQL's user."""
    parent = Path(tempfile.mkdtemp(prefix="lectern serve "))
    parent.chmod(0o711)
    yield parent / "my data"
    shutil.rmtree(parent, ignore_errors=True)


@pytest.fixture(scope="module")
def running_lectern(data_directory: Path) -> Iterator[RunningLectern]:
    """One running Lectern for all tests of a file; leave it running and empty of schools."""
    lectern = serve(data_directory)
    yield lectern
    if lectern.process.poll() is None:
        lectern.stop()
