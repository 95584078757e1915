"""A whole school at once: pupils join classes from one address and ask a question a minute, without a language model.

    python -m benchmarks.classes [--pupils 300] [--minutes 5] [--data DIR] [--json result.json]

Starts the product's web server (two processes). Pupils join within the first minute through the pages, in classes of
thirty, all from 127.0.0.1. Then each asks once a minute, at a moment of its own, and reads the answer over server-sent
events to its end. *Joining* is the request that makes a pupil, *sources* the time from sending a question to the event
with its sources, *answer* to the finished exchange. PostgreSQL, server and readers share the machine. The bars: no
errors, sources p95 under 2 s.
"""

from __future__ import annotations

import asyncio
import os
import random
import re
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import urlencode

import uuid_utils.compat

from benchmarks import ground
from benchmarks.streams import broker, free_port, running, wait_for

CLASS = 30
BAR = 2000
"""Milliseconds to the sources, at p95."""
ROWS = ("joining", "sources", "answer")
PATIENCE = 60


@dataclass
class Taken:
    """Milliseconds of each step, and what went wrong."""

    times: dict[str, list[float]] = field(default_factory=lambda: {name: [] for name in ROWS})
    errors: Counter[str] = field(default_factory=Counter)


def main() -> None:
    parser = ground.options(__doc__)
    parser.add_argument("--pupils", type=int, default=300)
    parser.add_argument("--minutes", type=float, default=5)
    parser.add_argument("--interval", type=float, default=60, help="seconds in which each pupil asks once")
    parser.add_argument("--processes", type=int, default=2, help="web processes, LECTERN_WEB_PROCESSES")
    options = parser.parse_args()
    with ground.database(options.data):
        links = prepare(-(-options.pupils // CLASS))
        with broker(), web(options) as port:
            asyncio.run(lesson(links[:1], port, pupils=5, interval=2, rounds=1))  # what a start costs once
            load = os.getloadavg()[0]
            rounds = max(1, round(options.minutes * 60 / options.interval))
            taken = asyncio.run(lesson(links, port, pupils=options.pupils, interval=options.interval, rounds=rounds))
    result: dict[str, Any] = {name: ground.percentiles(times) for name, times in taken.times.items() if times}
    result |= {"asked": len(taken.times["answer"]), "errors": dict(taken.errors), "load before": round(load, 2)}
    result["bars met"] = not taken.errors and result["sources"]["p95"] < BAR
    print(ground.table({name: result[name] for name in ROWS if name in result}, "milliseconds"))
    for name in ("asked", "errors", "load before", "bars met"):
        print(f"{name}: {result[name]}")
    ground.write(result, options.json)


def prepare(classes: int) -> list[tuple[str, str]]:
    """Code of each class, and the chatbot that is open to it."""
    from datetime import timedelta

    from django.utils import timezone

    from classrooms.links import create_link
    from classrooms.models import ClassroomSettings
    from schools.models import Role
    from tests.factories import index_all, make_chatbot, make_member, make_school, personal_document, school_document

    school = make_school(f"Classes {uuid_utils.compat.uuid7()}"[-28:].replace(" ", "-"))
    admin = make_member(school, "admin", Role.ADMIN)
    library = [school_document(admin, indexed=False)]
    teacher = make_member(school, "teacher")
    chatbot = make_chatbot(teacher, personal=[personal_document(teacher, indexed=False)], school=library)
    index_all()
    ClassroomSettings.objects.create(school=school, goes_without_lead=True)
    ends = timezone.now() + timedelta(days=1)
    links = [
        create_link(member=teacher, name=f"Class {number}", chatbots=[chatbot.pk], ends_at=ends, questions_a_day=500)
        for number in range(classes)
    ]
    return [(link.code, str(chatbot.pk)) for link in links]


@contextmanager
def web(options: Any) -> Iterator[int]:
    """The product's web server as `serve` starts it, without a language model; its port."""
    port = free_port()
    server = ["-m", "uvicorn", "config.asgi:application", "--port", str(port), "--lifespan", "off"]
    server += ["--workers", str(options.processes), "--timeout-worker-healthcheck", "60"]
    environment = {"LECTERN_LOG_LEVEL": "WARNING", "LECTERN_LLM_MODEL": "", "OMP_NUM_THREADS": "1"}
    with running(*server, "--no-access-log", "--log-level", "warning", environment=environment):
        wait_for(port)
        yield port


async def lesson(links: list[tuple[str, str]], port: int, *, pupils: int, interval: float, rounds: int) -> Taken:
    """All pupils join within one interval, and ask once in each of the following."""
    taken, rng = Taken(), random.Random(1)  # noqa: S311
    began = time.monotonic()

    async def one(number: int) -> None:
        code, chatbot = links[number // CLASS % len(links)]
        await asyncio.sleep(rng.uniform(0, min(interval, 60)))
        cookie = await _noted(taken, join(port, code, taken))
        for turn in range(rounds):
            due = began + interval * (turn + 1) + rng.uniform(0, interval)
            await asyncio.sleep(max(0, due - time.monotonic()))
            if cookie:
                question = f"How strong may the acid be in lesson {turn} of group {number}?"
                await _noted(taken, ask(port, code, chatbot, cookie, question, taken))

    await asyncio.gather(*(one(number) for number in range(pupils)))
    return taken


async def _noted(taken: Taken, work: Any) -> Any:
    try:
        return await asyncio.wait_for(work, PATIENCE)
    except Exception as error:
        taken.errors[f"{type(error).__name__}: {error}"[:120]] += 1
        return None


async def join(port: int, code: str, taken: Taken) -> str:
    """The cookie of a new pupil, who takes one of the names that are offered."""
    for _ in range(20):  # two may choose the same name
        shown = await request(port, "GET", f"/c/{code}")
        name = random.choice(re.findall(r'name="nickname" value="([^"]+)"', shown[2]))  # noqa: S311
        began = time.monotonic()
        status, head, _body = await request(port, "POST", f"/c/{code}", {"nickname": name})
        if status == 200:
            taken.times["joining"].append((time.monotonic() - began) * 1000)
            found = re.search(r"(?i)set-cookie: ([^;]+)", head)
            assert found
            return found[1]
        if status != 422:
            raise RuntimeError(f"{status} when joining")
    raise RuntimeError("no free name")


async def ask(port: int, code: str, chatbot: str, cookie: str, question: str, taken: Taken) -> None:
    """Ask a question in a new conversation and read the answer to its end."""
    message = uuid_utils.compat.uuid7()
    began = time.monotonic()
    form = {"question": question, "message_id": str(message)}
    status, _head, _body = await request(port, "POST", f"/c/{code}/chatbots/{chatbot}", form, cookie)
    if status != 302:
        raise RuntimeError(f"{status} when asked")
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    head = f"GET /c/{code}/messages/{message}/stream HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nCookie: {cookie}\r\n\r\n"
    writer.write(head.encode())
    answered = await reader.readuntil(b"\r\n\r\n")
    if answered.split()[1] != b"200":
        raise RuntimeError(f"{answered.split()[1].decode()} when the answer was read")
    came: dict[str, float] = {}
    while size := int(await reader.readline() or b"0", 16):
        event = (await reader.readexactly(size + 2)).decode()
        came.setdefault(event.removeprefix("event: ").partition("\n")[0], (time.monotonic() - began) * 1000)
        if "done" in came:
            break
    writer.close()
    if "done" not in came:
        raise RuntimeError(f"ended with {', '.join(came) or 'nothing'}")
    taken.times["sources"].append(came.get("sources", came["done"]))
    taken.times["answer"].append(came["done"])


async def request(
    port: int, method: str, path: str, form: dict[str, str] | None = None, cookie: str = ""
) -> tuple[int, str, str]:
    """Status, head and body of a response."""
    body = urlencode(form or {})
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    head = f"{method} {path} HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nConnection: close\r\n"
    head += f"Origin: http://127.0.0.1:{port}\r\nCookie: {cookie}\r\n"
    if form is not None:
        head += f"Content-Type: application/x-www-form-urlencoded\r\nContent-Length: {len(body)}\r\n"
    writer.write(f"{head}\r\n{body if form is not None else ''}".encode())
    answer = (await reader.read()).decode()
    writer.close()
    told, _, rest = answer.partition("\r\n\r\n")
    return int(told.split()[1]), told, rest


if __name__ == "__main__":
    main()
