"""What a question costs: processor time of the web process and of PostgreSQL, by door and step, beside a floor.

    python -m benchmarks.question [--questions 60] [--beside CHECKOUT] [--data DIRECTORY] [--json FILE] [--history FILE]

People ask one after another through the page, the JSON API and the OpenAI door, with a language model that writes at
once and with quotations, and search through the API. The *floor* is one process that embeds the question, runs the
same two prepared searches and writes the same rows with plain psycopg, and streams the same text with bare uvicorn. The
ratio to the floor is the figure; milliseconds hold for one machine. *Steps* are processor milliseconds of the web
process by what it was doing, without those of steps within it, and how often each was entered. --beside asks the code
of another checkout in turn, such as that of the commit before, on the same database. --history adds a
line of JSON with the date, the commit and the ratios to a file, so that changes show over time.
"""

from __future__ import annotations

import asyncio
import json
import pickle
import urllib.request
from collections import Counter
from collections.abc import Awaitable, Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from types import SimpleNamespace
from typing import Any
from urllib.parse import quote, urlencode

from benchmarks import ground, history
from benchmarks.streams import TOKEN, Asked, broker, free_port, peer, prepare, running, wait_for

WORDS = 120
BESIDE = ", beside"
ROUND = 10
"""Questions through one door before those through the next: the speed of a machine that is shared changes."""
Ask = Callable[[int, Asked, str], Awaitable[None]]


def main() -> None:
    parser = ground.options(__doc__)
    parser.add_argument("--questions", type=int, default=60, help="through each door, in rounds of ten")
    parser.add_argument("--beside", type=Path, help="a checkout of another commit with the same schema")
    history.add_option(parser)
    options = parser.parse_args()
    checkouts = {"": ground.ROOT, **({BESIDE: options.beside.resolve()} if options.beside else {})}
    doors = {
        f"{name}{said}": (ask, by + said)
        for name, (ask, by) in DOORS.items()
        for said in (checkouts if by != "floor" else ("",))
    }
    rounds = max(options.questions // ROUND, 1)
    with ground.database(options.data), broker(), ExitStack() as running_servers:
        asked = prepare(10, (rounds + 1) * ROUND * len(doors) + 10)
        secrets = tokens(asked)
        model = running_servers.enter_context(peer(SimpleNamespace(first=1, pace=5000, tokens=WORDS)))
        ports = {
            by + said: running_servers.enter_context(web(address, at))
            for said, at in checkouts.items()
            for by, address in (("model", model), ("quotations", None))
        }
        todo = iter(asked)
        first = next(todo)
        asyncio.run(by_page(ports["model"], first, ""))
        ports["floor"] = running_servers.enter_context(floor(first))
        counts = {name: Count(ask, ports[by]) for name, (ask, by) in doors.items()}
        for number in range(rounds + 1):
            for count in counts.values():
                count.round([next(todo) for _ in range(ROUND)], secrets, is_warm_up=number == 0)
    rows = {name: count.row() for name, count in counts.items()}
    steps = {name: count.steps() for name, count in counts.items() if "floor" not in name}
    for name, row in rows.items():
        least = rows["floor of a search" if "search" in name else "floor"]["together"]
        row["÷ floor"] = round(row["together"] / least, 2)
    print(ground.table(rows, "processor ms a question"))
    names = dict.fromkeys(step for found in steps.values() for step in found)
    shown = {name: {door: found.get(name, "") for door, found in steps.items()} for name in names}
    print("\n" + ground.table(shown, "steps"))
    ground.write({"doors": rows, "steps": steps}, options.json)
    ratios = {name: rows[name]["÷ floor"] for name in DOORS if "floor" not in name}
    history.note("question", ratios, options.history)


class Count:
    """Processor time of the web process, of PostgreSQL and of the steps, for questions through one door."""

    def __init__(self, ask: Ask, port: int) -> None:
        self._ask, self._port, self._asked = ask, port, 0
        self._web = self._postgres = 0.0
        self._seconds: Counter[str] = Counter()
        self._entered: Counter[str] = Counter()

    def round(self, asked: list[Asked], secrets: dict[str, str], *, is_warm_up: bool) -> None:
        before, backends = budget(self._port), measure_postgres()
        asyncio.run(one_by_one(self._ask, asked, secrets, self._port))
        told, now = budget(self._port), measure_postgres()
        if is_warm_up:
            return
        self._asked += len(asked)
        self._web += 1000 * (told["web"] - before["web"])
        self._postgres += sum(spent - backends.get(process, 0) for process, spent in now.items()) / 1e6
        self._seconds.update(told["seconds"])
        self._entered.update(told["entered"])

    def row(self) -> dict[str, Any]:
        web, postgres = self._web / self._asked, self._postgres / self._asked
        return {"web": round(web, 1), "PostgreSQL": round(postgres, 1), "together": round(web + postgres, 1)}

    def steps(self) -> dict[str, str]:
        found = {name: 1000 * took / self._asked for name, took in self._seconds.most_common()}
        shown = {name: f"{took:.1f} ({self._entered[name] / self._asked:.1f} ×)" for name, took in found.items()}
        rest = self._web / self._asked - sum(found.values())
        return {"HTTP, threads, event loop": f"{rest:.1f}", **shown}


async def one_by_one(ask: Ask, asked: list[Asked], secrets: dict[str, str], port: int) -> None:
    for one in asked:
        await ask(port, one, secrets[one.session])


async def by_page(port: int, one: Asked, _: str) -> None:
    await by_page_without_reading(port, one)
    head = f"Cookie: sessionid={one.session}; csrftoken={TOKEN}\r\nHX-Request: true\r\n"
    answer = await request(port, f"GET /messages/{one.message}/stream/", head)
    assert b"event: done" in answer, answer[-500:]


async def by_page_without_reading(port: int, one: Asked) -> None:
    """Send the form of the page."""
    head = f"Cookie: sessionid={one.session}; csrftoken={TOKEN}\r\nHX-Request: true\r\nX-CSRFToken: {TOKEN}\r\n"
    body = urlencode({"question": one.question, "message_id": str(one.message)})
    form = "Content-Type: application/x-www-form-urlencoded\r\n"
    await request(port, f"POST /chats/{one.chat}/ask/", head + form, body)


async def by_api(port: int, one: Asked, secret: str) -> None:
    head = f"Authorization: Bearer {secret}\r\nContent-Type: application/json\r\nAccept: text/event-stream\r\n"
    answer = await request(
        port, f"POST /api/v1/chatbots/{get_chatbot(one)}/ask", head, json.dumps({"question": one.question})
    )
    assert b"event: done" in answer, answer[-500:]


async def by_openai(port: int, one: Asked, secret: str) -> None:
    head = f"Authorization: Bearer {secret}\r\nContent-Type: application/json\r\n"
    body = {"model": get_chatbot(one), "stream": True, "messages": [{"role": "user", "content": one.question}]}
    answer = await request(port, "POST /api/v1/openai/chat/completions", head, json.dumps(body))
    assert b"[DONE]" in answer, answer[-500:]


async def by_search(port: int, one: Asked, secret: str) -> None:
    head = f"Authorization: Bearer {secret}\r\nContent-Type: application/json\r\n"
    answer = await request(
        port, f"POST /api/v1/chatbots/{get_chatbot(one)}/search", head, json.dumps({"query": one.question})
    )
    assert b"200 OK" in answer.partition(b"\r\n")[0], answer[-500:]


def make_floor_call(path: str) -> Ask:
    async def ask(port: int, one: Asked, _: str) -> None:
        await request(port, f"GET {path}?question={quote(one.question)}", "")

    return ask


async def request(port: int, line: str, head: str, body: str = "") -> bytes:
    """The whole answer of a server, head and body."""
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    length = f"Content-Length: {len(body.encode())}\r\n" if body else ""
    writer.write(f"{line} HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n{head}{length}\r\n{body}".encode())
    answer = await reader.read()
    writer.close()
    return answer


DOORS: dict[str, tuple[Ask, str]] = {
    "page": (by_page, "model"),
    "JSON API": (by_api, "model"),
    "OpenAI door": (by_openai, "model"),
    "page, quotations": (by_page, "quotations"),
    "API search": (by_search, "model"),
    "floor": (make_floor_call("/ask"), "floor"),
    "floor of a search": (make_floor_call("/search"), "floor"),
}
"""By name: how to ask, and which server."""

_chatbots: dict[Any, str] = {}


def get_chatbot(one: Asked) -> str:
    return _chatbots[one.chat]


def tokens(asked: list[Asked]) -> dict[str, str]:
    """A secret for each person, by their session; notes the chatbot of each conversation."""
    from chatbots.models import Chat
    from schools import tokens
    from schools.models import Membership, Scope

    chats = {chat.pk: chat for chat in Chat.objects.select_related("participant__user", "participant__school")}
    secrets: dict[str, str] = {}
    for one in asked:
        chat = chats[one.chat]
        _chatbots[one.chat] = str(chat.chatbot_id)
        if one.session not in secrets:
            person = chat.participant
            member = Membership.objects.get(user=person.user, school=person.school)
            secrets[one.session] = tokens.make(member=member, name="question", scope=Scope.WRITE)[1]
    return secrets


@contextmanager
def web(model: int | None, at: Path) -> Iterator[int]:
    """One counting web process of a checkout; its port."""
    environment = {"LECTERN_LOG_LEVEL": "WARNING"}
    if model:
        environment |= {"LECTERN_LLM_BASE_URL": f"http://127.0.0.1:{model}/v1", "LECTERN_LLM_MODEL": "paced"}
    with serving("benchmarks.question_server:application", at, environment=environment) as port:
        yield port


@contextmanager
def serving(application: str, at: Path = ground.ROOT, *, environment: Mapping[str, str]) -> Iterator[int]:
    port, environment = free_port(), {"OMP_NUM_THREADS": "1", **environment}
    server = ["-m", "uvicorn", application, "--port", str(port), "--lifespan", "off"]
    with running(*server, "--no-access-log", "--log-level", "warning", at=at, environment=environment):
        wait_for(port)
        yield port


@contextmanager
def floor(asked: Asked) -> Iterator[int]:
    """The floor, which knows the statements of the product's searches and the rows of an answer; its port."""
    from django.conf import settings

    path = Path(settings.DATA_DIR) / "floor.pickle"
    path.write_bytes(pickle.dumps(recorded(asked)))
    with serving("benchmarks.question_floor:application", environment={"FLOOR": str(path)}) as port:
        yield port
    path.unlink()


def recorded(one: Asked) -> dict[str, Any]:
    """The product's searches for a question and the rows of its answer."""
    import psycopg
    from django.db import connection

    from chatbots.answering.retrieval import retrieve
    from chatbots.answering.source_selection import select_sources
    from chatbots.models import Message, MessageSource, PromptRecord
    from corpus.search.runners import run_in_series

    message = Message.objects.select_related("chat__chatbot__school").get(pk=one.message)
    assert message.chat.chatbot
    searches: list[tuple[str, list[Any]]] = []
    execute = psycopg.RawCursor.execute

    def noted(self: Any, query: Any, params: Any = None, **options: Any) -> Any:
        if options.get("prepare") and "scope AS MATERIALIZED" in query:
            searches.append((query, list(params)))
        return execute(self, query, params, **options)

    psycopg.RawCursor.execute = noted  # type: ignore[method-assign]
    try:
        retrieve(one.question, select_sources(message.chat.chatbot), places=5, runner=run_in_series, reads=False)
    finally:
        psycopg.RawCursor.execute = execute  # type: ignore[method-assign]
    rows = []
    with connection.cursor() as cursor:
        for model, key in ((Message, "id"), (MessageSource, "message_id"), (PromptRecord, "message_id")):
            fields = [
                field
                for field in model._meta.concrete_fields
                if not (field.generated or field.get_internal_type() == "BigAutoField")
            ]
            columns = [field.column for field in fields]
            listed = ", ".join(f'"{column}"' for column in columns)
            cursor.execute(f'SELECT {listed} FROM "{model._meta.db_table}" WHERE "{key}" = %s', [message.pk])  # noqa: S608
            found = [list(map(as_stored, fields, row)) for row in cursor.fetchall()]
            rows.append((model._meta.db_table, columns, found))
    wanted = ("dbname", "user", "password", "host", "port")
    parameters = {key: value for key, value in connection.get_connection_params().items() if key in wanted}
    return {
        "connection": parameters,
        "searches": searches,
        "rows": rows,
        "message": message.pk,
        "pieces": [f"{word} " for word in message.answer.split()],
    }


def as_stored(field: Any, value: Any) -> Any:
    """A value of a row as a parameter: JSON as text."""
    return json.dumps(value) if field.get_internal_type() == "JSONField" and not isinstance(value, str) else value


def budget(port: int) -> dict[str, Any]:
    """What a server has counted since the last time, and its processor seconds since its start."""
    with urllib.request.urlopen(f"http://127.0.0.1:{port}/budget") as told:
        counted: dict[str, Any] = json.load(told)
    return counted


def measure_postgres() -> dict[str, int]:
    """Processor nanoseconds of each process of PostgreSQL."""
    from django.conf import settings

    from operations import postgres

    server = postgres.find_cluster(settings.DATA_DIR).directory / "postmaster.pid"
    parent = server.read_text().split()[0].encode()
    spent = {}
    for path in Path("/proc").glob("[0-9]*"):
        with suppress(OSError):  # it has ended
            if (path / "stat").read_bytes().rpartition(b") ")[2].split()[1] == parent:
                spent[path.name] = int((path / "schedstat").read_text().split()[0])
    return spent


if __name__ == "__main__":
    main()
