"""Starts the services of docker-compose.yml from an image, without Docker, and asks a question until it is answered.

    PYTHONPATH=. .venv/bin/python .ci/first_answer.py CONTAINER

CONTAINER is a fresh working container of buildah. Its processes share this machine's network: the embedded PostgreSQL
and Redis stand in for `database` and `redis`, at ports of their own. Prints the seconds from the start of the services
to the answer, and exits with 1 and a sentence if something is wrong.
"""

import json
import os
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import psutil
import psycopg
import yaml

from operations import embedded, postgres
from operations.health import redis_answers
from operations.processes import Child, last_lines

PATIENCE = 120  # seconds after which a step is taken to have failed

ROOT = Path(__file__).resolve().parent.parent
SERVICES: dict[str, dict[str, Any]] = yaml.safe_load((ROOT / "docker-compose.yml").read_text())["services"]
STEADY = ("web", "worker", "sweeper", "beat")
USER = 10001  # of the image

PEOPLE = """
from schools.models import Membership, Role, School, User
school = School.objects.create(name="Riverside", slug="riverside")
Membership.objects.create(school=school, user=User.objects.create(email="t@riverside.example"), role=Role.TEACHER)
"""
DOCUMENT = "# Acids in year 9\n\nHydrochloric acid for the practical has 0.5 mol/l. Goggles are worn all the time.\n"
QUESTION, ANSWER = "How strong is the hydrochloric acid?", "0.5 mol/l"


class Failed(Exception):
    """The image does not do what it should; the message says what."""


class Stage:
    """A working container, a folder for its /tmp and the logs, and the processes that were started.

    buildah gives the container its volume /data.
    """

    def __init__(self, container: str, folder: Path) -> None:
        self.container, self.folder = container, folder
        self.port, self.database, self.redis = _free_port(), _free_port(), _free_port()
        self.children: list[Child] = []
        self.temporary = folder / "tmp"
        self.temporary.mkdir()
        os.chown(self.temporary, USER, USER)

    def command(self, service: str, words: list[str]) -> list[str]:
        """Return the command that runs `words` in the container as Compose would for `service`, at our ports."""
        given = {
            **SERVICES[service]["environment"],
            "LECTERN_SECRET_KEY": "only-for-this-check-" * 3,
            "DATABASE_URL": f"postgres://lectern@127.0.0.1:{self.database}/lectern",
            "REDIS_URL": f"redis://127.0.0.1:{self.redis}/0",
            "PORT": str(self.port),
            "HOSTNAME": f"lectern-{service}",
        }
        variables = [word for name, value in given.items() for word in ("--env", f"{name}={value}")]
        moved = [str(self.port) if word == "8000" else word for word in words]
        hostname = ["--hostname", given["HOSTNAME"]]
        volume = ["--volume", f"{self.temporary}:/tmp"]
        return ["buildah", "run", *hostname, *volume, *variables, self.container, "--", *moved]

    def run(self, service: str, *words: str) -> str:
        """Run a command to its end and return what it prints."""
        done = subprocess.run(self.command(service, [*words]), capture_output=True, text=True, stdin=subprocess.DEVNULL)
        if done.returncode:
            raise Failed(f"“{' '.join(words)}” ended with code {done.returncode}.\n{done.stdout}{done.stderr}")
        return done.stdout

    def start(self, child: Child) -> None:
        child.start()
        self.children.append(child)

    def log(self, name: str) -> Path:
        return self.folder / "logs" / f"{name}.log"

    def stop(self) -> None:
        """Stop everything. `buildah run` does not pass on signals to what it runs."""
        for child in reversed(self.children):
            inside = psutil.Process(child.process.pid).children(recursive=True) if child.process else []
            for process in inside if child.name in STEADY else []:
                process.terminate()
            psutil.wait_procs(inside if child.name in STEADY else [], timeout=10)
            child.stop()


def main() -> None:
    with TemporaryDirectory(prefix="lectern-image-") as name:
        folder = Path(name)
        folder.chmod(0o711)  # PostgreSQL's user passes through
        stage = Stage(sys.argv[1], folder)
        try:
            _start_servers(stage)
            _check(stage)
        except Failed as failure:
            for service in STEADY:
                print(f"--- {service}\n{last_lines(stage.log(service), 20)}", file=sys.stderr)
            sys.exit(f"The image fails: {failure}")
        finally:
            stage.stop()


def _check(stage: Stage) -> None:
    began = time.monotonic()
    stage.run("migrate", *SERVICES["migrate"]["command"])
    print(f"The database was prepared in {time.monotonic() - began:.1f} s.")
    stage.run("web", "python", "manage.py", "shell", "--verbosity", "0", "--command", PEOPLE)
    token = stage.run("web", "python", "manage.py", "create_token", "t@riverside.example", "--scope", "write").strip()
    began = time.monotonic()
    for service in STEADY:
        command = stage.command(service, SERVICES[service]["command"])
        stage.start(Child(service, command, stage.log(service), cwd=ROOT))
    answer = _first_answer(stage, token, began)
    seconds = time.monotonic() - began
    print(f"From the start of web, worker and beat to the first answer: {seconds:.1f} s.")
    if ANSWER not in answer:
        raise Failed(f"the answer is “{answer}”.")
    _check_health(stage)


def _first_answer(stage: Stage, token: str, began: float) -> str:
    """Upload a document, make a chatbot that reads it, and ask. A new service is asked again until it answers."""

    def call(method: str, path: str, body: bytes, kind: str = "application/json") -> Any:
        headers = {"Authorization": f"Bearer {token}", "Content-Type": kind}
        address = f"http://127.0.0.1:{stage.port}/api/v1{path}"
        request = urllib.request.Request(address, body or None, headers, method=method)
        try:
            with urllib.request.urlopen(request, timeout=60) as response:  # noqa: S310 - ours, http
                return json.load(response)
        except urllib.error.HTTPError as error:
            raise Failed(f"{method} {path} gives {error.code}: {error.read().decode()[:500]}") from error

    def listens() -> bool:
        with socket.socket() as client:
            return client.connect_ex(("127.0.0.1", stage.port)) == 0

    _wait_for(stage, "web listens", listens)
    print(f"  web listens after {time.monotonic() - began:.1f} s")
    form, boundary = _form("acids.md", DOCUMENT)
    document = call("POST", "/documents", form, f"multipart/form-data; boundary={boundary}")["id"]
    chatbot = call("POST", "/chatbots", b'{"name": "Chemistry 9"}')["id"]
    call("PUT", f"/chatbots/{chatbot}/sources", json.dumps({"personal": [document], "school": []}).encode())
    _wait_for(stage, "the document is ready", lambda: call("GET", f"/documents/{document}", b"")["status"] == "ready")
    print(f"  the document is indexed after {time.monotonic() - began:.1f} s")
    answer: str = call("POST", f"/chatbots/{chatbot}/ask", json.dumps({"question": QUESTION}).encode())["answer"]
    return answer


def _check_health(stage: Stage) -> None:
    """Run each service's health check, and look for what went wrong without being noticed."""
    for service in STEADY:
        kind, *words = SERVICES[service]["healthcheck"]["test"]
        # Compose writes $$ for a dollar sign.
        shell = ["sh", "-c", words[0].replace("$$", "$")]
        stage.run(service, *(shell if kind == "CMD-SHELL" else words))
        log = stage.log(service).read_text(errors="replace")
        if "Traceback" in log or "Converting" in log:
            raise Failed(f"{service} has something to say.")
    print("The health checks of web, worker and beat pass.")


def _start_servers(stage: Stage) -> None:
    cluster = postgres.find_cluster(stage.folder)
    embedded.make_socket_directory(stage.folder)
    postgres.initialise(cluster, stage.log("postgres"), sync=False)
    server = postgres.make_postgres(cluster, stage.log("postgres"), safe=False)
    server.command = [*server.command, "--listen_addresses=127.0.0.1", f"--port={stage.database}"]
    stage.start(server)
    program = embedded.redis_program()
    if program is None:
        raise Failed("there is no redis-server on this machine.")
    words: list[str | Path] = [program, "--port", str(stage.redis), "--bind", "127.0.0.1", "--save", "", "--dir"]
    words.append(stage.folder)
    stage.start(Child("redis", words, stage.log("redis"), cwd=stage.folder))
    address = f"host=127.0.0.1 port={stage.database} user={embedded.DATABASE_USER} dbname=postgres"

    def database_is_there() -> bool:
        try:
            with psycopg.connect(address, autocommit=True) as connection:
                connection.execute(f"CREATE DATABASE {embedded.DATABASE_NAME}")
        except psycopg.OperationalError:
            return False
        return True

    _wait_for(stage, "PostgreSQL answers", database_is_there)
    _wait_for(stage, "Redis answers", lambda: redis_answers(f"redis://127.0.0.1:{stage.redis}/0"))


def _wait_for(stage: Stage, what: str, happened: Callable[[], bool]) -> None:
    deadline = time.monotonic() + PATIENCE
    while not happened():
        ended = [child for child in stage.children if not child.running()]
        if ended:
            raise Failed(f"{ended[0].name} {ended[0].ended()} before {what}.\n{last_lines(ended[0].log, 20)}")
        if time.monotonic() > deadline:
            raise Failed(f"it is not so after {PATIENCE} s that {what}.")
        time.sleep(0.1)


def _form(filename: str, content: str) -> tuple[bytes, str]:
    """Return a multipart form with one file, and its boundary."""
    boundary = "lectern-image-check"
    head = f'--{boundary}\r\nContent-Disposition: form-data; name="file"; filename="{filename}"\r\n'
    return f"{head}Content-Type: text/markdown\r\n\r\n{content}\r\n--{boundary}--\r\n".encode(), boundary


def _free_port() -> int:
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        port: int = listener.getsockname()[1]
        return port


if __name__ == "__main__":
    main()
