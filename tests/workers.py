"""A Celery worker on the test database, in a process of its own that can be killed and started again."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import quote

from django.conf import settings
from django.db import connection

from tests.running import wait_for


def environment(**more: str) -> dict[str, str]:
    """What a process needs to work on the database of the test."""
    database = connection.settings_dict
    host = quote(str(database["HOST"]), safe="")
    url = f"postgres://{database['USER']}@{host}/{database['NAME']}"
    return {**os.environ, "DATABASE_URL": url, "OMP_NUM_THREADS": "1", **more}


@dataclass
class Worker:
    """Reads and writes files in `LECTERN_DATA/files`: let MEDIA_ROOT of the test lie there."""

    more: dict[str, str] = field(default_factory=dict)
    app: str = "config"
    process: subprocess.Popen[bytes] | None = None

    @property
    def log(self) -> Path:
        return Path(settings.DATA_DIR) / f"worker-{connection.settings_dict['NAME']}-{id(self)}.log"

    def start(self) -> None:
        """Start, and wait until it takes tasks."""
        command = [sys.executable, "-m", "celery", "-A", self.app, "worker", "--pool", "solo"]
        with self.log.open("wb") as output:
            process = subprocess.Popen(
                [*command, "--loglevel", "INFO", "--without-gossip", "--without-mingle"],
                cwd=settings.BASE_DIR,
                env=environment(**self.more),
                stdout=output,
                stderr=subprocess.STDOUT,
            )
        self.process = process
        wait_for(lambda: b"ready." in self.log.read_bytes() or process.poll() is not None, 180)
        assert b"ready." in self.log.read_bytes(), self.log.read_text()  # it may have died of its first task since

    def kill(self) -> None:
        """As kill -9 does: it gets no chance to tidy up."""
        assert self.process is not None
        self.process.kill()
        self.process.wait(120)

    def wait_for_death(self, seconds: float = 300) -> None:
        """Wait until it has killed itself, as its app was told to."""
        assert self.process is not None
        assert self.process.wait(seconds) == -signal.SIGKILL, self.log.read_text()

    def stop(self) -> None:
        if self.process and self.process.poll() is None:
            self.process.terminate()
            self.process.wait(120)
