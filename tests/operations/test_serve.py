"""`manage.py serve`, as a person runs it."""

import json
import os
import re
import signal
import socket
import sys
from pathlib import Path
from typing import Any

import psutil
import psycopg
import pytest

from operations import embedded
from operations.processes import MAX_LOG_BYTES
from tests.running import RunningLectern, free_port, manage, serve, wait_for

UPLOAD = """
from django.core.files.base import ContentFile
from knowledge.services import upload
from schools.models import *
school = School.objects.create(name="Killed", slug="killed")
user = User.objects.create_user("alice@killed.example", name="Alice")
member = Membership.objects.create(school=school, user=user)
text = "# Long\\n\\n" + "\\n\\n".join(
    f"## Part {n}\\n\\n" + " ".join(f"Sentence {s} of part {n} speaks of burettes and acids." for s in range(30))
    for n in range(50)
)
upload(member=member, file=ContentFile(text.encode(), name="long.md"), title="long")
"""

MAIL = """
from celery import current_app
from classrooms.models import ConcernMail
from schools.models import Membership
member = Membership.objects.get(user__email="alice@killed.example")
ConcernMail.objects.create(school=member.school, member=member, subject="Please look", body="At the class.")
current_app.send_task("classrooms.tasks.mail_new_flags")
"""

STATE = """
SELECT status, progress_done, chunk_count, attempts,
    (SELECT count(*) FROM knowledge_personalchunk AS chunk WHERE chunk.document_id = document.id)
FROM knowledge_personaldocument AS document WHERE title = 'long'
"""


def test_everything_answers_once_it_says_so(running_lectern: RunningLectern) -> None:
    assert running_lectern.get("/healthz") == (200, json.dumps({"status": "ok"}))
    assert running_lectern.get("/readyz") == (200, json.dumps({"status": "ok"}))
    assert len(set(running_lectern.pids().values())) == 6
    assert running_lectern.address in running_lectern.output


def test_the_access_log_has_no_search_words_and_no_mailed_keys(running_lectern: RunningLectern) -> None:
    running_lectern.get("/accounts/login/?next=/library/%3Fsearch%3Dswordfish")
    running_lectern.get("/accounts/password/reset/key/1a-swordfish/")
    log = running_lectern.data / "logs" / "web.log"
    wait_for(lambda: '"GET /accounts/password/reset/key/…/ HTTP/1.1" 200' in log.read_text())
    (line,) = [line for line in log.read_text().splitlines() if '"GET /accounts/login/ HTTP/1.1" 200' in line]
    assert re.match(r"\d{4}-\d\d-\d\d \d\d:\d\d:\d\d,\d{3} INFO uvicorn.access: 127\.0\.0\.1:", line)
    assert "swordfish" not in log.read_text()


def test_a_log_is_rotated_while_its_process_runs(running_lectern: RunningLectern) -> None:
    log = running_lectern.data / "logs" / "web.log"
    with log.open("ab") as file:
        file.write(b"x" * (MAX_LOG_BYTES + 1))
    wait_for(lambda: log.stat().st_size < MAX_LOG_BYTES)
    running_lectern.get("/healthz")
    wait_for(lambda: b'"GET /healthz' in log.read_bytes())
    assert not log.read_bytes().startswith(b"\0") and log.with_suffix(".old.log").stat().st_size > MAX_LOG_BYTES


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
    assert f"already running with {running_lectern.data} (process {running_lectern.process.pid})" in done.stderr
    assert running_lectern.get("/readyz")[0] == 200


@pytest.mark.parametrize("name", ["worker", "sweeper", "web", "postgres"])
def test_what_is_killed_is_started_again(running_lectern: RunningLectern, name: str) -> None:
    said = f"{name:>8} | started again"
    before = running_lectern.output.count(said)  # other tests kill, too
    killed = running_lectern.child(name)
    offspring = killed.children(recursive=True)
    killed.send_signal(signal.SIGKILL)
    wait_for(lambda: running_lectern.output.count(said) == before + 1)
    assert running_lectern.child(name).pid != killed.pid
    psutil.wait_procs(offspring, timeout=120)
    assert not [process for process in offspring if process.is_running()]
    wait_for(lambda: _is_ready(running_lectern))


def state(lectern: RunningLectern) -> tuple[str, int, int, int, int]:
    """Of the document: status, passages embedded, how many there will be, attempts, and those that stand there."""
    with connected(lectern) as connection:
        row: tuple[str, int, int, int, int] | None = connection.execute(STATE).fetchone()
    assert row
    return row


def connected(lectern: RunningLectern) -> psycopg.Connection[Any]:
    database = embedded.database_settings(lectern.data)
    return psycopg.connect(host=database["HOST"], user=database["USER"], dbname=database["NAME"])


def test_a_mail_waits_for_no_document_and_a_killed_worker_for_nobody(running_lectern: RunningLectern) -> None:
    """A long scan holds no mail about a child back. A killed worker loses nothing (D6): its job ends by itself."""
    blocking = connected(running_lectern)
    blocking.execute("LOCK TABLE knowledge_personalchunk IN SHARE ROW EXCLUSIVE MODE")  # so it cannot become ready
    made = running_lectern.manage("shell", "--no-imports", "-c", UPLOAD)
    assert made.returncode == 0, made.stderr

    def embedding() -> bool:
        status, done, *_ = state(running_lectern)
        return status == "indexing" and done > 0

    wait_for(embedding, 180)
    done = running_lectern.manage("shell", "--no-imports", "-c", MAIL)
    assert done.returncode == 0, done.stderr
    wait_for(lambda: any("Please look" in one.read_text() for one in running_lectern.data.glob("mail/*.log")), 60)

    worker = running_lectern.child("worker")
    for process in [*worker.children(recursive=True), worker]:
        process.kill()
    wait_for(lambda: not psutil.pid_exists(worker.pid) or worker.status() == psutil.STATUS_ZOMBIE)
    status, *_, chunks = state(running_lectern)
    assert (status, chunks) == ("indexing", 0)
    blocking.close()
    wait_for(lambda: state(running_lectern)[0] == "ready", 300)
    _, _, counted, attempts, chunks = state(running_lectern)
    log = (running_lectern.data / "logs" / "worker.log").read_text()
    told = set(re.findall(r"Task ([\w.]+)\[", log))
    assert "corpus.tasks.index_documents" in told and "lti.tasks.send_grades" not in told
    assert chunks == counted > 50
    assert attempts == 0
    assert running_lectern.child("worker").pid != worker.pid


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
    assert "holds no config.json" in manage(tmp_path, "reader", str(tmp_path)).stderr


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux tells children that their parent died")
def test_killed_it_leaves_no_processes_and_stopped_it_leaves_nothing(running_lectern: RunningLectern) -> None:
    """The last test here: it ends the Lectern of the others."""
    data = running_lectern.data
    processes = running_lectern.everything()
    port = running_lectern.address.rpartition(":")[2]
    web = running_lectern.child("web")
    for process in [web, *web.children(recursive=True)]:
        process.suspend()  # as busy ones they do not end at once, and hold the port
    assert running_lectern.stop(signal.SIGKILL) == -signal.SIGKILL
    running_lectern = serve(data, PORT=port)
    _, alive = psutil.wait_procs(processes, timeout=120)
    assert not alive

    processes = running_lectern.everything()
    assert running_lectern.stop(signal.SIGKILL) == -signal.SIGKILL
    _, alive = psutil.wait_procs(processes, timeout=120)
    assert not alive

    # The pid in the file now belongs to a living process: this one.
    (data / "postgres" / "postmaster.pid").write_text(f"{os.getpid()}\n{data}/postgres\n")
    restarted = serve(data)
    processes = restarted.everything()
    assert len(processes) >= 5
    assert restarted.stop(signal.SIGINT) == 0
    _, alive = psutil.wait_procs(processes, timeout=0)
    assert not alive
    assert not (data / "postgres" / "postmaster.pid").exists()
    assert not list(Path("/tmp").glob(f"lectern-*-{embedded.key(data)}"))


def _is_ready(lectern: RunningLectern) -> bool:
    try:
        return lectern.get("/readyz")[0] == 200
    except OSError:
        return False
