"""What a running Lectern loses while its processes are killed: nothing that it acknowledged, if all is well.

    python -m benchmarks.chaos [--minutes 10] [--pause 15] [--data DIR] [--json result.json]

Starts `manage.py serve` with the demo in a folder of its own. A teacher uploads and replaces documents and asks through
the API; pupils join a class and ask on its pages. Meanwhile one process after the other is killed with SIGKILL: web
server, worker, its child, sweeper, Redis, one backend of PostgreSQL, the whole of PostgreSQL, the scheduler, and the
supervisor, which is started again at once. Redis is also stopped for some seconds. Afterwards each acknowledged thing
is looked up in the database: lost, doubled, or still unfinished (stuck).
The bars: 0 lost, 0 doubled, 0 stuck, and every start after a kill works.
"""

from __future__ import annotations

import argparse
import contextlib
import itertools
import json
import os
import random
import re
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from uuid import UUID

import httpx
import psutil
import uuid_utils.compat

from benchmarks.streams import free_port

TEACHER = "teacher@riverside.example"
COMMANDS = {
    "web": "uvicorn config",
    "worker": "--queues documents",
    "sweeper": "--queues mail",
    "redis": "redis-server",
    "postgres": "bin/postgres -D",
    "beat": "config beat",
}
STARTED_WITHIN = 180
SETTLED_WITHIN = 240


@dataclass
class Ledger:
    """What the server acknowledged, and how it answered."""

    documents: dict[str, str] = field(default_factory=dict)
    versions: dict[str, int] = field(default_factory=dict)
    questions: dict[str, str] = field(default_factory=dict)
    joins: set[str] = field(default_factory=set)
    pupils_questions: dict[str, str] = field(default_factory=dict)
    answers: Counter[str] = field(default_factory=Counter)
    failed_starts: int = 0


class Lectern:
    """`manage.py serve` and the processes that it starts."""

    def __init__(self, data: Path, port: int) -> None:
        self.data, self.port = data, port
        self.environment = {
            name: value for name, value in os.environ.items() if name not in ("DATABASE_URL", "REDIS_URL")
        }
        self.environment |= {"LECTERN_DATA": str(data), "PORT": str(port), "LECTERN_DEMO": "1", "LECTERN_API_RATE": "0"}
        self.terminal = data.parent / "terminal.txt"
        self.process = self.start()

    def start(self) -> subprocess.Popen[bytes]:
        """Start it and wait until it says that it is ready. Raises RuntimeError if it ends or takes too long."""
        seen = self.terminal.read_text().count("Lectern is ready") if self.terminal.exists() else 0
        with self.terminal.open("ab") as output:
            process = subprocess.Popen(
                [sys.executable, "manage.py", "serve"], env=self.environment, stdout=output, stderr=subprocess.STDOUT
            )
        deadline = time.monotonic() + STARTED_WITHIN
        while self.terminal.read_text().count("Lectern is ready") == seen:
            if process.poll() is not None or time.monotonic() > deadline:
                raise RuntimeError(self.terminal.read_text()[-2000:])
            time.sleep(0.1)
        return process

    def find(self, name: str) -> psutil.Process | None:
        children = psutil.Process(self.process.pid).children()
        return next((child for child in children if COMMANDS[name] in " ".join(child.cmdline())), None)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--minutes", type=float, default=10)
    parser.add_argument("--pause", type=float, default=15, help="seconds between two kills")
    parser.add_argument("--data", type=Path, help="an empty folder; a temporary one otherwise")
    parser.add_argument("--json", type=Path, help="where to write the result")
    args = parser.parse_args()
    parent = args.data or Path(tempfile.mkdtemp(prefix="lectern-chaos-"))
    parent.chmod(0o711)
    lectern = Lectern(parent / "data", free_port())
    ledger, over = Ledger(), threading.Event()
    try:
        token, code = prepare(lectern)
        people = [threading.Thread(target=teach, args=(lectern, token, ledger, over, n)) for n in range(3)]
        people += [threading.Thread(target=learn, args=(lectern, code, ledger, over, n)) for n in range(4)]
        for person in people:
            person.start()
        try:
            kills = kill_by_turns(lectern, ledger, args.minutes * 60, args.pause)
        finally:
            over.set()
            for person in people:
                person.join()
        result = settle(lectern, ledger) | {"kills": kills, "failed starts": ledger.failed_starts}
    finally:
        lectern.process.send_signal(signal.SIGINT)
        lectern.process.wait(120)
    for name, value in result.items():
        print(f"{name:36} {value}")
    print(f"{'answers to requests':36} {dict(ledger.answers)}")
    if args.json:
        args.json.write_text(json.dumps(result, indent=2))


def prepare(lectern: Lectern) -> tuple[str, str]:
    """Return an access token of the demo's teacher, and the code of a new class."""
    script = (
        "from datetime import timedelta; from django.utils import timezone; from chatbots.models import Chatbot;"
        "from classrooms.links import create_link; from classrooms.models import ClassroomSettings;"
        "from schools import tokens;"
        "from schools.models import Membership, Scope;"
        f"member = Membership.objects.get(user__email='{TEACHER}');"
        "ClassroomSettings.objects.update_or_create(school=member.school, defaults={'goes_without_lead': True});"
        "bots = [bot.pk for bot in Chatbot.objects.for_member(member)[:1]];"
        "link = create_link(member=member, name='Chaos', chatbots=bots, ends_at=timezone.now() + timedelta(days=1),"
        " questions_a_day=500);"
        "print('MADE', tokens.make(member=member, name='chaos', scope=Scope.WRITE)[1], link.code)"
    )
    done = run(lectern, script)
    return done[0], done[1]


def run(lectern: Lectern, script: str) -> list[str]:
    """Run Python in the installation and return the words behind MADE."""
    command = [sys.executable, "manage.py", "shell", "--no-imports", "-c", script]
    done = subprocess.run(command, env=lectern.environment, capture_output=True, text=True, timeout=120)
    if done.returncode:
        raise RuntimeError(done.stderr)
    return next(line for line in done.stdout.splitlines() if line.startswith("MADE")).split(" ")[1:]


def teach(lectern: Lectern, token: str, ledger: Ledger, over: threading.Event, number: int) -> None:
    """Upload, replace and ask, one after the other, until it is over."""
    address = f"http://127.0.0.1:{lectern.port}/api/v1/"
    headers = {"Authorization": f"Bearer {token}"}
    rng = random.Random(number)  # noqa: S311
    chatbot = ""
    with httpx.Client(base_url=address, headers=headers, timeout=60) as client:
        for turn in itertools.count():
            if over.is_set():
                return
            key = f"t{number}n{turn}"
            if not chatbot:
                found = _send(ledger, client.get, "chatbots")
                chatbot = found.json()["results"][0]["id"] if found and found.status_code == 200 else ""
            elif turn % 3 == 0:
                files = {"file": (f"{key}.md", f"# Chaos {key}\n\n{'Words of a text. ' * 200}".encode())}
                answer = _send(ledger, client.post, "documents", files=files, data={"title": f"Chaos {key}"})
                if answer and answer.status_code == 201:
                    ledger.documents[answer.json()["id"]] = f"Chaos {key}"
            elif turn % 3 == 1 and (
                mine := [pk for pk, title in ledger.documents.items() if title.startswith(f"Chaos t{number}n")]
            ):
                pk = rng.choice(mine)
                files = {"file": ("new.md", f"# Replaced {key}\n\n{'Other words. ' * 200}".encode())}
                answer = _send(ledger, client.put, f"documents/{pk}/file", files=files)
                if answer and answer.status_code in (200, 201, 202):
                    ledger.versions[pk] = ledger.versions.get(pk, 1) + 1
            else:
                question = f"How strong may the acid be, {key}?"
                answer = _send(ledger, client.post, f"chatbots/{chatbot}/ask", json={"question": question})
                if answer is not None and (found := _body(answer).get("message_id")):
                    ledger.questions[found] = question
            time.sleep(0.3)


def learn(lectern: Lectern, code: str, ledger: Ledger, over: threading.Event, number: int) -> None:
    """Join again and again, and ask some questions each time."""
    address = f"http://127.0.0.1:{lectern.port}"
    for turn in itertools.count():
        with httpx.Client(base_url=address, headers={"Origin": address}, timeout=60) as client:
            door = _send(ledger, client.get, f"/c/{code}")
            names = re.findall(r'name="nickname" value="([^"]+)"', door.text) if door is not None else []
            if names:
                joined = _send(ledger, client.post, f"/c/{code}", data={"nickname": random.choice(names)})  # noqa: S311
                if joined is not None and joined.status_code in (200, 302) and client.cookies:
                    ledger.joins.add(f"{number} {turn}")
                    _ask_as_pupil(client, code, ledger, over, f"p{number}n{turn}")
        if over.wait(1):
            return


def _ask_as_pupil(client: httpx.Client, code: str, ledger: Ledger, over: threading.Event, key: str) -> None:
    room = _send(ledger, client.get, f"/c/{code}/room")
    chatbots = re.findall(rf"/c/{code}/chatbots/([0-9a-f-]{{36}})", room.text) if room is not None else []
    for turn in range(4):
        if over.is_set() or not chatbots:
            return
        message, question = str(uuid_utils.compat.uuid7()), f"When are goggles worn, {key} {turn}?"
        form = {"question": question, "message_id": message}
        asked = _send(ledger, client.post, f"/c/{code}/chatbots/{chatbots[0]}", data=form)
        if asked is not None and asked.status_code == 302 and "/chats/" in asked.headers.get("location", ""):
            ledger.pupils_questions[message] = question
        time.sleep(0.5)


def _send(ledger: Ledger, request: Callable[..., httpx.Response], *args: Any, **options: Any) -> httpx.Response | None:
    try:
        answer = request(*args, **options)
    except httpx.HTTPError as error:
        ledger.answers[type(error).__name__] += 1
        time.sleep(0.5)
        return None
    ledger.answers[str(answer.status_code)] += 1
    return answer


def _body(answer: httpx.Response) -> dict[str, Any]:
    with contextlib.suppress(ValueError):
        if isinstance(body := answer.json(), dict):
            return body
    return {}


def kill_by_turns(lectern: Lectern, ledger: Ledger, seconds: float, pause: float) -> dict[str, int]:
    """Kill one process after the other; return how often each was killed."""
    turns = itertools.cycle(
        [_web, _worker, _worker_child, _sweeper, _redis, _backend, _postgres, _beat, _pause_redis, None]
    )
    kills: Counter[str] = Counter()
    deadline = time.monotonic() + seconds
    while time.monotonic() + pause < deadline:
        time.sleep(pause)
        turn = next(turns)
        if turn is None:  # the supervisor
            lectern.process.kill()
            lectern.process.wait()
            kills["supervisor"] += 1
            try:
                lectern.process = lectern.start()
            except RuntimeError as error:
                print(error)
                ledger.failed_starts += 1
                time.sleep(30)
                lectern.process = lectern.start()
        elif turn(lectern):
            kills[turn.__name__.removeprefix("_")] += 1
    return dict(kills)


def _kill(process: psutil.Process | None) -> bool:
    with contextlib.suppress(psutil.Error):
        if process:
            process.kill()
            return True
    return False


def _web(lectern: Lectern) -> bool:
    return _kill(lectern.find("web"))


def _worker(lectern: Lectern) -> bool:
    return _kill(lectern.find("worker"))


def _worker_child(lectern: Lectern) -> bool:
    worker = lectern.find("worker")
    return _kill(next(iter(worker.children()), None) if worker else None)


def _sweeper(lectern: Lectern) -> bool:
    return _kill(lectern.find("sweeper"))


def _redis(lectern: Lectern) -> bool:
    return _kill(lectern.find("redis"))


def _postgres(lectern: Lectern) -> bool:
    return _kill(lectern.find("postgres"))


def _backend(lectern: Lectern) -> bool:
    server = lectern.find("postgres")
    backends = (
        [child for child in server.children() if "lectern lectern" in " ".join(child.cmdline())] if server else []
    )
    return _kill(random.choice(backends) if backends else None)  # noqa: S311


def _beat(lectern: Lectern) -> bool:
    return _kill(lectern.find("beat"))


def _pause_redis(lectern: Lectern) -> bool:
    redis = lectern.find("redis")
    if redis is None:
        return False
    redis.suspend()
    time.sleep(10)
    redis.resume()
    return True


def settle(lectern: Lectern, ledger: Ledger) -> dict[str, Any]:
    """Wait until nothing is unfinished, and compare the database with the ledger."""
    import django
    from django.db import close_old_connections, connection

    os.environ |= {"DJANGO_SETTINGS_MODULE": "config.settings", "LECTERN_DATA": str(lectern.data)}
    django.setup()
    from chatbots.models import Message
    from chatbots.models.message import UNFINISHED
    from classrooms.models import Pupil
    from corpus.models import Status
    from knowledge.models import PersonalDocument

    documents = PersonalDocument.objects.filter(title__startswith="Chaos ")
    waiting = documents.filter(status__in=(Status.QUEUED, Status.INDEXING))
    deadline = time.monotonic() + SETTLED_WITHIN
    while time.monotonic() < deadline and (Message.objects.filter(status__in=UNFINISHED).exists() or waiting.exists()):
        time.sleep(1)
        close_old_connections()
    asked = ledger.questions | ledger.pupils_questions
    stored = dict(Message.objects.filter(pk__in=[UUID(pk) for pk in asked]).values_list("pk", "status"))
    questions = Counter(Message.objects.filter(question__in=asked.values()).values_list("question", flat=True))
    kept = dict(documents.values_list("pk", "status"))
    with connection.cursor() as cursor:
        cursor.execute("SELECT document_id, count(*) FROM knowledge_personalversion GROUP BY 1")
        versions = {str(pk): count for pk, count in cursor.fetchall()}
    return {
        "documents acknowledged": len(ledger.documents),
        "documents lost": sum(UUID(pk) not in kept for pk in ledger.documents),
        "documents doubled": sum(count > 1 for count in Counter(documents.values_list("title", flat=True)).values()),
        "documents stuck": waiting.count(),
        "documents failed": sum(status == Status.FAILED for status in kept.values()),
        "replacements acknowledged": sum(ledger.versions.values()) - len(ledger.versions),
        "replacements lost": sum(versions.get(pk, 0) < count for pk, count in ledger.versions.items()),
        "questions acknowledged": len(asked),
        "questions lost": len(asked) - len(stored),
        "questions doubled": sum(count > 1 for count in questions.values()),
        "questions stuck": Message.objects.filter(status__in=UNFINISHED).count(),
        "questions by end": dict(Counter(stored.values())),
        "pupils joined": len(ledger.joins),
        "pupils lost": max(0, len(ledger.joins) - Pupil.objects.count()),
    }


if __name__ == "__main__":
    main()
