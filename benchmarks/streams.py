"""How many answers one web process streams at once, on a small pool of database connections.

    python -m benchmarks.streams [--streams 100] [--pool 8] [--data DIR] [--json result.json] [--history FILE]

Starts the product's web server, and a language model's server that writes at a steady pace, each in a process of its
own. People ask different questions in conversations of their own within two seconds, and each answer is read over
server-sent events to its end. These processes and PostgreSQL share the machine; peer and readers are plain asyncio.

*First event* is from sending the question to its sources, *first token* to the first word of the answer. *Added* is
what Lectern adds to the model's own pace: for each token from its sending to its arrival, for the whole answer from the
last token's sending to the finished turn, its citations checked. The bars: no errors, first event p95 under 1 s, added
p95 under 300 ms.
"""

from __future__ import annotations

import asyncio
import json
import math
import os
import random
import re
import socket
import subprocess
import sys
import threading
import time
import urllib.request
from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from types import MappingProxyType
from typing import Any
from urllib.parse import urlencode
from uuid import UUID

import uuid_utils.compat

from benchmarks import ground, history

PEOPLE = 10
TOKEN = "c" * 32  # of the form, against forgery
ROWS = ("first event", "first token", "added to a token", "added to the whole answer")
FIRST_EVENT, ADDED = 1000, 300  # milliseconds, the bars at p95


@dataclass(frozen=True)
class Asked:
    """A question to be asked: in which conversation, by whom."""

    chat: UUID
    session: str
    question: str
    message: UUID = field(default_factory=uuid_utils.compat.uuid7)


@dataclass
class Seen:
    """When what of an answer arrived, by CLOCK_MONOTONIC."""

    asked: float = 0
    events: dict[str, float] = field(default_factory=dict)
    words: list[float] = field(default_factory=list)


def main() -> None:
    parser = ground.options(__doc__)
    parser.add_argument("--streams", type=int, default=100)
    parser.add_argument("--pool", type=int, default=8, help="LECTERN_DATABASE_POOL of each web process")
    parser.add_argument("--processes", type=int, default=2, help="web processes, LECTERN_WEB_PROCESSES")
    parser.add_argument("--within", type=float, default=2, help="seconds in which all questions are asked")
    parser.add_argument("--first", type=float, default=300, help="milliseconds to the model's first token")
    parser.add_argument("--pace", type=float, default=30, help="the model's tokens a second")
    parser.add_argument("--tokens", type=int, default=120, help="of each answer")
    history.add_option(parser)
    options = parser.parse_args()
    with ground.database(options.data):
        people = min(PEOPLE, options.streams)
        questions = prepare(people, options.streams + people)
        warm_up, questions = questions[:people], questions[people:]
        with broker(), peer(options) as model, web(options, model) as port, connections() as highest:
            asyncio.run(read_all(warm_up, port, within=0.5))
            highest.clear()
            load = os.getloadavg()[0]
            seen, errors = asyncio.run(read_all(questions, port, options.within))
            with urllib.request.urlopen(f"http://127.0.0.1:{model}/sent") as told:
                sent = json.load(told)
        errors += failed(questions)
        result = figures(questions, seen, errors, sent, options.tokens)
        result["connections"] = max(highest, default=0)
    result["load before"] = round(load, 2)
    print(ground.table({name: row for name, row in result.items() if name in ROWS}, "milliseconds"))
    for name in result.keys() - set(ROWS):
        print(f"{name}: {result[name]}")
    print("Server, model, readers and PostgreSQL shared this machine; times hold for an idle one only.")
    ground.write(result, options.json)
    history.note("streams", {name: result[name]["p95"] for name in ROWS if name in result}, options.history)


def figures(
    asked: list[Asked],
    seen: dict[str, Seen],
    errors: Counter[str],
    sent: dict[str, list[float]],
    tokens: int,
) -> dict[str, Any]:
    """The rows of the table and whether the bars are met."""
    whole, first_event, first_token, each = [], [], [], []
    for one in asked:
        got, times = seen[one.question], sent.get(one.question, [])
        if not {"sources", "done"} <= got.events.keys() or len(times) != tokens:
            errors[f"incomplete: {sorted(got.events)}, {len(times)} words sent"] += 1
            continue
        came = (got.words + [got.events["done"]] * tokens)[:tokens]  # the last ones may come with the finished turn
        first_event.append((got.events["sources"] - got.asked) * 1000)
        first_token.append((came[0] - got.asked) * 1000)
        each += [(arrived - went) * 1000 for arrived, went in zip(came, times, strict=True)]
        whole.append((got.events["done"] - times[-1]) * 1000)
    rows = zip(ROWS, (first_event, first_token, each, whole), strict=True)
    told = {name: ground.percentiles(row) for name, row in rows if row}
    bars = zip(ROWS, (FIRST_EVENT, math.inf, ADDED, ADDED), strict=True)
    met = not errors and all(told[name]["p95"] < bar for name, bar in bars)
    return {**told, "streams": len(asked), "errors": dict(errors), "bars met": met}


def failed(asked: list[Asked]) -> Counter[str]:
    """Why answers were not given."""
    from chatbots.models import Message, MessageStatus

    rows = Message.objects.filter(pk__in=[one.message for one in asked]).exclude(status=MessageStatus.DONE)
    return Counter(f"{row.status}: {row.notice}" for row in rows)


def prepare(people: int, count: int) -> list[Asked]:
    """People with documents and chatbots, and questions in as many conversations."""
    from django.contrib.auth import BACKEND_SESSION_KEY, HASH_SESSION_KEY, SESSION_KEY
    from django.contrib.sessions.backends.db import SessionStore

    from chatbots.models import Chat, Participant
    from schools.models import Role
    from tests.factories import (
        ACIDS,
        index_all,
        make_chatbot,
        make_member,
        make_school,
        personal_document,
        school_document,
    )

    school = make_school(f"Streams {uuid_utils.compat.uuid7()}"[-28:].replace(" ", "-"))
    admin = make_member(school, "admin", Role.ADMIN)
    library = [school_document(admin, indexed=False)]
    prepared = []
    for number in range(people):
        member = make_member(school, f"teacher{number}")
        own = personal_document(member, ACIDS.replace("three", str(number + 3)), indexed=False)
        chatbot = make_chatbot(member, personal=[own], school=library)
        session = SessionStore()
        session[SESSION_KEY] = str(member.user.pk)
        session[BACKEND_SESSION_KEY] = "django.contrib.auth.backends.ModelBackend"
        session[HASH_SESSION_KEY] = member.user.get_session_auth_hash()
        session.save()
        prepared.append((member, chatbot, str(session.session_key)))
    index_all()
    asked = []
    for number in range(count):
        member, chatbot, session_key = prepared[number % people]
        chat = Chat.objects.create(
            school=school, chatbot=chatbot, participant=Participant.objects.of(member), title=f"Chat {number}"
        )
        asked.append(Asked(chat.pk, session_key, f"How strong may the hydrochloric acid be in lesson {number}?"))
    return asked


@contextmanager
def broker() -> Iterator[None]:
    """The embedded Redis, through which web processes tell each other of answers."""
    from django.conf import settings

    from operations import redis_server

    server = redis_server.server(settings.DATA_DIR, settings.DATA_DIR / "redis.log")
    server.start()
    try:
        while not redis_server.is_ready(settings.DATA_DIR):
            time.sleep(0.05)
        yield
    finally:
        server.stop()


@contextmanager
def peer(options: Any) -> Iterator[int]:
    """The model's server; its port."""
    port = free_port()
    arguments = (port, options.first, options.pace, options.tokens)
    with running("-m", "benchmarks.paced_peer", *map(str, arguments)):
        wait_for(port)
        yield port


@contextmanager
def web(options: Any, model: int) -> Iterator[int]:
    """The product's web server as `serve` starts it; its port."""
    port = free_port()
    environment = {
        "LECTERN_DATABASE_POOL": str(options.pool),
        "LECTERN_LLM_BASE_URL": f"http://127.0.0.1:{model}/v1",
        "LECTERN_LLM_MODEL": "paced",
        "LECTERN_LOG_LEVEL": "WARNING",
        "PGAPPNAME": "streams-web",
        "OMP_NUM_THREADS": "1",
    }
    server = ["-m", "uvicorn", "config.asgi:application", "--port", str(port), "--lifespan", "off"]
    server += ["--workers", str(options.processes), "--timeout-worker-healthcheck", "60"]
    with running(*server, "--no-access-log", "--log-level", "warning", environment=environment):
        wait_for(port)
        yield port


@contextmanager
def running(
    *arguments: str, at: Path = ground.ROOT, environment: Mapping[str, str] = MappingProxyType({})
) -> Iterator[None]:
    process = subprocess.Popen([sys.executable, *arguments], cwd=at, env={**os.environ, **environment})
    try:
        yield
    finally:
        process.terminate()
        process.wait(20)


@contextmanager
def connections() -> Iterator[list[int]]:
    """How many connections the web process has to the database, looked at five times a second."""
    from django.db import connection

    counted: list[int] = []
    over = threading.Event()

    def look() -> None:
        with connection.cursor() as cursor:
            while not over.wait(0.2):
                cursor.execute("SELECT count(*) FROM pg_stat_activity WHERE application_name = 'streams-web'")
                counted.append(cursor.fetchone()[0])
        connection.close()

    thread = threading.Thread(target=look)
    thread.start()
    try:
        yield counted
    finally:
        over.set()
        thread.join()


async def read_all(asked: list[Asked], port: int, within: float) -> tuple[dict[str, Seen], Counter[str]]:
    """Ask everything within some seconds and read every answer to its end."""
    seen, errors = {one.question: Seen() for one in asked}, Counter[str]()
    rng = random.Random(1)  # noqa: S311

    async def one_of_them(one: Asked, pause: float) -> None:
        await asyncio.sleep(pause)
        try:
            await asyncio.wait_for(read_one(one, port, seen[one.question]), 120)
        except Exception as error:
            errors[f"{type(error).__name__}: {error}"] += 1

    await asyncio.gather(*(one_of_them(one, rng.uniform(0, within)) for one in asked))
    return seen, errors


async def read_one(one: Asked, port: int, seen: Seen) -> None:
    head = f"Host: 127.0.0.1\r\nCookie: sessionid={one.session}; csrftoken={TOKEN}\r\nHX-Request: true\r\n"
    body = urlencode({"question": one.question, "message_id": str(one.message)})
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    seen.asked = time.monotonic()
    writer.write(
        f"POST /chats/{one.chat}/ask/ HTTP/1.1\r\n{head}X-CSRFToken: {TOKEN}\r\nConnection: close\r\n"
        f"Content-Type: application/x-www-form-urlencoded\r\nContent-Length: {len(body)}\r\n\r\n{body}".encode()
    )
    status = (await reader.readline()).split()[1]
    await reader.read()
    writer.close()
    if status != b"200":
        raise RuntimeError(f"{status.decode()} when asked")
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    writer.write(f"GET /messages/{one.message}/stream/ HTTP/1.1\r\n{head}\r\n".encode())
    answered = await reader.readuntil(b"\r\n\r\n")
    if answered.split()[1] != b"200":
        raise RuntimeError(f"{answered.split()[1].decode()} when the answer was read")
    began, text = time.monotonic(), ""
    while size := int(await reader.readline() or b"0", 16):
        event = (await reader.readexactly(size + 2)).decode()
        now = time.monotonic()
        name, _, data = event.removeprefix("event: ").partition("\n")
        seen.events.setdefault(name, now)
        if name == "text":
            piece = json.loads(data.strip("\r\n").removeprefix("data: "))
            text = ("" if piece["anew"] else text) + piece["finished"]
            words = re.sub("<[^>]+>", "", text + piece["unfinished"]).split()
            seen.words += [now] * (len(words) - len(seen.words))
        if name == "done":
            break
    writer.close()
    if "done" not in seen.events:
        lasted, came = time.monotonic() - began, ", ".join(seen.events) or "nothing"
        raise RuntimeError(f"ended {lasted:.1f} s after its head, with no more than {came}")


def free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port: int = listener.getsockname()[1]
        return port


def wait_for(port: int) -> None:
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline:
        try:
            socket.create_connection(("127.0.0.1", port), 1).close()
        except OSError:
            time.sleep(0.1)
        else:
            return
    sys.exit(f"Nothing answers on port {port}.")


if __name__ == "__main__":
    main()
