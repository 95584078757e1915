"""Hybrid search in a set of documents: vector similarity and PostgreSQL full text in one statement (H5).

score = λ · cosine + (1 + COVERAGE - λ) · coverage + CLOSENESS · closeness. Coverage is the idf sum of the question's
stems that are in title, headings or text of the chunk, divided by the idf sum of all its stems, with frequencies in the
scope. Closeness is the largest such share within 12 words; it reranks the best by the other two. λ is 1, or less if the
embedder does not know the language. The cosine is on the scale of `engines.embedding.cosine_scale`. In another language
than the question’s the score is MEANING · cosine + LIFT, if that is more.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from operator import itemgetter
from typing import Any
from uuid import UUID

from django.db import models

from corpus.numbering import label
from corpus.passages import Passage, Standing
from corpus.search import large_owners
from corpus.search.hybrid_sql import PROBE_SIZES, compute_masks, quote_stem, search_sql, stems_in
from corpus.search.large_owners import build_condition, has_indexes
from corpus.search.question_stems import question_stems
from corpus.search.relevance import relevance
from corpus.search.statements import find_statement
from corpus.search.steps import SearchInSteps, SqlStatement, Steps
from corpus.source_kinds import SourceKind
from corpus.sources import Query
from engines.embedding.cosine_scale import knows_language, language_trust
from text.function_words import function_words
from text.languages import get_language_code
from text.lexemes import find_written_forms, lexemes, select_matchable
from text.matching import closeness, coverage
from text.question_language import is_foreign
from text.question_match import QuestionWords, empty_stems
from text.sections import Purpose

COVERAGE, CLOSENESS = 0.5, 0.3
"""Weights beside the cosine. For 1,000 questions over 1,216 and 5,871 paragraphs the right paragraph is first for 88.0
and 84.8 % and among five for 97.5 and 96.5 %; by vectors alone for 65.3 and 59.7 %, 90.1 and 85.8 %. The result is flat
for coverage between 0.4 and 0.75 and closeness between 0.2 and 0.4. Measured by `python -m benchmarks.quality`."""

RESCORED = 10
"""The least number of blocks that are reranked by closeness. More made no difference."""

MEANING, LIFT = 2.0, -0.1
"""The score of a cosine alone: of a passage in another language than the question, whose words say little. Fitted by
`python -m benchmarks.calibration`: of the questions of `relevance` it keeps 99.1 / 98.2 / 94.4 / 88.3 %, and refuses
90 to 93 % of the others."""

PHRASE = 0.5
"""Added if the chunk contains a phrase that the question quotes; case is ignored."""

ASIDE = 2.0
"""Taken from the score of a chunk that is for something else than the question asks for, such as an exercise: it is
a near miss at most."""

SELECT_SIZE = 'SELECT coalesce(sum(chunk_count), 0)::int AS size FROM "{documents}" WHERE id = ANY($1::uuid[])'

_PHRASE = re.compile(r"[\"“„«]([^\"“”„«»]{3,200})[\"”“»]")


def prepare_search(
    chunks: type[models.Model],
    documents: Mapping[UUID, str],
    query: Query,
    limit: int,
    *,
    school: UUID,
    kind: SourceKind,
    still: str = "true",
) -> SearchInSteps[list[Passage]]:
    """The best `limit` blocks among the chunks of these documents of this school, best first, ties broken by key.

    A runner (`corpus.search.runners`) calls the search or takes its steps. `documents` maps ids to text search
    configurations. `still` is a condition in SQL on `document` that must hold at the time of the search, for example
    that it is published.

    The module says what the score is. Only the best chunk of a block is kept, with the block as text (H6).

    One statement, so each document is seen in one version (D5). Exact (ADR 3). Raises psycopg.Error, also if too slow.
    """

    def begin() -> Steps[list[Passage]]:
        stems: dict[str, list[str]] = {}
        rows: list[Any] = []
        size = 0
        if (yield from has_indexes(chunks, school, query.embedder.name)):
            counted = SELECT_SIZE.format(documents=_document_model(chunks)._meta.db_table)
            size = (yield SqlStatement(counted, [list(documents)]))[0].size
        new = set(documents.values())
        while new:  # repeat if a document just got a version in another language
            found = yield from question_stems(query.text, {*stems, *new})
            stems = {name: _meaningful(own, name) for name, own in found.items()}
            rows = yield _statement(chunks, documents, query, stems, school=school, still=still, limit=limit, size=size)
            new = {row.language for row in rows} - stems.keys()
        return _best(rows, stems, query, kind, limit)

    return SearchInSteps(begin)


def _best(
    rows: Sequence[Any], stems: Mapping[str, Sequence[str]], query: Query, kind: SourceKind, limit: int
) -> list[Passage]:
    """The passages of these rows with their closeness, the best `limit` of them."""
    every = _every(stems)
    weights = dict(zip(every, rows[0].weights if rows else (), strict=False))
    asked = {language: _QuestionStems.of(query.text, own, weights, language) for language, own in stems.items()}
    beyond = _relevance(rows[-1], rows[-1].score + CLOSENESS) if rows else 0.0
    scored = []
    for row in rows:
        close = closeness(lexemes(row.text, row.language), asked[row.language].matchable)
        scored.append((-row.score - CLOSENESS * close, (kind.value, str(row.document_id), row.position), close, row))
    scored.sort(key=itemgetter(0, 1))
    return [
        _passage(
            row,
            kind,
            -negative,
            _standing(row, rank, close, asked[row.language], every, beyond, is_asked=row.purpose in query.purposes),
        )
        for rank, (negative, _, close, row) in enumerate(scored[:limit], start=1)
    ]


@dataclass(frozen=True)
class _QuestionStems:
    """What a question asks for in one language: its stems with their weights (idf), the weights of those that can be
    told in a text, and how they were written, but for function words."""

    weights: Mapping[str, float]
    matchable: Mapping[str, float]
    written: Mapping[str, str]
    words: QuestionWords

    @classmethod
    def of(cls, text: str, stems: Sequence[str], idf: Mapping[str, float], language: str) -> _QuestionStems:
        weights = {stem: idf[stem] for stem in stems if stem in idf}
        empty = function_words(get_language_code(language))
        written = find_written_forms(text, weights, language).items()
        told = {stem: word for stem, word in written if word not in empty}
        return cls(
            weights, select_matchable(text, weights, language), told, QuestionWords(text, get_language_code(language))
        )


def _meaningful(stems: list[str], language: str) -> list[str]:
    """Leave out words of questions, which a passage need not have; PostgreSQL's lists lack some, such as “wann”."""
    return [stem for stem in stems if stem not in empty_stems(get_language_code(language))] or stems


def _statement(
    chunks: type[models.Model],
    documents: Iterable[UUID],
    query: Query,
    stems: Mapping[str, Sequence[str]],
    *,
    school: UUID,
    still: str,
    limit: int,
    size: int,
) -> SqlStatement:
    """It returns the rows of the best blocks, without their closeness. `size`: chunks of a large owner, else 0."""
    phrases, document = _phrases(query.text), _document_model(chunks)
    is_large = size >= large_owners.MIN_CHUNKS
    every = _every(stems)
    probes = next(size for size in PROBE_SIZES if size >= len(every))
    text = search_sql(
        chunks=chunks._meta.db_table,
        documents=document._meta.db_table,
        versions=document._meta.get_field("versions").related_model._meta.db_table,
        still=still,
        probes=probes,
        phrases=bool(phrases),
        coverage=COVERAGE,
        phrase=PHRASE,
        meaning=MEANING,
        aside=ASIDE,
        purposes=query.purposes,
        offset=query.scale.offset,
        owner=build_condition(school, query.embedder.name) if is_large else "",
        dimensions=query.embedder.dimensions if is_large else 0,
    )
    trust = [language_trust(language, query.embedder) for language in stems]
    where = [list(documents), school, query.embedder.name, max(limit, RESCORED)]
    padded = [*map(quote_stem, every), *([None] * (probes - len(every)))]
    last = [*([phrases] if phrases else []), *([float(size)] if is_large else [])]
    parameters = [list(stems), trust, query.vector, *where, *_by_language(query, stems, every, probes), *padded, *last]
    return SqlStatement(text, parameters)


def _by_language(
    query: Query, stems: Mapping[str, Sequence[str]], every: Sequence[str], probes: int
) -> Iterator[list[Any]]:
    """The masks of the stems of each language, what is added to its cosines, and to its scores by cosine alone (None
    where words count)."""
    yield from map(list, zip(*(compute_masks(own, every, probes) for own in stems.values()), strict=True))
    foreign = [is_foreign_to(query, get_language_code(language)) for language in stems]
    yield [query.scale.foreign * other for other in foreign]
    yield [LIFT if other else None for other in foreign]


def is_foreign_to(query: Query, language: str) -> bool:
    """Return whether a question must be found by its meaning alone in texts of this language code."""
    return knows_language(query.embedder, language) and is_foreign(query.text, language)


def _phrases(question: str) -> list[str]:
    return [phrase for found in _PHRASE.findall(question) if len(phrase := found.strip().lower()) > 2]


def _document_model(chunks: type[models.Model]) -> Any:
    return chunks._meta.get_field("document").related_model


def _every(stems: Mapping[str, Sequence[str]]) -> list[str]:
    """All different stems, as many as a statement has room for, always in the same order."""
    return sorted({stem for own in stems.values() for stem in own})[: PROBE_SIZES[-1]]


def _relevance(row: Any, score: float) -> float:
    return relevance(score, size=row.size, mean=row.mean, spread=row.spread)


def _passage(row: Any, kind: SourceKind, score: float, standing: Standing) -> Passage:
    relevance = max(_relevance(row, score), standing.stated)
    return build_passage(row, kind, relevance, score=score, standing=standing)


def _standing(
    row: Any, rank: int, close: float, asked: _QuestionStems, every: Sequence[str], beyond: float, *, is_asked: bool
) -> Standing:
    hits = stems_in(row.hits, every)
    return Standing(
        rank=rank,
        among=row.size,
        cosine=row.cosine,
        coverage=coverage(hits, asked.weights),
        closeness=close,
        quoted=row.quoted,
        found=tuple(word for stem, word in asked.written.items() if stem in hits),
        missing=tuple(word for stem, word in asked.written.items() if stem not in hits),
        beyond=beyond,
        stated=is_asked * find_statement(asked.words, (row.title, *row.heading_path), row.text),
    )


def build_passage(
    row: Any, kind: SourceKind, relevance: float, *, score: float = 0.0, standing: Standing | None = None
) -> Passage:
    """Make a passage of a row that has its chunk, document and version."""
    return Passage(
        kind=kind,
        document_id=row.document_id,
        document_title=row.title,
        version=row.answering_version,
        heading_path=tuple(row.heading_path),
        page=row.page,
        page_label=row.page_label or "",
        lines=(row.line_start, row.line_end) if row.line_start and row.line_end else None,
        file_path=row.file_path,
        label=label(row.numbers),
        position=row.position,
        block=row.block,
        purpose=Purpose(row.purpose),
        excerpt=row.text.strip(),
        text=row.section.strip(),
        is_recognised=bool(row.is_recognised),
        relevance=relevance,
        score=score,
        standing=standing,
        media_type=row.media_type or "",
        address=row.web_address or "",
        read_at=row.fetched_at,
        language=get_language_code(row.language),
    )
