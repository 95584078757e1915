"""The search of all sources of a chatbot: in parallel, each source with its own deadline (H1, H7)."""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Mapping, Sequence
from concurrent.futures import wait
from dataclasses import dataclass, field
from functools import partial

from django.conf import settings
from django.db import connection

from corpus.embedding.active_model import active_embedder, refresh_active_model
from corpus.passages import Passage
from corpus.search.fusion import Allocation, Candidates, FusionResult, NearMiss, SelectedPassage, allocate
from corpus.search.runners import Outcome, Runner, current_runner, searches_run
from corpus.source_kinds import SourceKind
from corpus.sources import Query, Source

logger = logging.getLogger(__name__)
LOOKED_AT = 50
"""Blocks of each source that are looked at before a question is refused, at least."""

AT_ONCE = 8
"""Questions that a process searches for at a time. Of a hundred at once each would else be late: the time limit of a
search begins when it is its turn."""

_Found = dict[int, Sequence[Passage] | None]
"""By the index of its source; None for one that failed or was late."""

_turns = threading.BoundedSemaphore(AT_ONCE)


@dataclass(frozen=True)
class WeightedSource:
    """A source as a chatbot reads it: one that `fills_in` takes only places that the others leave empty."""

    source: Source
    weight: int
    fills_in: bool = False


@dataclass(frozen=True)
class Searched:
    """One source as it took part: its weight, the chunks that were searched, and its share of the places."""

    kind: SourceKind
    weight: int
    chunks: int
    allocation: Allocation
    fills_in: bool = False


@dataclass(frozen=True)
class Retrieval:
    """The passages that have a place, best first; the sources that could not be asked; milliseconds by step. And for
    whoever asks why: each source that was searched, those that were not needed to fill in, the passages that got no
    place, and what they were held against."""

    placed: tuple[SelectedPassage, ...]
    unavailable: tuple[SourceKind, ...] = ()
    timings: dict[str, float] = field(default_factory=dict)
    searched: tuple[Searched, ...] = ()
    not_needed: tuple[SourceKind, ...] = ()
    missed: tuple[NearMiss, ...] = ()
    places: int = 0
    threshold: float = 0.0


def retrieve(
    question: str,
    sources: Sequence[WeightedSource],
    *,
    places: int,
    deadline_ms: int | None = None,
    runner: Runner | None = None,
) -> Retrieval:
    """Search all sources at once with one embedding of the question and share the places among what they found.

    A source that raises or takes longer than its own deadline, else `deadline_ms` (default: setting
    LECTERN_SEARCH_DEADLINE_MS), is left out and named. A source that fills in is waited for only while the others
    leave places empty (ADR 19). All passages are found by the vectors of one embedding model: when the installation
    switches to another in the middle, the question is embedded and searched for again.
    `runner`: see `corpus.search.runners`.
    Raises engines.errors.EmbeddingUnavailable when the question cannot be embedded.
    """
    if not sources:
        return Retrieval(placed=())
    if not connection.in_atomic_block:
        connection.close()  # nobody holds a connection of the requests' pool while waiting
    with _turns, searches_run(runner or current_runner()):
        return _retrieve(question, sources, places, deadline_ms)


def _retrieve(question: str, sources: Sequence[WeightedSource], places: int, deadline_ms: int | None) -> Retrieval:
    embedder, searched_by = active_embedder(), ""
    while embedder.name != searched_by:
        started = time.perf_counter()
        query = Query.of(question, embedder)
        embedded = time.perf_counter()
        if not connection.in_atomic_block:
            connection.close()  # nobody holds a connection of the requests' pool while waiting
        found, result = _search(sources, query, places, embedded, deadline_ms or settings.LECTERN_SEARCH_DEADLINE_MS)
        searched, searched_by = time.perf_counter(), embedder.name
        if any(not passages and passages is not None and sources[i].source.is_indexed for i, passages in found.items()):
            # Documents without a single passage: the installation may have switched to another model.
            embedder = refresh_active_model()
    return Retrieval(
        placed=result.placed,
        unavailable=tuple(sources[i].source.kind for i, passages in found.items() if passages is None),
        searched=tuple(
            Searched(one.source.kind, one.weight, _size(passages), result.shares[i], one.fills_in)
            for i, one in enumerate(sources)
            if (passages := found.get(i)) is not None
        ),
        not_needed=tuple(one.source.kind for i, one in enumerate(sources) if i not in found),
        missed=result.missed,
        places=places,
        threshold=settings.LECTERN_RELEVANCE_THRESHOLD,
        timings={
            "embed_ms": round((embedded - started) * 1000, 2),
            "search_ms": round((searched - embedded) * 1000, 2),
        },
    )


def _search(
    sources: Sequence[WeightedSource], query: Query, places: int, begun: float, deadline_ms: int
) -> tuple[_Found, FusionResult]:
    """What each source found that was waited for, and how that shares the places. All of them begin at once."""
    deadlines = [begun + (one.source.deadline_ms or deadline_ms) / 1000 for one in sources]
    least = 2 * places  # a source may have to fill another's places, and what says the same takes one place
    searches = {i: _begin(one.source, query, least) for i, one in enumerate(sources)}
    found: _Found = {}
    result = _allocate(sources, found, places)
    for fills_in in (False, True):
        tier = [i for i, one in enumerate(sources) if one.fills_in is fills_in]
        if len(result.placed) == places:
            for i in tier:
                searches[i].cancel()
            break
        found |= _outcomes(sources, {i: searches[i] for i in tier}, deadlines)
        result, limit = _allocate(sources, found, places), least
        indexed = [i for i in tier if sources[i].source.is_indexed]
        while len(result.placed) < places and any(
            _is_cut_off(found[i], limit, refusing=not result.placed) for i in indexed
        ):
            limit = max(4 * limit, LOOKED_AT)
            again = {i: _begin(sources[i].source, query, limit) for i in indexed}
            more = _outcomes(sources, again, deadlines)
            found |= {i: passages for i, passages in more.items() if passages is not None}
            result = _allocate(sources, found, places)
    return found, result


def _begin(source: Source, query: Query, limit: int) -> Outcome:
    return current_runner()(partial(source.search, query, limit))


def _outcomes(sources: Sequence[WeightedSource], searches: Mapping[int, Outcome], deadlines: Sequence[float]) -> _Found:
    """What these searches found, each by its deadline (of time.perf_counter)."""
    for i, search in searches.items():
        wait([search], timeout=max(deadlines[i] - time.perf_counter(), 0))
    return {i: _outcome(sources[i].source, search) for i, search in searches.items()}


def _allocate(sources: Sequence[WeightedSource], found: _Found, places: int) -> FusionResult:
    pools = [Candidates(one.weight, found.get(i) or (), one.fills_in) for i, one in enumerate(sources)]
    return allocate(pools, places=places, threshold=settings.LECTERN_RELEVANCE_THRESHOLD)


def _size(passages: Sequence[Passage]) -> int:
    """How many chunks a source searched, if it says so with its passages; else how many it found."""
    return passages[0].standing.among if passages and passages[0].standing else len(passages)


def _is_cut_off(passages: Sequence[Passage] | None, limit: int, *, refusing: bool) -> bool:
    """Whether a source may hold more that is relevant than the limit let through: because many passages say the same,
    or, looked at once before refusing, because closeness would lift one that stands below the limit without it."""
    return (
        passages is not None
        and len(passages) == limit
        and (passages[-1].relevance >= settings.LECTERN_RELEVANCE_THRESHOLD or (refusing and limit < LOOKED_AT))
    )


def _outcome(source: Source, future: Outcome) -> Sequence[Passage] | None:
    """What a search found, or None when it failed or is late."""
    if not future.done():
        future.cancel()
        logger.warning("The %s source did not answer in time", source.kind)
        return None
    if error := future.exception():
        logger.error("The %s source failed", source.kind, exc_info=error)
        return None
    return future.result()
