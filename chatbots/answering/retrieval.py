"""What a chatbot may read, and the search of it: in parallel, each source with its own deadline (H1, H2, H7)."""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Sequence
from concurrent.futures import Future, ThreadPoolExecutor, wait
from dataclasses import dataclass, field

from django.conf import settings
from django.db import connection

from chatbots.models import Chatbot
from corpus.embedding.active_model import active_embedder, refresh_active_model
from corpus.passages import Passage, Query, Source, SourceKind
from corpus.search.fusion import Allocation, Candidates, FusionResult, NearMiss, SelectedPassage, allocate
from knowledge.models import PersonalDocument
from knowledge.sources import PersonalSource
from school_library.models import SchoolDocument
from school_library.sources import SchoolSource

logger = logging.getLogger(__name__)
LOOKED_AT = 50
"""Blocks of each source that are looked at before a question is refused, at least."""

AT_ONCE = 8
"""Questions that a process searches for at a time. Of a hundred at once each would else be late: the time limit of a
search begins when it is its turn."""

_turns = threading.BoundedSemaphore(AT_ONCE)
_searches = ThreadPoolExecutor(max_workers=32, thread_name_prefix="search")


@dataclass(frozen=True)
class WeightedSource:
    source: Source
    weight: int


@dataclass(frozen=True)
class Searched:
    """One source as it took part: its weight, the chunks that were searched, and its share of the places."""

    kind: SourceKind
    weight: int
    chunks: int
    allocation: Allocation


@dataclass(frozen=True)
class Retrieval:
    """The passages that have a place, best first; the sources that could not be asked; milliseconds by step. And for
    whoever asks why: each source that was searched, the passages that got no place, and what they were held against."""

    placed: tuple[SelectedPassage, ...]
    unavailable: tuple[SourceKind, ...] = ()
    timings: dict[str, float] = field(default_factory=dict)
    searched: tuple[Searched, ...] = ()
    missed: tuple[NearMiss, ...] = ()
    places: int = 0
    threshold: float = 0.0


def sources_for(chatbot: Chatbot) -> list[WeightedSource]:
    """Everything this chatbot may read, and nothing else: the one place that decides it.

    A source without documents is left out; so is one of weight 0, unless it is the only one (H2). Only documents
    of the chatbot's own school and, of personal ones, its owner's count, whatever the links say.
    """
    personal = PersonalDocument.objects.filter(chatbot_links__chatbot=chatbot, owner=chatbot.owner_id)
    library = SchoolDocument.objects.filter(chatbot_links__chatbot=chatbot)
    filled = [
        weighted
        for weighted in (
            WeightedSource(PersonalSource(chatbot.school, personal), chatbot.personal_weight),
            WeightedSource(SchoolSource(chatbot.school, library), chatbot.school_weight),
        )
        if not weighted.source.is_empty()
    ]
    return [weighted for weighted in filled if weighted.weight] or filled


def retrieve(
    question: str, sources: Sequence[WeightedSource], *, places: int, deadline_ms: int | None = None
) -> Retrieval:
    """Search all sources at once with one embedding of the question and share the places among what they found.

    A source that raises or takes longer than `deadline_ms` (default: setting LECTERN_SEARCH_DEADLINE_MS) is left
    out and named. All passages are found by the vectors of one embedding model: when the installation switches to
    another in the middle, the question is embedded and searched for again.
    Raises engines.errors.EmbeddingUnavailable when the question cannot be embedded.
    """
    if not sources:
        return Retrieval(placed=())
    if not connection.in_atomic_block:
        connection.close()  # nobody holds a connection of the requests' pool while waiting
    with _turns:
        return _retrieve(question, sources, places, deadline_ms)


def _retrieve(
    question: str, sources: Sequence[WeightedSource], places: int, deadline_ms: int | None
) -> Retrieval:
    embedder, searched_by = active_embedder(), ""
    while embedder.name != searched_by:
        started = time.perf_counter()
        query = Query.of(question, embedder)
        embedded = time.perf_counter()
        if not connection.in_atomic_block:
            connection.close()  # nobody holds a connection of the requests' pool while waiting
        deadline = embedded + (deadline_ms or settings.LECTERN_SEARCH_DEADLINE_MS) / 1000
        found, sharing = _search(sources, query, places, deadline)
        searched, searched_by = time.perf_counter(), embedder.name
        if any(passages is not None and not passages for passages in found):
            # Documents without a single passage: the installation may have switched to another model.
            embedder = refresh_active_model()
    return Retrieval(
        placed=sharing.placed,
        unavailable=tuple(
            w.source.kind for w, passages in zip(sources, found, strict=True) if passages is None
        ),
        searched=tuple(
            Searched(weighted.source.kind, weighted.weight, _size(passages), allocation)
            for weighted, passages, allocation in zip(sources, found, sharing.shares, strict=True)
            if passages is not None
        ),
        missed=sharing.missed,
        places=places,
        threshold=settings.LECTERN_RELEVANCE_THRESHOLD,
        timings={
            "embed_ms": round((embedded - started) * 1000, 2),
            "search_ms": round((searched - embedded) * 1000, 2),
        },
    )


def _search(
    sources: Sequence[WeightedSource], query: Query, places: int, deadline: float
) -> tuple[list[Sequence[Passage] | None], FusionResult]:
    """What each source found, as `_search_all` tells it, and how that shares the places."""
    limit = 2 * places  # a pool may have to fill the other's places, and what says the same takes one place
    found = _search_all(sources, query, limit, deadline)
    sharing = _shared(sources, found, places)
    while len(sharing.placed) < places and any(
        _is_cut_off(passages, limit, refusing=not sharing.placed) for passages in found
    ):
        limit = max(4 * limit, LOOKED_AT)
        more = _search_all(sources, query, limit, deadline)
        found = [before if after is None else after for before, after in zip(found, more, strict=True)]
        sharing = _shared(sources, found, places)
    return found, sharing


def _search_all(
    sources: Sequence[WeightedSource], query: Query, limit: int, deadline: float
) -> list[Sequence[Passage] | None]:
    """What each source found, None for one that failed or had not answered at `deadline` (of time.perf_counter)."""
    futures = [_searches.submit(weighted.source.search, query, limit) for weighted in sources]
    wait(futures, timeout=max(deadline - time.perf_counter(), 0))
    return [_outcome(weighted.source, future) for weighted, future in zip(sources, futures, strict=True)]


def _shared(
    sources: Sequence[WeightedSource], found: Sequence[Sequence[Passage] | None], places: int
) -> FusionResult:
    pools = [
        Candidates(weighted.weight, passages or ()) for weighted, passages in zip(sources, found, strict=True)
    ]
    return allocate(pools, places=places, threshold=settings.LECTERN_RELEVANCE_THRESHOLD)


def _size(passages: Sequence[Passage]) -> int:
    """How many chunks a source searched; it says so with each passage."""
    return passages[0].standing.among if passages and passages[0].standing else 0


def _is_cut_off(passages: Sequence[Passage] | None, limit: int, *, refusing: bool) -> bool:
    """Whether a source may hold more that is relevant than the limit let through: because many passages say the same,
    or, looked at once before refusing, because closeness would lift one that stands below the limit without it."""
    return (
        passages is not None
        and len(passages) == limit
        and (
            passages[-1].relevance >= settings.LECTERN_RELEVANCE_THRESHOLD or (refusing and limit < LOOKED_AT)
        )
    )


def _outcome(source: Source, future: Future[Sequence[Passage]]) -> Sequence[Passage] | None:
    """What a search found, or None when it failed or is late."""
    if not future.done():
        future.cancel()
        logger.warning("The %s source did not answer in time", source.kind)
        return None
    if error := future.exception():
        logger.error("The %s source failed", source.kind, exc_info=error)
        return None
    return future.result()
