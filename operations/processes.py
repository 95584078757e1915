"""A child process with its own process group and log file, stopped together with its children."""

import contextlib
import ctypes
import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

MAX_LOG_BYTES = 10_000_000
PR_SET_PDEATHSIG = 1  # linux/prctl.h
_libc = ctypes.CDLL(None) if sys.platform == "linux" else None


@dataclass
class Child:
    """A process that the supervisor starts and stops.

    `stop_signal` asks it to end; after `patience` seconds it is killed. `orphan_signal` is the signal that Linux sends
    it when the supervisor dies. `account` holds subprocess' user, group and extra_groups.
    """

    name: str
    command: Sequence[str | Path]
    log: Path
    cwd: Path
    environment: Mapping[str, str] | None = None
    account: Mapping[str, Any] = field(default_factory=dict)
    stop_signal: signal.Signals = signal.SIGTERM
    orphan_signal: signal.Signals = signal.SIGTERM
    patience: float = 10
    niceness: int = 0
    process: subprocess.Popen[bytes] | None = None
    started: float = 0
    crashes: int = 0  # one soon after the other
    restart_at: float | None = None

    def start(self) -> None:
        self.log.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        self.rotate_log()
        self.started = time.monotonic()
        with self.log.open("ab") as log:
            self.process = subprocess.Popen(
                self.command,
                cwd=self.cwd,
                env=self.environment,
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=subprocess.STDOUT,
                start_new_session=True,
                umask=0o077,  # uploads and dumps are nobody else's business
                preexec_fn=_before_exec(self.orphan_signal, self.niceness),
                **self.account,
            )

    def rotate_log(self) -> None:
        """Sets a long log aside. The process goes on writing to the same file, at its new end."""
        if self.log.exists() and self.log.stat().st_size > MAX_LOG_BYTES:
            shutil.copyfile(self.log, self.log.with_suffix(".old.log"))
            os.truncate(self.log, 0)

    def exit_code(self) -> int | None:
        """None while it runs (or was never started); negative when a signal ended it."""
        return self.process.poll() if self.process else None

    def running(self) -> bool:
        return self.process is not None and self.process.poll() is None

    def ended(self) -> str:
        """How it ended, in words."""
        code = self.exit_code() or 0
        return f"ended by signal {-code}" if code < 0 else f"ended with code {code}"

    def stop(self, hurry: Callable[[], bool] = lambda: False) -> None:
        """Stops the process and its children. Once `hurry` returns True it is killed after two seconds."""
        if self.process is None:
            return
        deadline = time.monotonic() + self.patience
        with contextlib.suppress(PermissionError):
            self.process.send_signal(self.stop_signal)
        while self.running() and time.monotonic() < deadline:
            time.sleep(0.02)
            if hurry():
                deadline = min(deadline, time.monotonic() + 2)
        # Also what a dead leader left behind; the polite signal was the leader's to pass on.
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(self.process.pid, signal.SIGKILL)
        self.process.wait()


def last_lines(log: Path, count: int) -> str:
    """The end of a log, for a message to a person."""
    if not log.exists():
        return ""
    with log.open("rb") as file:
        file.seek(max(0, log.stat().st_size - 4000))
        return "\n".join(file.read().decode(errors="replace").splitlines()[-count:])


def _before_exec(orphan_signal: signal.Signals, niceness: int) -> Callable[[], None]:
    """The function that runs in the child before exec. It must not import or print."""

    def prepare() -> None:
        if _libc is not None:
            _libc.prctl(PR_SET_PDEATHSIG, int(orphan_signal), 0, 0, 0)
        if niceness:
            os.nice(niceness)

    return prepare
