"""How well the product's own search finds the right passage, shares places and refuses, on any corpus in JSONL.

    python -m benchmarks.quality [CORPUS] [--distractors] [--questions 1000] [--json result.json]

CORPUS is a directory with passages.jsonl[.gz] of {id, title, text} and questions.jsonl[.gz] of {question, passage,
title, answerable}; with --distractors also distractors.jsonl[.gz], more passages that answer nothing. Without CORPUS
the small one beside this file is used. Other rankings are computed beside it on the same vectors and stems.

The refusal curve is of every other title in alphabetical order: corpus.relevance was fitted on the others (of SQuAD).
"""

from __future__ import annotations

import math
import random
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from uuid import UUID

import numpy as np

from benchmarks.calibration import PER_BASE, SIZES, halved
from benchmarks.ground import database, options, progress, read, table, write
from benchmarks.in_process import Asked, InMemory, asked, in_memory
from benchmarks.rankings import others

Question = dict[str, Any]


def main() -> None:
    parser = options(__doc__)
    parser.add_argument("corpus", nargs="?", type=Path, default=Path(__file__).parent / "corpus")
    parser.add_argument("--distractors", action="store_true", help="search among more passages as well")
    parser.add_argument("--questions", type=int, default=1000, help="ask at most so many")
    parser.add_argument("--seed", type=int, default=1)
    chosen = parser.parse_args()
    if not chosen.corpus.is_dir():
        sys.exit(f"There is no corpus in {chosen.corpus}.")
    passages, questions = read(chosen.corpus, "passages"), read(chosen.corpus, "questions")
    more = read(chosen.corpus, "distractors") if chosen.distractors else []
    answerable = [question for question in questions if question["answerable"]]
    rng = random.Random(chosen.seed)  # noqa: S311
    sample = rng.sample(answerable, min(chosen.questions, len(answerable)))
    with database(chosen.data), loaded(passages, more) as corpus:
        vectors = asked([question["question"] for question in sample])
        sizes = [len(passages), len(passages) + len(more)] if more else [len(passages)]
        result = {
            **{f"ranking {n:,} passages": ranking(corpus, sample, vectors, n) for n in sizes},
            "merging two sources": merging(corpus, sample, rng),
            "refusing, on unseen articles": refusing(corpus, answerable, rng),
        }
    for name, rows in result.items():
        print(f"\n{table(rows, name)}")
    write(result, chosen.json)


@dataclass
class Corpus:
    """What was loaded: passages in memory, the school, where each passage went, the documents by title and filler."""

    memory: InMemory
    school: Any
    titles: list[str]
    places: dict[Any, tuple[UUID, int]]
    articles: dict[str, UUID]
    filler: list[UUID]

    def source(self, documents: Sequence[UUID]) -> Any:
        """The product's source over these documents."""
        from school_library.models import SchoolDocument
        from school_library.sources import SchoolSource

        return SchoolSource(self.school, SchoolDocument.objects.filter(pk__in=documents))


def ranking(corpus: Corpus, sample: Sequence[Question], vectors: Sequence[Asked], n: int) -> dict[str, dict[str, Any]]:
    """Where the right one among the first n passages stands, by the product and by every other ranking."""
    filler = corpus.filler if n == len(corpus.titles) else []
    source = corpus.source([*corpus.articles.values(), *filler])
    numbers = {place: number for number, place in enumerate(corpus.places.values())}
    found: dict[str, list[int]] = {}
    with others(corpus.memory, corpus.titles) as tried:
        for question, vector in zip(progress(sample, f"ranking {n:,}"), vectors, strict=True):
            gold = corpus.places[question["passage"]]
            best = [(p.document_id, p.position) for p in source.search(to_query(question["question"]), 10)]
            found.setdefault("**the product**", []).append(best.index(gold) if gold in best else n)
            for name, scores_of in tried.items():
                scores = scores_of(question["question"], vector, n)
                own = scores[numbers[gold]]
                found.setdefault(name, []).append(int((scores > own).sum()) if own else n)
    measured = {name: measures(places) for name, places in found.items()}
    base = measured["vectors only"]["R@5"]
    return {name: {**row, "R@5 to vectors": f"×{row['R@5'] / base:.2f}"} for name, row in measured.items()}


def merging(corpus: Corpus, sample: Sequence[Question], rng: random.Random) -> dict[str, dict[str, Any]]:
    """Recall@5 with the titles dealt out to two sides of weights 60 and 40, by where the answer stands."""
    from corpus.search.fusion import Candidates, allocate

    titles = sorted(corpus.articles)
    rng.shuffle(titles)
    sides = (titles[::2], titles[1::2])
    sources = [corpus.source([corpus.articles[title] for title in side]) for side in sides]
    hits: dict[str, tuple[list[bool], list[bool]]] = {}
    for question in progress(sample, "merging"):
        gold = corpus.places[question["passage"]]
        query = to_query(question["question"])
        pools = [source.search(query, 10) for source in sources]
        together = sorted([p for pool in pools for p in pool], key=lambda p: (-p.score, p.key))[:5]
        fused = allocate([Candidates(60, pools[0]), Candidates(40, pools[1])], places=5, threshold=0.0)
        by_rank = sorted(
            [
                (weight / (60 + rank), p)
                for weight, pool in zip((60, 40), pools, strict=True)
                for rank, p in enumerate(pool)
            ],
            key=lambda scored: -scored[0],
        )
        for name, chosen in (
            ("**the product**", [one.passage for one in fused.placed]),
            ("one pool by score", together),
            ("always three and two", [*pools[0][:3], *pools[1][:2]]),
            ("weighted reciprocal ranks", [p for _, p in by_rank[:5]]),
        ):
            both = hits.setdefault(name, ([], []))
            both[question["title"] not in sides[0]].append(gold in {(p.document_id, p.position) for p in chosen})
    return {
        name: {"answer in personal, R@5": share(personal), "answer in school, R@5": share(school)}
        for name, (personal, school) in hits.items()
    }


def refusing(corpus: Corpus, answerable: Sequence[Question], rng: random.Random) -> dict[str, dict[str, Any]]:
    """Answerable questions kept and questions on articles that are not in the base refused, by the size of the base."""
    from django.conf import settings

    titles = halved(corpus.articles, 1)
    chunks = {title: corpus.titles.count(title) for title in titles}
    outcome: dict[str, dict[str, Any]] = {}
    for size, bases in SIZES.items():
        kept: list[bool] = []
        refused: list[bool] = []
        for _ in progress(range(bases), f"refusal at {size}"):
            rng.shuffle(titles)
            count = max(1, min(len(titles) * 5 // 9, round(size / 50)))
            inside, outside = titles[:count], titles[count:]
            missing = max(0, size - sum(chunks[title] for title in inside)) // FILLER
            filler = corpus.filler[1::2]
            if missing > len(filler):
                continue
            base = [corpus.articles[title] for title in inside] + rng.sample(filler, missing)
            source = corpus.source(base)
            for group, chosen, found in ((inside, True, kept), (outside, False, refused)):
                pool = [question for question in answerable if question["title"] in group]
                for question in rng.sample(pool, min(PER_BASE // 2, len(pool))):
                    best = source.search(to_query(question["question"]), 1)
                    evident = bool(best) and best[0].relevance >= settings.LECTERN_RELEVANCE_THRESHOLD
                    found.append(evident == chosen)
        if kept and refused:
            outcome[f"base of {size:,} chunks"] = {
                "answerable kept": f"{np.mean(kept):.1%}",
                "without evidence refused": f"{np.mean(refused):.1%}",
                "questions": len(kept) + len(refused),
            }
    return outcome


def to_query(text: str) -> Any:
    from corpus.sources import Query
    from engines.embedding import get_embedder

    return Query.of(text, get_embedder())


FILLER = 20
"""Distractors in one document: they have no titles, and small documents let a base of any size be put together."""


@contextmanager
def loaded(passages: Sequence[dict[str, Any]], more: Sequence[dict[str, Any]]) -> Iterator[Corpus]:
    """A school with a document a title and a chunk a passage, deleted at the end."""
    from corpus.ingestion.chunking import Piece
    from corpus.ingestion.replace_chunks import chunk_row
    from engines.embedding import get_embedder
    from school_library.models import SchoolChunk, SchoolDocument
    from schools.models import School

    everything = [*passages, *more]
    memory = in_memory(everything)
    school = School.objects.create(name="Benchmark", slug="quality")
    corpus = Corpus(memory, school, [p["title"] for p in everything], {}, {}, [])
    try:
        documents: dict[str, Any] = {}
        counts: dict[str, int] = {}
        rows, model = [], get_embedder().name
        for number, passage in enumerate(progress(everything, "storing")):
            own = number < len(passages)
            key = passage["title"] if own else f"filler {(number - len(passages)) // FILLER}"
            if key not in documents:
                documents[key] = SchoolDocument.objects.create(
                    school=school, title=passage["title"][:200] or "·", answering_version=1, status="ready"
                )
                if own:
                    corpus.articles[key] = documents[key].pk
                else:
                    corpus.filler.append(documents[key].pk)
            position = counts[key] = counts.get(key, -1) + 1
            piece = Piece(position, position, (), None, None, passage["text"], 0)
            rows.append(chunk_row(documents[key], piece, memory.vectors[number], model))
            corpus.places[passage["id"]] = (documents[key].pk, position)
        SchoolChunk.objects.bulk_create(rows, batch_size=500)
        yield corpus
    finally:
        school.delete()


def measures(places: Sequence[int]) -> dict[str, float]:
    def mean(value: Callable[[int], float]) -> float:
        return round(sum(value(place) for place in places) / len(places), 3)

    return {
        "R@1": mean(lambda place: place < 1),
        "R@5": mean(lambda place: place < 5),
        "nDCG@10": mean(lambda place: 1 / math.log2(place + 2) if place < 10 else 0),
        "MRR@10": mean(lambda place: 1 / (place + 1) if place < 10 else 0),
    }


def share(found: Sequence[bool]) -> float:
    return round(sum(found) / len(found), 3) if found else 0.0


if __name__ == "__main__":
    main()
