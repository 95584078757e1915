"""Search all sources of a chatbot in parallel, each with its own deadline (H1, H7)."""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import Future, wait
from dataclasses import dataclass, field, replace
from functools import partial
from typing import TypeVar

from django.conf import settings
from django.db import connection

from corpus.embedding.active_model import active_embedder, refresh_active_model
from corpus.passages import Passage
from corpus.search.fusion import Allocation, Candidates, FusionResult, NearMiss, SelectedPassage, allocate
from corpus.search.reranking import rerank
from corpus.search.runners import Outcome, Runner, get_runner, use_runner, wait_for
from corpus.source_kinds import SourceKind
from corpus.sources import Query, Source
from engines.reader.loading import get_reader
from engines.reader.reading import Reader

logger = logging.getLogger(__name__)
T = TypeVar("T")
LOOKED_AT = 50
"""At least so many blocks of each source are examined before a question is refused."""

AT_ONCE = 8
"""Concurrent searches in a process. The deadline of a search starts when it gets its slot."""

_Found = dict[int, Sequence[Passage] | None]
"""Passages by the index of the source; None if it failed or was late."""

_search_slots = threading.BoundedSemaphore(AT_ONCE)


@dataclass(frozen=True)
class WeightedSource:
    """A source with its share. A source that `fills_in` gets only places that the others leave empty."""

    source: Source
    weight: int
    fills_in: bool = False


@dataclass(frozen=True)
class SourceStatistics:
    """A source that was searched: its weight, the number of its chunks, and its places."""

    kind: SourceKind
    weight: int
    chunks: int
    allocation: Allocation
    fills_in: bool = False


@dataclass(frozen=True)
class Retrieval:
    """The passages that got a place, best first, the sources that could not be searched, and milliseconds by step.

    The other fields explain the choice.
    """

    placed: tuple[SelectedPassage, ...]
    unavailable: tuple[SourceKind, ...] = ()
    timings: dict[str, float] = field(default_factory=dict)
    searched: tuple[SourceStatistics, ...] = ()
    not_needed: tuple[SourceKind, ...] = ()
    missed: tuple[NearMiss, ...] = ()
    places: int = 0
    threshold: float = 0.0

    @property
    def best_relevance(self) -> float:
        """The relevance of the best passage that has a place, 0 if none has."""
        return max((placed.passage.relevance for placed in self.placed), default=0.0)


def add_earlier_timings(retrieval: Retrieval, before: Retrieval) -> Retrieval:
    """Add the timings, in milliseconds, of the search before it."""
    names = {**before.timings, **retrieval.timings}
    timings = {name: round(before.timings.get(name, 0) + retrieval.timings.get(name, 0), 2) for name in names}
    return replace(retrieval, timings=timings)


def ask_sources(sources: Sequence[WeightedSource], ask: Callable[[Source], T]) -> dict[int, T]:
    """What each source says, asked side by side, by its index. One that fails or is late is missing."""
    if not connection.in_atomic_block:
        connection.close()  # no connection is held while waiting
    asked = [get_runner()(partial(ask, one.source)) for one in sources]
    wait(asked, timeout=settings.LECTERN_SEARCH_DEADLINE_MS / 1000)
    answers = {}
    for i, (one, outcome) in enumerate(zip(sources, asked, strict=True)):
        if (answer := _outcome(one.source, outcome)) is not None:
            answers[i] = answer
    return answers


def retrieve(
    question: str,
    sources: Sequence[WeightedSource],
    *,
    places: int,
    deadline_ms: int | None = None,
    runner: Runner | None = None,
    reads: bool = True,
) -> Retrieval:
    """Search all sources at once with one embedding of the question, and share the places among the results.

    A source that fails, misses its deadline twice or lacks something is listed as unavailable. The deadline is the
    source's own, else `deadline_ms` (default: setting LECTERN_SEARCH_DEADLINE_MS). A source that fills in is waited for
    only if the others leave places empty (ADR 19). If the installation switches to another embedding model meanwhile,
    the search is repeated.
    The best passages are read, and ordered by reading and search together, unless `reads` is False or no reader is set
    (LECTERN_READER). `runner`: see `corpus.search.runners`.
    Raises engines.errors.EmbeddingUnavailable when the question cannot be embedded.
    """
    if not sources:
        return Retrieval(placed=())
    if not connection.in_atomic_block:
        connection.close()  # no connection is held while waiting
    with _search_slots, use_runner(runner or get_runner()):
        return _retrieve(question, sources, places, deadline_ms, get_reader() if reads else None)


def _retrieve(
    question: str, sources: Sequence[WeightedSource], places: int, deadline_ms: int | None, reader: Reader | None
) -> Retrieval:
    embedder, searched_by = active_embedder(), ""
    while embedder.name != searched_by:
        started = time.perf_counter()
        query = Query.of(question, embedder)
        embedded = time.perf_counter()
        if not connection.in_atomic_block:
            connection.close()  # no connection is held while waiting
        limit = deadline_ms or settings.LECTERN_SEARCH_DEADLINE_MS
        found, result, reading = _search(sources, query, places, embedded, limit, reader)
        searched, searched_by = time.perf_counter(), embedder.name
        if any(not passages and passages is not None and sources[i].source.is_indexed for i, passages in found.items()):
            # A source without results: the installation may have switched to another model.
            embedder = refresh_active_model()
    return Retrieval(
        placed=result.placed,
        unavailable=tuple(
            sources[i].source.kind for i, passages in found.items() if passages is None or sources[i].source.lacks_some
        ),
        searched=_searched(sources, found, result),
        not_needed=tuple(one.source.kind for i, one in enumerate(sources) if i not in found),
        missed=result.missed,
        places=places,
        threshold=settings.LECTERN_RELEVANCE_THRESHOLD,
        timings={
            "embed_ms": round((embedded - started) * 1000, 2),
            "search_ms": round((searched - embedded - reading) * 1000, 2),
            **({"read_ms": round(reading * 1000, 2)} if reader else {}),
        },
    )


def _searched(sources: Sequence[WeightedSource], found: _Found, result: FusionResult) -> tuple[SourceStatistics, ...]:
    return tuple(
        SourceStatistics(one.source.kind, one.weight, _size(passages), result.shares[i], one.fills_in)
        for i, one in enumerate(sources)
        if (passages := found.get(i)) is not None
    )


def _search(
    sources: Sequence[WeightedSource],
    query: Query,
    places: int,
    begun: float,
    deadline_ms: int,
    reader: Reader | None,
) -> tuple[_Found, FusionResult, float]:
    """Start all searches at once; return the results that were waited for, the allocation of the places, and the
    seconds of reading."""
    deadlines = [begun + (one.source.deadline_ms or deadline_ms) / 1000 for one in sources]
    least = 2 * places  # spare passages for duplicates and for places that another source leaves empty
    searches = _begin_all(sources, range(len(sources)), query, least)
    found: _Found = {}
    reading = 0.0
    result = _allocate(sources, found, places)
    for fills_in in (False, True):
        tier = [i for i, one in enumerate(sources) if one.fills_in is fills_in]
        if not tier:
            continue
        if len(result.placed) == places:
            for i in tier:
                searches[i].cancel()
            break
        found |= _outcomes(sources, {i: searches[i] for i in tier}, deadlines)
        if late := [i for i in tier if found[i] is None and not _failed(searches[i])]:
            waited, again = time.perf_counter() - begun, _begin_all(sources, late, query, least)
            found |= _outcomes(sources, again, [deadline + waited for deadline in deadlines])
        result, limit = _allocate(sources, found, places), least
        cut_off = [i for i in tier if sources[i].source.is_indexed]
        while len(result.placed) < places:
            cut_off = [i for i in cut_off if _is_cut_off(found[i], limit, refusing=not result.placed)]
            if not cut_off:
                break
            limit = max(4 * limit, LOOKED_AT)
            more = _outcomes(sources, _begin_all(sources, cut_off, query, limit), deadlines)
            found |= {i: passages for i, passages in more.items() if passages is not None}
            result = _allocate(sources, found, places)
        if reader:
            started = time.perf_counter()
            found |= _read(query.text, {i: found[i] for i in tier}, result, reader)
            result = _allocate(sources, found, places)
            reading += time.perf_counter() - started
    return found, result, reading


def _read(question: str, found: _Found, result: FusionResult, reader: Reader) -> _Found:
    """The results of some searches, ordered by reading and search together."""
    every = [one for passages in found.values() for one in passages or ()]
    keys = {one.key for one in every}
    ranked = [*(one.passage for one in result.placed), *(one.passage for one in result.missed)]
    candidates = [passage for passage in ranked if passage.key in keys]
    reread = rerank(question, candidates, reader)
    return {i: passages and [reread.get(one.key, one) for one in passages] for i, passages in found.items()}


def _begin_all(sources: Sequence[WeightedSource], which: Iterable[int], query: Query, limit: int) -> dict[int, Outcome]:
    return {i: get_runner()(sources[i].source.prepared(query, limit)) for i in which}


def _outcomes(sources: Sequence[WeightedSource], searches: Mapping[int, Outcome], deadlines: Sequence[float]) -> _Found:
    """The results of these searches, each by its deadline (time.perf_counter), the earliest first."""
    for i, search in sorted(searches.items(), key=lambda one: deadlines[one[0]]):
        wait_for(search, max(deadlines[i] - time.perf_counter(), 0))
    return {i: _outcome(sources[i].source, search) for i, search in searches.items()}


def _allocate(sources: Sequence[WeightedSource], found: _Found, places: int) -> FusionResult:
    pools = [Candidates(one.weight, found.get(i) or (), one.fills_in) for i, one in enumerate(sources)]
    return allocate(pools, places=places, threshold=settings.LECTERN_RELEVANCE_THRESHOLD)


def _size(passages: Sequence[Passage]) -> int:
    """The number of chunks that were searched, if known, else of passages found."""
    return passages[0].standing.among if passages and passages[0].standing else len(passages)


def _is_cut_off(passages: Sequence[Passage] | None, limit: int, *, refusing: bool) -> bool:
    """Whether the limit may have cut off relevant passages: many may be duplicates, and before a refusal a lower ranked
    one may still score higher because its words are close together."""
    if passages is None or len(passages) < limit:
        return False
    last, threshold = passages[-1], settings.LECTERN_RELEVANCE_THRESHOLD
    beyond = last.standing.beyond if last.standing else 1.0
    return last.relevance >= threshold or (refusing and limit < LOOKED_AT and beyond >= threshold)


def _failed(future: Outcome) -> bool:
    return future.done() and not future.cancelled() and future.exception() is not None


def _outcome(source: Source, future: Future[T]) -> T | None:
    """What a source said, or None if it failed or is late."""
    if not future.done():
        future.cancel()
        logger.warning("The %s source did not answer in time", source.kind)
        return None
    if error := future.exception():
        logger.error("The %s source failed", source.kind, exc_info=error)
        return None
    return future.result()
