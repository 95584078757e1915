"""How the API holds its bars on a running Lectern: asking alone and in parallel, the limit, and a textbook's module.

    LECTERN_DATA=… python -m benchmarks.api --address http://127.0.0.1:8000 [TEXTBOOK] [--json result.json]

TEXTBOOK is a folder of Markdown files, of which the largest is uploaded. Works in a school of its own, deleted at
the end. Each part has people of its own, since a token has 100 requests a minute. Numbers are milliseconds unless they
say otherwise.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import statistics
import time
from collections import Counter
from pathlib import Path
from typing import Any

import django
import httpx

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")

QUESTIONS = (
    "How strong may hydrochloric acid for year 9 be?",
    "When are goggles worn?",
    "How long does the practical take?",
    "What does LS-07 describe?",
    "Who won the World Cup in 1954?",
)
PARALLEL, LIMIT_TRIED = 100, 300


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("textbook", type=Path, nargs="?")
    parser.add_argument("--address", default="http://127.0.0.1:8000")
    parser.add_argument("--questions", type=int, default=60)
    parser.add_argument("--json", type=Path, help="where to write the result")
    options = parser.parse_args()
    django.setup()
    from schools.models import School

    school = School.objects.create(name="Benchmark", slug=f"benchmark-{os.getpid()}")
    try:
        result = asyncio.run(measured(options, school))
    finally:
        school.delete()
    for name, figures in result.items():
        print(f"\n{name}")
        for key, value in figures.items():
            print(f"  {key:42} {value}")
    if options.json:
        options.json.write_text(json.dumps(result, indent=2))


async def measured(options: argparse.Namespace, school: Any) -> dict[str, Any]:
    result: dict[str, Any] = {}
    limits = httpx.Limits(max_connections=LIMIT_TRIED)

    def program(name: str) -> httpx.AsyncClient:
        headers = {"Authorization": f"Bearer {token(school, name)}"}
        address = f"{options.address}/api/v1/"
        return httpx.AsyncClient(base_url=address, headers=headers, limits=limits, timeout=120)

    in_thread = asyncio.to_thread
    async with await in_thread(program, "alone") as client:
        result["asking, one client"] = await alone(client, options.questions)
    async with await in_thread(program, "parallel") as client:
        result[f"asking, {PARALLEL} at once"] = await together(client)
    async with await in_thread(program, "limit") as client:
        result[f"{LIMIT_TRIED} requests of one token at once"] = await limited(client)
    if options.textbook:
        async with await in_thread(program, "module") as client:
            result["the largest module, uploaded to indexed"] = await module(client, options.textbook)
    return result


def token(school: Any, name: str) -> str:
    """The secret of a new person who may write."""
    from schools import tokens
    from schools.models import Membership, Scope, User

    user = User.objects.create_user(f"{name}@{school.slug}.example", name=name)
    member = Membership.objects.create(school=school, user=user)
    return tokens.make(member=member, name=name, scope=Scope.WRITE)[1]


async def chatbot(client: httpx.AsyncClient) -> str:
    """The path of a chatbot that has read two documents."""
    from tests.factories import ACIDS, SAFETY

    keys = [await indexed(client, text, name) for text, name in ((ACIDS, "acids.md"), (SAFETY, "safety.md"))]
    made = (await client.post("chatbots", json={"name": "Benchmark"})).json()
    path = f"chatbots/{made['id']}"
    (await client.put(f"{path}/sources", json={"personal": keys, "school": []})).raise_for_status()
    return path


async def indexed(client: httpx.AsyncClient, text: str, name: str) -> str:
    """Upload a file and wait until it answers."""
    response = await client.post("documents", files={"file": (name, text.encode())})
    response.raise_for_status()
    key: str = response.json()["id"]
    status = response.json()["status"]
    while status not in ("ready", "failed"):
        await asyncio.sleep(0.6)  # a token has 100 requests a minute
        status = (await client.get(f"documents/{key}")).raise_for_status().json()["status"]
    assert status == "ready"
    return key


async def alone(client: httpx.AsyncClient, count: int) -> dict[str, Any]:
    path, taken = await chatbot(client), []
    await client.post(f"{path}/ask", json={"question": QUESTIONS[0]})
    for number in range(count):
        started = time.perf_counter()
        response = await client.post(f"{path}/ask", json={"question": QUESTIONS[number % len(QUESTIONS)]})
        taken.append((time.perf_counter() - started) * 1000)
        response.raise_for_status()
    return told(taken)


async def together(client: httpx.AsyncClient) -> dict[str, Any]:
    """At once by several tokens of the same person, whose limits are their own."""
    path = await chatbot(client)
    others = await asyncio.to_thread(more_tokens, client.headers["Authorization"].split()[1])
    codes: Counter[int] = Counter()
    taken: list[float] = []

    async def ask(number: int) -> None:
        started = time.perf_counter()
        headers = {"Authorization": f"Bearer {others[number % len(others)]}"}
        question = f"{QUESTIONS[number % len(QUESTIONS)]} ({number})"
        response = await client.post(f"{path}/ask", json={"question": question}, headers=headers)
        taken.append((time.perf_counter() - started) * 1000)
        codes[response.status_code] += 1

    await asyncio.gather(*(ask(number) for number in range(PARALLEL)))
    return {"answers by status": dict(codes), "errors": PARALLEL - codes[200], **told(taken)}


def more_tokens(secret: str) -> list[str]:
    from schools import tokens
    from schools.models import Scope

    known = tokens.recognise(secret)
    assert known
    return [tokens.make(member=known.membership, name="more", scope=Scope.WRITE)[1] for _ in range(4)]


async def limited(client: httpx.AsyncClient) -> dict[str, Any]:
    codes = Counter(
        response.status_code for response in await asyncio.gather(*(client.get("me") for _ in range(LIMIT_TRIED)))
    )
    return {"passed": codes[200], "refused": codes[429], "others": codes.total() - codes[200] - codes[429]}


async def module(client: httpx.AsyncClient, folder: Path) -> dict[str, Any]:
    largest = max(folder.glob("*.md"), key=lambda path: path.stat().st_size)
    text = largest.read_text()
    started = time.perf_counter()
    await indexed(client, text, largest.name)
    return {"words": len(text.split()), "seconds": round(time.perf_counter() - started, 2)}


def told(taken: list[float]) -> dict[str, float]:
    ordered = sorted(taken)
    return {
        "median": round(statistics.median(ordered)),
        "95th percentile": round(ordered[int(0.95 * (len(ordered) - 1))]),
        "longest": round(ordered[-1]),
    }


if __name__ == "__main__":
    main()
