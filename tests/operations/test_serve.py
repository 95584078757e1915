"""`manage.py serve`, as a person runs it."""

import json
import os
import shutil
import signal
import socket
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import psutil
import pytest

from operations import embedded
from tests.running import RunningLectern, free_port, manage, serve, wait_for


def test_everything_answers_once_it_says_so(running_lectern: RunningLectern) -> None:
    assert running_lectern.get("/healthz") == (200, json.dumps({"status": "ok"}))
    assert running_lectern.get("/readyz") == (200, json.dumps({"status": "ok"}))
    assert len(set(running_lectern.pids().values())) == 5
    assert running_lectern.address in running_lectern.output


def test_it_listens_on_this_machine_only(running_lectern: RunningLectern) -> None:
    processes = [psutil.Process(running_lectern.process.pid), *running_lectern.everything()]
    listening = {c.laddr.ip for p in processes for c in p.net_connections("inet") if c.status == "LISTEN"}
    assert listening == {"127.0.0.1"}


def test_another_command_talks_to_the_running_services(running_lectern: RunningLectern) -> None:
    done = running_lectern.manage("migrate", "--check")
    assert done.returncode == 0, done.stderr


def test_a_second_start_on_the_same_data_is_refused(running_lectern: RunningLectern) -> None:
    done = manage(running_lectern.data, "serve", PORT=str(free_port()))
    assert done.returncode == 1
    assert (
        f"already running with {running_lectern.data} (process {running_lectern.process.pid})" in done.stderr
    )
    assert running_lectern.get("/readyz")[0] == 200


@pytest.mark.parametrize("name", ["worker", "web", "postgres"])
def test_what_is_killed_is_started_again(running_lectern: RunningLectern, name: str) -> None:
    said = f"{name:>8} | started again"
    before = running_lectern.output.count(said)  # other tests kill, too
    killed = running_lectern.child(name)
    offspring = killed.children(recursive=True)
    killed.send_signal(signal.SIGKILL)
    wait_for(lambda: running_lectern.output.count(said) == before + 1)
    assert running_lectern.child(name).pid != killed.pid
    psutil.wait_procs(offspring, timeout=10)
    assert not [process for process in offspring if process.is_running()]
    wait_for(lambda: _is_ready(running_lectern))


def test_a_port_in_use_is_named_before_anything_starts(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port = listener.getsockname()[1]
        done = manage(tmp_path / "data", "serve", PORT=str(port))
    assert done.returncode == 1
    assert f"port {port} on 127.0.0.1" in done.stderr
    assert "PORT=" in done.stderr
    assert not (tmp_path / "data" / "postgres").exists()


def test_a_command_without_running_services_says_so(tmp_path: Path) -> None:
    done = manage(tmp_path, "migrate")
    assert done.returncode == 1
    sentence = f"Lectern's services are not running in {tmp_path}; start them with `make run`."
    assert done.stderr.strip() == sentence


def test_a_command_that_needs_no_services_runs(tmp_path: Path) -> None:
    assert manage(tmp_path, "migrate", "--help").returncode == 0
    assert manage(tmp_path, "check").returncode == 0


@pytest.fixture
def stopped_again(data_directory: Path) -> Iterator[Path]:
    """A data directory that has been served and will be served again."""
    parent = Path(tempfile.mkdtemp(prefix="lectern restart "))
    parent.chmod(0o711)
    yield parent / "data"
    shutil.rmtree(parent, ignore_errors=True)


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux tells children that their parent died")
def test_killed_it_leaves_no_processes_and_stopped_it_leaves_nothing(stopped_again: Path) -> None:
    killed = serve(stopped_again)
    processes = killed.everything()
    assert killed.stop(signal.SIGKILL) == -signal.SIGKILL
    _, alive = psutil.wait_procs(processes, timeout=20)
    assert not alive

    # The pid in the file now belongs to a living process: this one.
    (stopped_again / "postgres" / "postmaster.pid").write_text(f"{os.getpid()}\n{stopped_again}/postgres\n")
    restarted = serve(stopped_again)
    processes = restarted.everything()
    assert len(processes) >= 5
    assert restarted.stop(signal.SIGINT) == 0
    _, alive = psutil.wait_procs(processes, timeout=0)
    assert not alive
    assert not (stopped_again / "postgres" / "postmaster.pid").exists()
    assert not list(Path("/tmp").glob(f"lectern-*-{embedded.key(stopped_again)}"))


def _is_ready(lectern: RunningLectern) -> bool:
    try:
        return lectern.get("/readyz")[0] == 200
    except OSError:
        return False
