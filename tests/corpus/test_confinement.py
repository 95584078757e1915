"""What a process that reads a file cannot reach, even when the file has taken it over."""

from __future__ import annotations

import ast
import json
import os
import signal
import socket
import subprocess
import sys
from contextlib import suppress
from pathlib import Path

import psutil
import pytest
from pytest_django import Settings

from corpus.ingestion.sandbox import runner
from corpus.ingestion.sandbox.limits import missing_protections, refused_calls
from corpus.ingestion.sandbox.runner import PYTHON
from corpus.tasks import log_missing_features
from tests import documents
from tests.running import wait_for
from tests.taken_over import LINUX, TELL, ignores, landlock, told


@pytest.fixture
def a_file(tmp_path: Path) -> Path:
    path = tmp_path / "notes.md"
    path.write_text(documents.MARKDOWN)
    return path


def test_it_cannot_open_a_socket(a_file: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
        program = f"""
import socket
kinds = [socket.AF_INET, socket.AF_INET6, socket.AF_UNIX]
tell([attempt(lambda: socket.socket(kind)) for kind in kinds]
     + [attempt(lambda: socket.create_connection(("127.0.0.1", {port}), 2)), attempt(socket.socketpair)])
"""
        assert json.loads(told(a_file, program).replace("'", '"')) == ["PermissionError"] * 5


@LINUX
def test_not_even_from_a_library_in_c(a_file: Path) -> None:
    program = """
results = [(libc.socket(family, 1, 0), ctypes.get_errno()) for family in (1, 2, 10, 16)]
results += [(libc.fork(), ctypes.get_errno()), (libc.kill(os.getppid(), 0), ctypes.get_errno())]
results += [(libc.syscall(425, 8, 0), ctypes.get_errno())]
tell(results)
"""
    assert told(a_file, program) == str([(-1, 1)] * 7)


def test_it_cannot_start_processes_nor_signal_any(a_file: Path) -> None:
    program = """
import signal, subprocess, threading
tell([attempt(os.fork), attempt(lambda: subprocess.run(["/bin/true"])), attempt(lambda: os.execv("/bin/true", ["t"])),
      attempt(lambda: os.kill(os.getppid(), signal.SIGTERM))])
"""
    assert told(a_file, program) == str(["PermissionError"] * 4)


def test_it_knows_no_secrets(a_file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DATABASE_URL", "postgres://lectern:swordfish@db/lectern")
    monkeypatch.setenv("LECTERN_SECRET_KEY", "swordfish")
    environment = told(a_file, "tell(dict(os.environ))")
    assert "swordfish" not in environment
    assert set(ast.literal_eval(environment)) == {
        "PYTHONPATH",
        "LC_ALL",
        "OMP_NUM_THREADS",
        "OPENBLAS_NUM_THREADS",
    }


@LINUX
def test_the_limits_of_its_resources_are_in_force(settings: Settings) -> None:
    """Soft and hard; it may not even ask for them. On a kernel without Landlock nothing else keeps it from writing."""
    settings.LECTERN_PARSE_MEMORY_MB = 512
    command = [*PYTHON, "-c", TELL + "os.write(1, b'.'); time.sleep(600)", json.dumps(runner.process_limits(30))]
    with subprocess.Popen(command, env=runner._environment(), stdout=subprocess.PIPE) as child:
        try:
            assert child.stdout and child.stdout.read(1) == b"."
            limits = psutil.Process(child.pid).rlimit
            expected = {"FSIZE": (0, 0), "CORE": (0, 0), "NOFILE": (64, 64), "CPU": (30, 31), "AS": (512 * 2**20,) * 2}
            assert {name: limits(getattr(psutil, f"RLIMIT_{name}")) for name in expected} == expected
        finally:
            child.kill()


@LINUX
def test_it_reads_no_other_file(a_file: Path, tmp_path: Path) -> None:
    """Neither another school's, nor ours, nor our environment in /proc; and it writes and removes nothing."""
    if landlock() < 1:
        pytest.skip("this kernel has no Landlock")
    secret = tmp_path / "secret-key"
    secret.write_text("swordfish")
    program = f"""
tell([attempt(lambda: open({str(secret)!r}).read()), attempt(lambda: os.listdir({str(tmp_path)!r})),
      attempt(lambda: open("/proc/%d/environ" % os.getppid()).read()), attempt(lambda: open("/etc/passwd").read()),
      attempt(lambda: os.unlink({str(secret)!r})), attempt(lambda: open({str(secret)!r}, "w")),
      attempt(lambda: os.truncate({str(secret)!r}, 0)), attempt(lambda: os.chmod({str(secret)!r}, 0))])
"""
    assert told(a_file, program) == str(["PermissionError"] * 8)
    assert secret.read_text() == "swordfish"


@LINUX
def test_it_changes_no_file_that_it_may_read(a_file: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A folder of packages is readable: what opens there to be read can neither be emptied nor locked away."""
    if landlock() < 3:
        pytest.skip("this kernel's Landlock does not know of truncating")
    packages = tmp_path / "packages"
    packages.mkdir()
    module = packages / "module.py"
    module.write_text("swordfish")
    module.chmod(0o644)
    with suppress(OSError):  # not every disk knows them
        os.setxattr(module, "user.mark", b"here")
    marks = os.listxattr(module)
    os.utime(module, ns=(1_000_000_000, 1_000_000_000))
    monkeypatch.syspath_prepend(packages)
    program = f"""
file = os.open({str(module)!r}, os.O_RDONLY)
tell([attempt(lambda: os.read(file, 20)), attempt(lambda: os.open({str(module)!r}, os.O_RDONLY | os.O_TRUNC)),
      attempt(lambda: os.fchmod(file, 0)), attempt(lambda: os.fchown(file, os.getuid(), os.getgid())),
      attempt(lambda: os.fchmod(0, 0)), attempt(lambda: os.link({str(module)!r}, {str(packages / "b")!r})),
      attempt(lambda: os.utime(file)), attempt(lambda: os.utime({str(module)!r})),
      attempt(lambda: os.setxattr(file, "user.a", b"b")), attempt(lambda: os.setxattr({str(module)!r}, "user.a", b"b")),
      attempt(lambda: os.removexattr(file, "user.mark")),
      attempt(lambda: os.removexattr({str(module)!r}, "user.mark"))])
"""
    assert told(a_file, program) == str(["b'swordfish'"] + ["PermissionError"] * 11)
    assert module.read_text() == "swordfish"
    assert os.listxattr(module) == marks
    assert module.stat().st_mtime_ns == 1_000_000_000
    assert module.stat().st_mode & 0o777 == 0o644


def test_it_inherits_no_open_file(a_file: Path, tmp_path: Path) -> None:
    with (tmp_path / "open").open("wb") as other:
        os.set_inheritable(other.fileno(), True)
        program = "tell([n for n in range(3, 60) if attempt(lambda: os.fstat(n)) != 'OSError'])"
        assert told(a_file, program) == "[]"


READY_AND_WAITING = "import signal; signal.signal(signal.SIGUSR2, signal.SIG_IGN); time.sleep(600)"


@LINUX
def test_it_does_not_outlive_its_worker(a_file: Path) -> None:
    program = f"""
from django.conf import settings
settings.configure(
    LECTERN_PARSE_SECONDS=60, LECTERN_PARSE_MEMORY_MB=1024, LECTERN_MAX_CHARACTERS=1000, LECTERN_MAX_PAGES=9
)
from corpus.ingestion.sandbox import runner
with open({str(a_file)!r}, "rb") as file:
    runner.parse_in_sandbox(file, command=(*runner.PYTHON, "-c", {TELL + READY_AND_WAITING!r}))
"""
    worker = subprocess.Popen([sys.executable, "-c", program], cwd=runner._ROOT)
    found = psutil.Process(worker.pid)
    wait_for(lambda: bool(found.children()))
    (child,) = found.children()
    wait_for(lambda: ignores(child, signal.SIGUSR2))  # so it has asked to be told before
    worker.kill()
    worker.wait()
    wait_for(lambda: not child.is_running() or child.status() == psutil.STATUS_ZOMBIE)


def test_the_numbers_of_calls_are_known_for_both_machines() -> None:
    for machine in ("x86_64", "aarch64"):
        known = refused_calls(machine)
        assert known is not None
        assert len(set(known[1])) == len(known[1])
    assert refused_calls("x86_64", but={"execve"}) == (
        0xC000003E,
        tuple(number for number in (refused_calls("x86_64") or (0, ()))[1] if number != 59),
    )
    assert refused_calls("riscv64") is None


def test_walls_that_a_system_lacks_are_named() -> None:
    program = (
        "import sys; sys.platform = {!r};"
        " from corpus.ingestion.sandbox.limits import missing_protections as m; print(len(m()))"
    )
    for platform, count in (("darwin", "2"), ("linux", "0" if landlock() >= 3 else "1")):
        command = [sys.executable, "-c", program.format(platform)]
        done = subprocess.run(command, cwd=runner._ROOT, capture_output=True, text=True, check=True)
        assert done.stdout.strip() == count or sys.platform != "linux"


def test_a_worker_says_at_its_start_what_it_lacks(settings: Settings, caplog: pytest.LogCaptureFixture) -> None:
    settings.LECTERN_TESSERACT = "no-such-program"
    with caplog.at_level("INFO"):
        log_missing_features()
    said = [record.getMessage() for record in caplog.records]
    assert len(said) == len(missing_protections()) + 1
    assert "Tesseract is not installed" in said[-1]
