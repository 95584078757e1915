"""What approved pages add to a question whose pages are cached, and which questions bring them.

    python -m benchmarks.approved [--rounds 200] [--data DIRECTORY] [--json FILE]

A school with a topic of two pages, whose texts are in the cache, and none, 20 or 200 other topics of five pages each.
The source is built (one statement) and searched with a question whose embedding is there already, as in an answer.
Beside it the question's embedding, which all sources share, is measured in the same run. Without REDIS_URL the cache
is in the process's memory.
"""

from __future__ import annotations

import os
import time
from typing import Any

from benchmarks.ground import database, options, percentiles, table, write

TOPICS = (0, 20, 200)
QUESTION = "Does the landlord keep my deposit?"
KEYWORDS = ["tenant", "landlord", "deposit", "rent"]
TEXT = "Your landlord must put the deposit into a protection scheme within thirty days, and you get it back. " * 4


def main() -> None:
    parser = options(__doc__)
    parser.add_argument("--rounds", type=int, default=200)
    chosen = parser.parse_args()
    os.environ.setdefault("LECTERN_LOG_LEVEL", "WARNING")  # a line for each question
    with database(chosen.data):
        rows = {f"{count} other topics": measured(count, chosen.rounds) for count in TOPICS}
    print(table(rows, "approved pages in the cache"))
    write(rows, chosen.json)


def measured(topics: int, rounds: int) -> dict[str, Any]:
    from corpus.sources import Query
    from engines.embedding import get_embedder
    from references.approved.source import ApprovedSource
    from references.kinds import APPROVED
    from references.models import ReferenceSettings
    from schools.models import School

    school, _ = School.objects.get_or_create(slug=f"approved-{topics}", defaults={"name": "Benchmark"})
    if ReferenceSettings.of(school)._state.adding:
        _fill(school, topics)
    query = Query.of(QUESTION, get_embedder())
    times, embedding = [], []
    for number in range(rounds):
        started = time.perf_counter()
        assert len(ApprovedSource(ReferenceSettings.of(school), APPROVED).search(query, 10)) == 2
        times.append(1000 * (time.perf_counter() - started))
        started = time.perf_counter()
        get_embedder().embed_query(f"{QUESTION} {topics} {number}")
        embedding.append(1000 * (time.perf_counter() - started))
    spent, shared = percentiles(times), percentiles(embedding)
    return {
        "p50 ms": spent["p50"],
        "p95 ms": spent["p95"],
        "embedding p50 ms": shared["p50"],
        "ratio": round(spent["p50"] / shared["p50"], 2),
    }


def _fill(school: Any, topics: int) -> None:
    """Topics with pages that are cached as if they had been read."""
    from django.utils import timezone

    from engines.embedding import get_embedder
    from references.approved import cache
    from references.models import ApprovedPage, ApprovedTopic, ReferenceSettings

    embedder = get_embedder()
    vector = embedder.embed_passages([TEXT])[0].tobytes()
    ReferenceSettings.objects.create(school=school, allows_approved=True)
    named = [("Renting", KEYWORDS, 2)] + [
        (f"Topic {n}", [f"leaf{n}", f"light{n}", f"water{n}"], 5) for n in range(topics)
    ]
    for name, keywords, count in named:
        topic = ApprovedTopic.objects.create(school=school, name=name, keywords=keywords)
        for number in range(count):
            address = f"https://pages.example/{topic.pk}/{number}"
            page = ApprovedPage.objects.create(school=school, topic=topic, address=address, position=number)
            if name == "Renting":
                text = f"{TEXT} {number}"
                found = cache.CachedPage(timezone.now(), 200, "", address, name, text, "en", embedder.name, vector)
                cache.store(page.pk, found)


if __name__ == "__main__":
    main()
