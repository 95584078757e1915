"""Files read in a process of their own by a test: by the real reader, or by one that a file has taken over."""

from __future__ import annotations

import ctypes
import signal
import sys
from pathlib import Path

import psutil
import pytest

from corpus.ingestion.parsing import Parsed, UnreadableDocument
from corpus.ingestion.sandbox import runner
from corpus.ingestion.sandbox.runner import PYTHON

LINUX = pytest.mark.skipif(sys.platform != "linux", reason="the kernel's help is Linux'")
TELL = """
import ctypes, json, os, sys, time
from corpus.ingestion.sandbox.worker import prepare
order = prepare()
libc = ctypes.CDLL(None, use_errno=True)
def tell(words): os.write(1, json.dumps({"unreadable": str(words)}).encode()); os._exit(0)
def attempt(action):
    try: return repr(action())
    except BaseException as error: return type(error).__name__
"""


def run(path: Path, program: str | None = None) -> Parsed:
    """Read a file, by a program of a test's own when there is one."""
    command = runner.WORKER if program is None else (*PYTHON, "-c", TELL + program)
    with path.open("rb") as file:
        return runner.parse_in_sandbox(file, filename=path.name, command=command)


def told(path: Path, program: str) -> str:
    """What a program told, as the reason why its file cannot be read."""
    with pytest.raises(UnreadableDocument) as refused:
        run(path, program)
    return str(refused.value)


def ignores(process: psutil.Process, number: signal.Signals) -> bool:
    lines = Path(f"/proc/{process.pid}/status").read_text().splitlines()
    (ignored,) = (line for line in lines if line.startswith("SigIgn:"))
    return bool(int(ignored.split()[1], 16) >> (number - 1) & 1)


def descendants() -> list[psutil.Process]:
    return [child for child in psutil.Process().children(recursive=True) if "-P" in child.cmdline()]


def landlock() -> int:
    """The version of the kernel's Landlock, below 1 where it is not there."""
    return int(ctypes.CDLL(None).syscall(444, 0, 0, 1))
