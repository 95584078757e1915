"""One PostgreSQL and one Redis for a whole test run, and a network that ends at this machine.

Called by tests/conftest.py before Django reads its settings. The pytest process starts the servers in a
temporary LECTERN_DATA; xdist workers inherit that and have a Redis database each.
DATABASE_URL and REDIS_URL take precedence, as everywhere.
"""

import atexit
import ipaddress
import os
import shutil
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from operations import embedded, postgres, redis_server
from operations.processes import Child, last_lines

ROOT = Path(__file__).resolve().parent.parent


class NetworkRefused(RuntimeError):
    """A test tried to leave this machine. Not an OSError: nobody is meant to take it for a bad line."""


def start() -> None:
    """Starts what the environment does not give, and sets the environment for the settings."""
    worker = os.environ.get("PYTEST_XDIST_WORKER")
    if worker is None:
        data = Path(tempfile.mkdtemp(prefix="lectern tests "))
        data.chmod(0o711)  # PostgreSQL's user passes through
        (data / "static").mkdir()  # ServeStatic warns where nothing was collected
        os.environ["LECTERN_DATA"] = str(data)
        os.environ.setdefault("LECTERN_MODELS", str(ROOT / "var" / "models"))  # converted once for all runs
        embedded.make_socket_directory(data)
        for directory in (data, embedded.socket_directory(data)):
            atexit.register(shutil.rmtree, directory, ignore_errors=True)
        if not os.environ.get("DATABASE_URL"):
            _start_postgres(data)
        if not os.environ.get("REDIS_URL") and embedded.redis_program():
            _run(redis_server.server(data, data / "redis.log"), lambda: redis_server.is_ready(data))
            os.environ["REDIS_URL"] = embedded.redis_url(data)
    elif os.environ.get("REDIS_URL", "").endswith("?db=0"):
        number = 1 + int(worker.removeprefix("gw")) % 15
        os.environ["REDIS_URL"] = os.environ["REDIS_URL"].removesuffix("0") + str(number)


def refuse_network() -> None:
    """From here on this process reaches loopback addresses and unix sockets only."""
    sys.addaudithook(_check_address)


def _start_postgres(data: Path) -> None:
    cluster, log = postgres.find_cluster(data), data / "postgres.log"
    postgres.initialise(cluster, log, sync=False)
    if cluster.directory.parent != data:
        atexit.register(shutil.rmtree, cluster.directory.parent, ignore_errors=True)
    _run(postgres.make_postgres(cluster, log, safe=False), lambda: postgres.accepts_connections(cluster))


def _run(child: Child, ready: Callable[[], bool], seconds: float = 120) -> None:
    child.start()
    atexit.register(child.stop)
    deadline = time.monotonic() + seconds
    while not ready():
        if not child.running() or time.monotonic() > deadline:
            raise RuntimeError(f"The tests' {child.name} did not start:\n{last_lines(child.log, 8)}")
        time.sleep(0.05)


def _check_address(event: str, arguments: tuple[Any, ...]) -> None:
    if event == "socket.connect":
        address = arguments[1]
        host = address[0] if isinstance(address, tuple) else None  # a unix socket's address is a path
    elif event == "socket.getaddrinfo":
        host = arguments[0]
    else:
        return
    if host is not None and not _is_local(str(host)):
        raise NetworkRefused(f"Tests stay on this machine; this one tried to reach {host}.")


def _is_local(host: str) -> bool:
    if host in {"", "localhost"}:
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False
