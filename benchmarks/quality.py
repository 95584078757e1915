"""How well the product's own search finds the right passage, shares places and refuses, on any corpus in JSONL.

    LECTERN_DATA=… python -m benchmarks.quality CORPUS [--distractors] [--questions 1000] [--json result.json]

CORPUS is a directory with passages.jsonl[.gz] of {id, title, text} and questions.jsonl[.gz] of {question, passage,
title, answerable}; with --distractors also distractors.jsonl[.gz], more passages that answer nothing. Without CORPUS
the small one beside this file is used. The database of a running Lectern is used, in a school deleted at the end.
"""

from __future__ import annotations

import argparse
import gzip
import json
import math
import os
import random
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from uuid import UUID

import django

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")

SIZES = (33, 100, 300, 1000)


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("corpus", nargs="?", type=Path, default=Path(__file__).parent / "corpus")
    parser.add_argument("--distractors", action="store_true", help="search among more passages")
    parser.add_argument("--questions", type=int, default=1000, help="at most so many of each kind")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()
    if not options.corpus.is_dir():
        sys.exit(f"There is no corpus in {options.corpus}.")
    django.setup()
    passages, questions = read(options.corpus, "passages"), read(options.corpus, "questions")
    more = read(options.corpus, "distractors") if options.distractors else []
    rng = random.Random(options.seed)  # noqa: S311
    with loaded([*passages, *more]) as corpus:
        answerable = [q for q in questions if q["answerable"]]
        asked = rng.sample(answerable, min(options.questions, len(answerable)))
        result = {
            "corpus": {"passages": len(passages) + len(more), "questions asked": len(asked)},
            "ranking": ranking(corpus, asked),
            "merging": merging(corpus, asked, rng),
            "refusal": refusal(corpus, passages, answerable, options.questions, rng),
        }
    show(result)
    if options.json:
        options.json.write_text(json.dumps(result, indent=2))


@dataclass
class Corpus:
    """What was loaded: the school, each passage's document and position, each title's documents."""

    school: Any
    places: dict[int, tuple[UUID, int]]
    documents: dict[str, UUID]

    def source(self, titles: Sequence[str] | None = None) -> Any:
        from school_library.models import SchoolDocument
        from school_library.sources import SchoolSource

        documents = SchoolDocument.objects.for_school(self.school)
        if titles is not None:
            documents = documents.filter(pk__in=[self.documents[title] for title in titles])
        return SchoolSource(self.school, documents)


def ranking(corpus: Corpus, asked: Sequence[dict[str, Any]]) -> dict[str, dict[str, float]]:
    """The product's ranking, and by the same vectors alone."""
    source = corpus.source()
    ranks: dict[str, list[int | None]] = {"product": [], "vector only": []}
    for question in progress(asked, "ranking"):
        query = to_query(question["question"])
        gold = corpus.places[question["passage"]]
        found = [(p.document_id, p.position) for p in source.search(query, 10)]
        ranks["product"].append(found.index(gold) if gold in found else None)
        nearest = by_vector(corpus, query)
        ranks["vector only"].append(nearest.index(gold) if gold in nearest else None)
    return {name: measures(found) for name, found in ranks.items()}


def merging(
    corpus: Corpus, asked: Sequence[dict[str, Any]], rng: random.Random
) -> dict[str, dict[str, float]]:
    """Recall@5 with the titles dealt out to two sides of weights 60 and 40, by where the answer stands."""
    from corpus.fusion import Pool, share_places

    titles = sorted(corpus.documents)
    rng.shuffle(titles)
    sides = (titles[::2], titles[1::2])
    sources = [corpus.source(side) for side in sides]
    hits: dict[tuple[str, int], list[bool]] = {}
    for question in progress(asked, "merging"):
        gold = corpus.places[question["passage"]]
        side = 0 if question["title"] in sides[0] else 1
        query = to_query(question["question"])
        pools = [source.search(query, 10) for source in sources]
        together = sorted([p for pool in pools for p in pool], key=lambda p: (-p.score, p.key))[:5]
        placed = share_places([Pool(60, pools[0]), Pool(40, pools[1])], places=5, threshold=0.0)
        for name, chosen in (
            ("product (60/40)", [one.passage for one in placed]),
            ("one pool by score", together),
            ("always 3 + 2", [*pools[0][:3], *pools[1][:2]]),
        ):
            hits.setdefault((name, side), []).append(gold in {(p.document_id, p.position) for p in chosen})
    names = dict.fromkeys(name for name, _ in hits)
    return {
        name: {
            "answer in personal R@5": share(hits.get((name, 0), [])),
            "answer in school R@5": share(hits.get((name, 1), [])),
        }
        for name in names
    }


def refusal(
    corpus: Corpus,
    passages: Sequence[dict[str, Any]],
    answerable: Sequence[dict[str, Any]],
    most: int,
    rng: random.Random,
) -> dict[str, dict[str, float]]:
    """Answerable questions kept and questions on titles that are not in the base refused, by the size of the base."""
    from django.conf import settings

    sizes = {title: sum(p["title"] == title for p in passages) for title in {p["title"] for p in passages}}
    outcome: dict[str, dict[str, float]] = {}
    for size in SIZES:
        kept: list[bool] = []
        rejected: list[bool] = []
        for _ in progress(range(6), f"refusal at {size}"):
            titles = sorted(sizes)
            rng.shuffle(titles)
            inside: list[str] = []
            while titles and sum(sizes[t] for t in inside) + sizes[titles[-1]] <= max(
                size, sizes[titles[-1]]
            ):
                inside.append(titles.pop())
            if not titles:
                continue
            source = corpus.source(inside)
            own = [q for q in answerable if q["title"] in inside]
            foreign = [q for q in answerable if q["title"] in titles]
            for group, wanted, found in ((own, True, kept), (foreign, False, rejected)):
                for question in rng.sample(group, min(len(group), most // 6)):
                    best = source.search(to_query(question["question"]), 1)
                    evident = bool(best) and best[0].relevance >= settings.LECTERN_RELEVANCE_THRESHOLD
                    found.append(evident == wanted)
        if kept and rejected:
            outcome[f"base of {size}"] = {
                "answerable kept": share(kept),
                "without evidence refused": share(rejected),
            }
    return outcome


def by_vector(corpus: Corpus, query: Any) -> list[tuple[UUID, int]]:
    from pgvector import HalfVector
    from pgvector.django import MaxInnerProduct

    from school_library.models import SchoolChunk

    rows = SchoolChunk.objects.filter(school=corpus.school)
    distance = MaxInnerProduct("embedding", HalfVector(query.embedding.tolist()))
    return list(rows.order_by(distance, "pk").values_list("document_id", "position")[:10])


def to_query(text: str) -> Any:
    from corpus.passages import Query
    from engines.embedding import get_embedder

    embedder = get_embedder()
    return Query(text, embedder.embed_query(text), embedder.name)


@contextmanager
def loaded(passages: Sequence[dict[str, Any]]) -> Iterator[Corpus]:
    """A school with a document a title and a chunk a passage, embedded by the product's embedder."""
    from corpus.chunking import Piece, embedding_text
    from corpus.indexing import _chunk_row
    from engines.embedding import get_embedder
    from school_library.models import SchoolChunk, SchoolDocument
    from schools.models import School

    embedder = get_embedder()
    school = School.objects.create(name="Benchmark", slug=f"quality-{os.getpid()}")
    corpus = Corpus(school, {}, {})
    try:
        documents: dict[str, Any] = {}
        counts: dict[str, int] = {}
        for start in progress(range(0, len(passages), 32), "embedding"):
            batch = passages[start : start + 32]
            vectors = embedder.embed_passages([embedding_text((), p["text"]) for p in batch])
            rows = []
            for passage, vector in zip(batch, vectors, strict=True):
                title = passage["title"]
                if title not in documents:
                    documents[title] = SchoolDocument.objects.create(
                        school=school, title=title[:200], answering_version=1, status="ready"
                    )
                document, position = documents[title], counts.get(title, 0)
                counts[title] = position + 1
                piece = Piece(position, position, (), None, None, passage["text"], 0)
                rows.append(_chunk_row(document, piece, vector))
                corpus.places[passage["id"]] = (document.pk, position)
            SchoolChunk.objects.bulk_create(rows)
        corpus.documents = {title: document.pk for title, document in documents.items()}
        yield corpus
    finally:
        school.delete()


def measures(ranks: Sequence[int | None]) -> dict[str, float]:
    def mean(value: Callable[[int], float]) -> float:
        return round(sum(value(rank) for rank in ranks if rank is not None) / len(ranks), 4)

    return {
        "R@1": mean(lambda rank: rank < 1),
        "R@5": mean(lambda rank: rank < 5),
        "nDCG@10": mean(lambda rank: 1 / math.log2(rank + 2)),
        "MRR@10": mean(lambda rank: 1 / (rank + 1)),
    }


def share(found: Sequence[bool]) -> float:
    return round(sum(found) / len(found), 4) if found else 0.0


def read(corpus: Path, name: str) -> list[dict[str, Any]]:
    for path in (corpus / f"{name}.jsonl", corpus / f"{name}.jsonl.gz"):
        if path.exists():
            with gzip.open(path, "rt") if path.suffix == ".gz" else path.open() as lines:
                return [json.loads(line) for line in lines]
    sys.exit(f"There is no {name}.jsonl in {corpus}.")


def progress(steps: Sequence[Any], name: str) -> Iterator[Any]:
    for number, step in enumerate(steps, 1):
        yield step
        if sys.stderr.isatty() or number == len(steps):
            print(f"\r{name}: {number} of {len(steps)}", end="", file=sys.stderr)
    print(file=sys.stderr)


def show(result: dict[str, Any]) -> None:
    for part, rows in result.items():
        print(f"\n{part}")
        for name, value in rows.items():
            figures = "  ".join(f"{k} {v}" for k, v in value.items()) if isinstance(value, dict) else value
            print(f"  {name:24} {figures}")


if __name__ == "__main__":
    main()
