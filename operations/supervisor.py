"""Runs all of Lectern on one machine: starts its processes in order, restarts them, stops them in reverse order.

Each process has a log file in LECTERN_DATA/logs; the terminal shows starts and stops. A signal only sets a flag, which
is checked between two steps, so that no process is interrupted while it starts.
"""

import contextlib
import fcntl
import os
import shutil
import signal
import socket
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from types import FrameType

import psutil
from django.conf import settings

from operations import embedded, health, postgres, probe, redis_server
from operations.processes import Child, last_lines

STEP = 0.1  # seconds between two looks at the processes
START_LIMIT = 120  # seconds a process may take to become ready; a first migration is slow on a slow disk
WORKER_NICENESS = 15  # it embeds on all cores, but gives way: questions take 1.4 times as long (p95)
MARK = "LECTERN_SUPERVISED"  # in the environment of every child: the data directory


class Interrupted(Exception):
    """A signal asked the supervisor to stop."""


class StartFailed(Exception):
    """Lectern cannot start; the message says why and what to do."""


@dataclass
class Supervisor:
    """`say` prints a line about a named process to the terminal."""

    data: Path
    host: str
    port: int
    say: Callable[[str, str], None]
    children: list[Child] = field(default_factory=list)
    stop_requests: int = 0

    def run(self, when_ready: Callable[[str], None]) -> None:
        """Runs until a signal arrives, then stops everything. Raises StartFailed."""
        with lock_data_directory(self.data):
            self.heed_signals()
            end_orphans(self.data)
            refuse_port_in_use(self.host, self.port)
            try:
                self.start_services()
                self.prepare()
                self.start_application()
                when_ready(self.address)
                while True:
                    self.pause()
            except Interrupted:
                self.say("lectern", "stopping")
            finally:
                self.stop()

    @property
    def address(self) -> str:
        host = {"0.0.0.0": "127.0.0.1", "::": "::1"}.get(self.host, self.host)  # noqa: S104 - not bound here
        return f"http://[{host}]:{self.port}" if ":" in host else f"http://{host}:{self.port}"

    def start_services(self) -> None:
        """Starts PostgreSQL and Redis unless their addresses are given, and waits for them."""
        embedded.make_socket_directory(self.data)
        if not os.environ.get("DATABASE_URL"):
            cluster = postgres.find_cluster(self.data)
            if not (cluster.directory / "PG_VERSION").exists():
                self.say("postgres", "creating the database")
            postgres.initialise(cluster, self.log("postgres"))
            if postgres.stop_leftover_postgres(cluster):
                self.say("postgres", "an earlier server was still running and has been stopped")
            server = self.start(postgres.make_postgres(cluster, self.log("postgres")))
            self.wait_until(lambda: postgres.accepts_connections(cluster), server)
            postgres.create_database(cluster)
        if not os.environ.get("REDIS_URL") and embedded.redis_program():
            redis_server.end_leftover(self.data)
            redis = self.start(redis_server.server(self.data, self.log("redis")))
            self.wait_until(lambda: redis_server.is_ready(self.data), redis)
        self.wait_for_services()

    def wait_for_services(self) -> None:
        deadline = time.monotonic() + START_LIMIT
        while missing := health.list_missing_services():
            if time.monotonic() > deadline:
                variables = {"database": "DATABASE_URL", "broker": "REDIS_URL"}
                hints = " and ".join(variables[name] for name in missing)
                raise StartFailed(f"The {' and the '.join(missing)} cannot be reached. Check {hints}.")
            self.say("lectern", f"waiting for the {' and the '.join(missing)}")
            self.pause(2)

    def prepare(self) -> None:
        """Runs migrations and collects static files."""
        self.say("lectern", "preparing the database")
        child = self.python("prepare", "manage.py", "prepare")
        if self.run_to_its_end(child):
            raise StartFailed(f"The database could not be prepared.\n{describe_ending(child)}")

    def check_model(self) -> None:
        """Says whether the language model answers, if one is set up."""
        if settings.LECTERN_LLM_MODEL:
            child = self.python("model", "manage.py", "language_model", "--brief")
            self.run_to_its_end(child)
            self.say(child.name, last_lines(child.log, 1))

    def load_demo(self) -> None:
        """Loads the demo school if there is no school yet."""
        if not settings.LECTERN_DEMO:
            return
        self.say("lectern", "loading the demo school, unless there is one (about a minute, once)")
        child = self.python("demo", "manage.py", "load_demo")
        if self.run_to_its_end(child):
            self.say("lectern", f"the demo school could not be loaded (log: {child.log})")

    def run_to_its_end(self, child: Child) -> int | None:
        """Runs a process once and returns its exit code."""
        child.start()
        try:
            while child.running():
                self.pause()
        finally:
            child.stop()
        return child.exit_code()

    def start_application(self) -> None:
        celery = ("-m", "celery", "-A", "config")
        worker = (*celery, "worker", "--loglevel", "INFO", "--without-gossip")
        reading = ("--queues", "documents", "--concurrency", "1")
        sweeping = ("--queues", "mail,celery", "--pool", "threads", "--concurrency", "8", "--hostname", "sweeper@%h")
        schedule = self.data / "beat" / "schedule"
        schedule.parent.mkdir(exist_ok=True)
        beat = (*celery, "beat", "--schedule", str(schedule), "--pidfile", "", "--loglevel", "WARNING")
        # An orphaned worker would hang in its shutdown, missing Redis; the job it drops is done again.
        working = [
            self.start(self.python(name, *worker, *more, niceness=WORKER_NICENESS, orphan_signal=signal.SIGKILL))
            for name, more in (("worker", reading), ("sweeper", sweeping))
        ]
        self.start(self.python("beat", *beat, niceness=WORKER_NICENESS))
        serving = self.start(self.python("web", *web_arguments(self.host, self.port)))
        self.check_model()
        self.load_demo()
        header = probe.host_header(settings.ALLOWED_HOSTS)
        self.wait_until(lambda: probe.answers_ready(self.address, header), serving)
        for child, queue in zip(working, ("documents", "mail"), strict=True):
            self.wait_until(lambda queue=queue: queue not in health.unserved_queues(), child)  # type: ignore[misc]

    def python(
        self, name: str, *arguments: str, niceness: int = 0, orphan_signal: signal.Signals = signal.SIGTERM
    ) -> Child:
        # One thread each: with a thread for every core, worker and web process get in each other's way.
        data = str(self.data)
        return Child(
            name,
            [sys.executable, *arguments],
            self.log(name),
            cwd=settings.BASE_DIR,
            environment={
                "OMP_NUM_THREADS": "1",
                **os.environ,
                "LECTERN_DATA": data,
                "PORT": str(self.port),
                MARK: data,
            },
            niceness=niceness,
            orphan_signal=orphan_signal,
        )

    def log(self, name: str) -> Path:
        return self.data / "logs" / f"{name}.log"

    def start(self, child: Child) -> Child:
        child.start()
        self.children.append(child)
        self.say(child.name, "started")
        return child

    def wait_until(self, ready: Callable[[], bool], child: Child) -> None:
        """Waits until a started process is ready. Raises StartFailed when it keeps dying or takes too long."""
        deadline = time.monotonic() + START_LIMIT
        while not ready():
            if child.crashes > 2 or time.monotonic() > deadline:
                raise StartFailed(f"{child.name} did not start.\n{describe_ending(child)}")
            self.pause()

    def pause(self, seconds: float = STEP) -> None:
        """Sleeps, and restarts processes that died. Raises Interrupted after a signal."""
        deadline = time.monotonic() + seconds
        while True:
            if self.stop_requests:
                raise Interrupted
            for child in self.children:
                self.tend(child)
            if time.monotonic() >= deadline:
                return
            time.sleep(STEP)

    def tend(self, child: Child) -> None:
        now = time.monotonic()
        if child.running():
            child.rotate_log()
            return
        if child.restart_at is None:
            child.crashes = (
                1 if now - child.started > 60 else child.crashes + 1
            )  # in a series, one soon after the other
            pause = min(30, 0.25 * 4 ** (child.crashes - 1))
            child.restart_at = now + pause
            child.stop()
            self.say(child.name, f"{child.ended()}; starting it again in {pause:g} s (log: {child.log})")
        elif now >= child.restart_at:
            child.restart_at = None
            child.start()
            self.say(child.name, "started again")

    def stop(self) -> None:
        for child in reversed(self.children):
            child.stop(hurry=lambda: self.stop_requests > 1)
            self.say(child.name, "stopped")
        shutil.rmtree(embedded.socket_directory(self.data), ignore_errors=True)

    def heed_signals(self) -> None:
        def ask_to_stop(number: int, frame: FrameType | None) -> None:
            self.stop_requests += 1

        numbers = [signal.SIGINT, signal.SIGTERM]
        if signal.getsignal(signal.SIGHUP) != signal.SIG_IGN:  # nohup: stay when the terminal goes
            numbers.append(signal.SIGHUP)
        for number in numbers:
            signal.signal(number, ask_to_stop)


def web_arguments(host: str, port: int) -> list[str]:
    """What Python is called with to serve the pages and the API."""
    web = ["-m", "uvicorn", "config.asgi:application", "--host", host, "--port", str(port)]
    web += ["--http", "config.protocol:LimitedProtocol", "--timeout-graceful-shutdown", "8"]
    if settings.LECTERN_WEB_PROCESSES > 1:
        # A process that is busy for some seconds must not be taken for dead.
        web += ["--timeout-worker-healthcheck", "60", "--workers", str(settings.LECTERN_WEB_PROCESSES)]
    return web


def refuse_port_in_use(host: str, port: int) -> None:
    """Raises StartFailed when the address cannot be listened on."""
    try:
        family, kind, _, _, address = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
        with socket.socket(family, kind) as listener:
            listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            listener.bind(address)
    except OSError as error:
        raise StartFailed(
            f"Lectern cannot use port {port} on {host}: {error.strerror}. "
            "Stop what uses it, or choose another with PORT=…, such as PORT=8001 make run."
        ) from error


@contextlib.contextmanager
def lock_data_directory(data: Path) -> Iterator[None]:
    """Holds the data directory for this process. Raises StartFailed while another one does."""
    data.mkdir(parents=True, exist_ok=True)
    with (data / "serve.lock").open("a+") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            lock.seek(0)
            raise StartFailed(
                f"Lectern is already running with {data} (process {lock.read().strip()}). "
                "Stop it first, or choose another directory with LECTERN_DATA=…"
            ) from None
        lock.truncate(0)
        lock.write(str(os.getpid()))
        lock.flush()
        yield


def end_orphans(data: Path) -> None:
    """Kills what a dead supervisor left running, other than PostgreSQL and Redis, and waits: it may hold the port."""
    killed = []
    for process in psutil.process_iter():
        with contextlib.suppress(psutil.Error):
            if process.environ().get(MARK) == str(data):
                process.kill()
                killed.append(process)
    psutil.wait_procs(killed, timeout=5)  # as long where nobody takes note of dead ones, as in some containers


def describe_ending(child: Child) -> str:
    return f"The end of {child.log}:\n\n{last_lines(child.log, 8)}"
