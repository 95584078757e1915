"""A corpus in memory, to compare other rankings with the product's and to calibrate: vectors, and stems with counts."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchmarks.ground import progress

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Asked:
    """A question: its text, its vector and its stems."""

    text: str
    vector: Floats
    stems: list[str]


@dataclass(frozen=True)
class InMemory:
    """n passages: texts, unit vectors (n, dimensions), per stem who holds it and how often, lengths in words (n,)."""

    texts: list[str]
    vectors: Floats
    postings: dict[str, tuple[NDArray[np.intp], Floats]]
    lengths: Floats

    def cosines(self, asked: Asked, part: Any) -> Floats:
        """Cosines of a part of the passages with the question, on the scale of the product: (part,)."""
        from engines.embedding import get_embedder
        from engines.embedding.cosine_scale import cosine_scale

        scaled: Floats = np.array(cosine_scale(get_embedder()).apply(self.vectors[part] @ asked.vector))
        return scaled

    def counts(self, asked: Asked) -> Floats:
        """How often each stem of the question stands in each passage: (stems, n)."""
        found = np.zeros((len(asked.stems), len(self.vectors)))
        for row, stem in enumerate(asked.stems):
            if stem in self.postings:
                passages, times = self.postings[stem]
                found[row, passages] = times
        return found


def idf(counts: Floats) -> Floats:
    """ln(1 + (n - df + 0.5) / (df + 0.5)) of each stem, as in BM25: (stems,)."""
    frequency = (counts > 0).sum(axis=1)
    weights: Floats = np.log(1 + (counts.shape[1] - frequency + 0.5) / (frequency + 0.5))
    return weights


def coverage(counts: Floats) -> Floats:
    """Share of the question's stems, weighted by idf, that each passage contains: (n,)."""
    weights = idf(counts)
    covered: Floats = weights @ (counts > 0) / max(weights.sum(), 1e-9)
    return covered


def rescored(memory: InMemory, part: Sequence[int], asked: Asked, counts: Floats, scores: Floats) -> Floats:
    """Scores (n,) of a part of the passages with the closeness of the best of them added, as the product does."""
    from corpus.search.search import CLOSENESS, RESCORED
    from text.lexemes import lexemes, select_matchable
    from text.matching import closeness

    found = scores.copy()
    weights = idf(counts)
    by_stem = select_matchable(asked.text, dict(zip(asked.stems, weights.tolist(), strict=True)), "english")
    for place in np.argsort(-scores, kind="stable")[:RESCORED]:
        found[place] += CLOSENESS * closeness(lexemes(memory.texts[part[place]], "english"), by_stem)
    return found


def bm25(counts: Floats, lengths: Floats, *, k1: float = 1.2, b: float = 0.75) -> Floats:
    """Okapi BM25 with the usual k1 and b: (n,)."""
    saturated = counts * (k1 + 1) / (counts + k1 * (1 - b + b * lengths / lengths.mean()))
    scores: Floats = idf(counts) @ saturated
    return scores


def in_memory(passages: Sequence[dict[str, Any]]) -> InMemory:
    """Embed and stem passages of {title, text}, as the product does: title in the stems, not in the vector."""
    from corpus.embedding.chunk_text import embedding_text
    from engines.embedding import get_embedder

    embedder = get_embedder()
    vectors = [
        embedder.embed_passages([embedding_text((), p["text"]) for p in passages[start : start + 32]])
        for start in progress(range(0, len(passages), 32), "embedding passages")
    ]
    postings: dict[str, tuple[list[int], list[int]]] = {}
    stemmed = _stems([f"{p['title']}\n{p['text']}" for p in passages])
    for number, stems in enumerate(stemmed):
        for stem, times in stems:
            numbers, counts = postings.setdefault(stem, ([], []))
            numbers.append(number)
            counts.append(times)
    return InMemory(
        texts=[p["text"] for p in passages],
        vectors=np.concatenate(vectors).astype(np.float64),
        postings={stem: (np.array(numbers), np.array(times, float)) for stem, (numbers, times) in postings.items()},
        lengths=np.array([sum(times for _, times in stems) for stems in stemmed], float),
    )


def asked(texts: Sequence[str]) -> list[Asked]:
    """Questions embedded and stemmed."""
    from engines.embedding import get_embedder

    vectors = [get_embedder().embed_query(text) for text in progress(texts, "embedding questions")]
    return [
        Asked(text, vector.astype(np.float64), [stem for stem, _ in stems])
        for text, vector, stems in zip(texts, vectors, _stems(texts), strict=True)
    ]


def _stems(texts: Sequence[str]) -> list[list[tuple[str, int]]]:
    """PostgreSQL's English stems of each text, each with the number of times it occurs."""
    from django.db import connection

    statement = """
        SELECT ARRAY(SELECT lexeme FROM unnest(vector) ORDER BY lexeme),
               ARRAY(SELECT cardinality(positions) FROM unnest(vector) ORDER BY lexeme)
        FROM unnest(%s::text[]) WITH ORDINALITY AS text (text, number), to_tsvector('english', text) AS vector
        ORDER BY number
    """
    found: list[list[tuple[str, int]]] = []
    with connection.cursor() as cursor:
        for start in range(0, len(texts), 500):
            cursor.execute(statement, [list(texts[start : start + 500])])
            found += [list(zip(stems, times, strict=True)) for stems, times in cursor.fetchall()]
    return found
