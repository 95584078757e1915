"""The rankings that were tried beside the product's own: what each gives the passages of a corpus for one question."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager

import numpy as np

from benchmarks.in_process import Asked, Floats, InMemory, bm25, coverage, rescored

Ranking = Callable[[str, Asked, int], Floats]
"""Question, the same embedded and stemmed, n: scores of the first n passages (n,)."""


@contextmanager
def others(memory: InMemory, titles: list[str]) -> Iterator[Mapping[str, Ranking]]:
    """Rankings by name. Those of PostgreSQL's own full text stand in a temporary table as long as the context lasts."""

    def vectors(text: str, asked: Asked, n: int) -> Floats:
        return memory.cosines(asked, slice(n))

    def words(text: str, asked: Asked, n: int) -> Floats:
        return bm25(memory.counts(asked)[:, :n], memory.lengths[:n])

    def reciprocal_ranks(text: str, asked: Asked, n: int) -> Floats:
        return 1 / (60 + ranks(vectors(text, asked, n))) + 1 / (60 + ranks(words(text, asked, n)))

    def scaled_halves(text: str, asked: Asked, n: int) -> Floats:
        return scaled(vectors(text, asked, n)) + scaled(words(text, asked, n))

    def covered(weight: float, close: bool = False) -> Ranking:
        def scores(text: str, asked: Asked, n: int) -> Floats:
            counts = memory.counts(asked)[:, :n]
            found = vectors(text, asked, n) + weight * coverage(counts)
            return rescored(memory, range(n), asked, counts, found) if close else found

        return scores

    def full_text(match: str, rank: str) -> Ranking:
        return lambda text, asked, n: by_postgres(match, rank, text, n)

    with positions(memory, titles):
        yield {
            "vectors only": vectors,
            "PostgreSQL, all words (websearch_to_tsquery)": full_text(ALL, "ts_rank_cd(stems, asked)"),
            "PostgreSQL, any word, ts_rank_cd": full_text(ANY, "ts_rank_cd(stems, asked)"),
            "PostgreSQL, any word, ts_rank by length": full_text(ANY, "ts_rank(stems, asked, 1)"),
            "BM25": words,
            "reciprocal ranks (k = 60) of vectors and BM25": reciprocal_ranks,
            "half and half of vectors and BM25, min-max": scaled_halves,
            **{f"cosine + {weight} × coverage": covered(weight) for weight in (0.3, 0.5, 0.75)},
            "cosine + 0.5 × coverage + 0.3 × closeness": covered(0.5, close=True),
        }


ALL = "websearch_to_tsquery('english', %(text)s)"
ANY = "replace(plainto_tsquery('english', %(text)s)::text, '&', '|')::tsquery"


def by_postgres(match: str, rank: str, text: str, n: int) -> Floats:
    from django.db import connection

    scores = np.zeros(n)
    asked = f"(SELECT {match} AS asked) AS question"
    statement = f"SELECT number, {rank} FROM ranked, {asked} WHERE stems @@ asked AND number < %(n)s"  # noqa: S608
    with connection.cursor() as cursor:
        cursor.execute(statement, {"text": text, "n": n})
        for number, score in cursor.fetchall():
            scores[number] = score
    return scores


@contextmanager
def positions(memory: InMemory, titles: list[str]) -> Iterator[None]:
    """A temporary table of stems with their positions: the product's own table keeps none."""
    from django.db import connection

    texts = [f"{title}\n{text}" for title, text in zip(titles, memory.texts, strict=True)]
    with connection.cursor() as cursor:
        cursor.execute("CREATE TEMPORARY TABLE ranked (number int, stems tsvector)")
        cursor.execute(
            "INSERT INTO ranked SELECT number - 1, to_tsvector('english', text)"
            " FROM unnest(%s::text[]) WITH ORDINALITY AS text (text, number)",
            [texts],
        )
    try:
        yield
    finally:
        with connection.cursor() as cursor:
            cursor.execute("DROP TABLE ranked")


def ranks(scores: Floats) -> Floats:
    """1 for the best."""
    order = np.argsort(-scores, kind="stable")
    places = np.empty(len(scores))
    places[order] = np.arange(1, len(scores) + 1)
    return places


def scaled(scores: Floats) -> Floats:
    low, high = scores.min(), scores.max()
    fitted: Floats = (scores - low) / max(high - low, 1e-9)
    return fitted
