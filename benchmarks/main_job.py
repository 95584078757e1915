"""How long the main job takes on a running Lectern: indexing a PDF, searching, and an answer in the browser's eyes.

    LECTERN_DATA=… python -m benchmarks.main_job --address http://127.0.0.1:8000 [--json result.json]

Start Lectern with its demo first (`make run`). Works in a school of its own, which it deletes at the end. Numbers are
milliseconds unless they say otherwise; the ratios are taken within the run.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import statistics
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import django
import httpx

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--address", default="http://127.0.0.1:8000")
    parser.add_argument("--pages", type=int, default=50, help="pages of the PDF to index")
    parser.add_argument("--searches", type=int, default=300)
    parser.add_argument("--questions", type=int, default=12)
    parser.add_argument("--json", type=Path, help="where to write the result")
    options = parser.parse_args()
    django.setup()
    result: dict[str, Any] = {}
    steps: list[tuple[str, Callable[[], dict[str, Any]]]] = [
        ("indexing", lambda: indexing(options.pages)),
        ("search", lambda: searching(options.searches)),
        ("answer", lambda: answering(options.address, options.questions)),
    ]
    for name, step in steps:
        print(f"{name} …", flush=True)
        result[name] = step()
    for name, figures in result.items():
        print(f"\n{name}")
        for key, value in figures.items():
            print(f"  {key:42} {value}")
    if options.json:
        options.json.write_text(json.dumps(result, indent=2))


def indexing(pages: int) -> dict[str, Any]:
    """Upload a PDF and wait for the worker; the share of the time that parsing and cutting take is measured here."""
    from django.core.files.base import ContentFile

    from corpus.ingestion.chunking import chunk
    from corpus.ingestion.parsing import parse
    from engines.embedding import get_embedder
    from knowledge.services import upload
    from schools.models import Membership, School, User
    from tests.documents import long_pdf

    data = long_pdf(pages)
    embedder = get_embedder()
    started = time.perf_counter()
    pieces = chunk(parse(data).sections, count_tokens=embedder.count_tokens, max_tokens=embedder.max_tokens)
    cut = time.perf_counter() - started
    school = School.objects.create(name="Benchmark", slug=f"benchmark-{os.getpid()}")
    user = User.objects.create_user(f"{school.slug}@lectern.example", name="Benchmark")
    try:
        member = Membership.objects.create(school=school, user=user)
        started = time.perf_counter()
        document, _ = upload(member=member, file=ContentFile(data, name="long.pdf"))
        while document.is_pending:
            time.sleep(0.05)
            document.refresh_from_db()
        seconds = time.perf_counter() - started
        assert document.status == "ready", document.failure_reason
    finally:
        school.delete()
        user.delete()
    return {
        "pages": pages,
        "chunks": document.chunk_count,
        "seconds from upload to ready": round(seconds, 2),
        "pages per second": round(pages / seconds, 1),
        "of it reading and cutting (ratio)": round(cut / seconds, 3),
        "chunks counted here": len(pieces),
    }


def searching(searches: int) -> dict[str, Any]:
    """Combined search over the demo's chatbots through the product's retriever; embedding apart."""
    from django.db import connection

    from benchmarks.demo_questions import QUESTIONS
    from chatbots.answering.retrieval import retrieve
    from chatbots.answering.source_selection import sources_for
    from chatbots.models import Chatbot

    bots = Chatbot.objects.filter(name__in=QUESTIONS).select_related("school")
    asked = [(bot, question.text) for bot in bots for question in QUESTIONS[bot.name]]
    for bot, question in asked:
        retrieve(question, sources_for(bot), places=bot.places)
    embed, search, floor = [], [], []
    for n in range(searches):
        bot, question = asked[n % len(asked)]
        found = retrieve(question, sources_for(bot), places=bot.places)
        embed.append(found.timings["embed_ms"])
        search.append(found.timings["search_ms"])
        with connection.cursor() as cursor:
            started = time.perf_counter()
            cursor.execute("SELECT 1")
            floor.append((time.perf_counter() - started) * 1000)
    return {
        "searches": searches,
        "combined search p50 / p95": spread(search),
        "embedding of the question p50 / p95": spread(embed),
        "SELECT 1 p50 / p95": spread(floor),
        "search p50 over SELECT 1 p50 (ratio)": round(statistics.median(search) / statistics.median(floor), 1),
    }


def answering(address: str, questions: int) -> dict[str, Any]:
    """From the POST of a question to the sources event and to the finished answer, over HTTP."""
    from benchmarks.demo_questions import QUESTIONS
    from chatbots.models import Chatbot

    bot = Chatbot.objects.get(name="Chemistry 9 helper")
    asked = [question.text for question in QUESTIONS[bot.name]]
    first, last = [], []
    with httpx.Client(base_url=address, follow_redirects=True, timeout=60) as client:
        sign_in(client)
        for n in range(questions):
            page = client.get(f"/chatbots/{bot.pk}/").text
            form = dict(re.findall(r'name="(csrfmiddlewaretoken|message_id)" value="([^"]+)"', page))
            started = time.perf_counter()
            client.post(f"/chatbots/{bot.pk}/ask/", data={**form, "question": asked[n % len(asked)]})
            for event in events(client, f"/messages/{form['message_id']}/stream/"):
                now = (time.perf_counter() - started) * 1000
                if event == "sources":
                    first.append(now)
                if event == "done":
                    last.append(now)
                    first[len(last) - 1 :] = first[len(last) - 1 :] or [now]
    return {
        "questions": questions,
        "POST to sources event p50 / p95": spread(first),
        "POST to the last token p50 / p95": spread(last),
        "sources over last token (ratio)": round(statistics.median(first) / statistics.median(last), 2),
    }


def sign_in(client: httpx.Client) -> None:
    page = client.get("/accounts/login/").text
    token = re.search(r'name="csrfmiddlewaretoken" value="([^"]+)"', page)
    assert token
    password = os.environ.get("LECTERN_DEMO_PASSWORD", "lectern-demo")
    form = {"csrfmiddlewaretoken": token[1], "login": "teacher@riverside.example", "password": password}
    answer = client.post("/accounts/login/", data=form, headers={"Referer": str(client.base_url)})
    assert answer.url.path == "/chatbots/", "the demo's teacher could not sign in"


def events(client: httpx.Client, path: str) -> Iterator[str]:
    with client.stream("GET", path) as stream:
        for line in stream.iter_lines():
            if line.startswith("event: "):
                yield line.removeprefix("event: ")


def spread(values: list[float]) -> str:
    ordered = sorted(values)
    return f"{statistics.median(ordered):.2f} / {ordered[int(len(ordered) * 0.95) - 1 if len(ordered) > 1 else 0]:.2f}"


if __name__ == "__main__":
    main()
