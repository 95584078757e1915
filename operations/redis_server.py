"""The embedded Redis: broker and cache, reachable through a unix socket only."""

import hashlib
import os
from pathlib import Path

import redis

from operations import embedded
from operations.embedded import EmbeddedError
from operations.health import redis_answers
from operations.processes import Child


def server(data: Path, log: Path) -> Child:
    """Redis as a child process, not yet started. It stores its contents in the data directory."""
    program = embedded.redis_program()
    if program is None:
        raise EmbeddedError("No redis-server was found. Install Redis, or set REDIS_URL.")
    directory = data / "redis"
    directory.mkdir(parents=True, exist_ok=True)
    # An older Redis cannot read a newer one's file: each program keeps its own.
    dump = hashlib.sha256(os.fsencode(program)).hexdigest()[:8] + ".rdb"
    command: list[str | Path] = [program, "--port", "0", "--unixsocket", embedded.redis_socket(data)]
    command += ["--unixsocketperm", "700", "--dir", directory, "--dbfilename", dump]
    command += ["--save", "60", "1", "--appendonly", "no", "--daemonize", "no"]
    command += ["--stop-writes-on-bgsave-error", "no"]  # nothing must last, so a full disk stops nothing
    return Child("redis", command, log, cwd=data)


def end_leftover(data: Path) -> None:
    """Stops a Redis that a dead supervisor left running: two of them would write the same file."""
    if embedded.redis_is_running(data):
        with redis.Redis.from_url(embedded.redis_url(data), socket_timeout=5) as client:
            client.shutdown()


def is_ready(data: Path) -> bool:
    """Whether the embedded Redis answers."""
    return redis_answers(embedded.redis_url(data))
