"""The approved pages of a school as a source."""

from __future__ import annotations

import logging
import threading
from collections.abc import Collection, Sequence
from concurrent.futures import Future, ThreadPoolExecutor, wait
from dataclasses import dataclass
from itertools import groupby
from uuid import UUID

import numpy as np
from django.conf import settings
from django.contrib.postgres.aggregates import ArrayAgg
from django.db import connection
from numpy.typing import NDArray

from corpus.passages import Passage
from corpus.search.scoring import score_texts
from corpus.source_kinds import SourceKind
from corpus.sources import Query, Source
from references.approved import cache
from references.approved.cache import CachedPage
from references.approved.keywords import is_hit
from references.approved.reading import read_approved_page
from references.fetching.fetch import FetchFailed
from references.models import ApprovedTopic, ReferenceSettings

logger = logging.getLogger(__name__)

WAIT_SECONDS = 3.0
"""How long a question waits for pages that are not in the cache. They are read to the end for the next question."""

PAGES, READERS, SCHOOLS = 6, 2, 16
"""In this process: pages that are read for a school at a time, by how many threads, and for how many schools. So slow
sites of one school delay no other. Pages beyond that are left to a later question and to the worker."""

_being_read: dict[UUID, dict[UUID, Future[None]]] = {}  # by school
_starting = threading.RLock()


@dataclass(frozen=True)
class Topic:
    """A topic with the addresses of its pages, and the keywords by which a question hits it."""

    name: str
    keywords: tuple[str, ...]
    pages: dict[UUID, str]


class ApprovedSource(Source):
    """Searches the pages that one school has approved, those of the topics that the question hits (A1).

    The keywords decide. The relevance only orders the pages: it is at least the threshold of the search. Reading says
    whether they answer.
    """

    is_indexed = False
    deadline_ms = int(1000 * WAIT_SECONDS) + 500

    def __init__(self, permission: ReferenceSettings, kind: SourceKind) -> None:
        self._kind, self._permission = kind, permission
        self.school = permission.school
        # One statement. The search itself needs no connection, unless pages are missing in the cache.
        rows = ApprovedTopic.objects.for_school(self.school).filter(pages__isnull=False)
        columns = rows.annotate(keys=ArrayAgg("pages__pk"), addresses=ArrayAgg("pages__address"))
        self.topics = [
            Topic(name, tuple(keywords), dict(zip(keys, addresses, strict=True)))
            for name, keywords, keys, addresses in columns.values_list("name", "keywords", "keys", "addresses")
        ]

    @property
    def kind(self) -> SourceKind:
        return self._kind

    def is_empty(self) -> bool:
        return not self.topics

    def search(self, query: Query, limit: int) -> Sequence[Passage]:
        hit = [topic for topic in self.topics if is_hit(query.text, topic.keywords)]
        pages = self._pages(hit)
        found = self._load(pages)
        logger.info(
            "approved pages: school=%s topic=%s addresses=%s hits=%d",
            self.school.slug,
            "; ".join(topic.name for topic in hit) or "-",
            " ".join(pages.values()) or "-",
            len(found),
        )
        passages = self._passages(found, query)
        return sorted(passages, key=lambda passage: (-passage.relevance, passage.key))[:limit]

    def _pages(self, topics: Collection[Topic]) -> dict[UUID, str]:
        """The pages of these topics, each address once."""
        once = {address: key for topic in topics for key, address in topic.pages.items()}
        return {key: address for address, key in once.items() if self._is_allowed(address)}

    def _is_allowed(self, address: str) -> bool:
        return self._permission.allows_http or address.startswith("https://")

    def _load(self, pages: Collection[UUID]) -> dict[UUID, CachedPage]:
        """What the cache has of these pages, after those it has not were read."""
        found = cache.load(pages)
        if missing := [page for page in pages if page not in found]:
            wait(_read(self.school.pk, missing), timeout=WAIT_SECONDS)
            found |= cache.load(missing)
        return {key: page for key, page in found.items() if page.text and self._is_allowed(page.final_address)}

    def _passages(self, found: dict[UUID, CachedPage], query: Query) -> list[Passage]:
        passages: list[Passage] = []
        in_order = sorted(found.values(), key=lambda page: (page.language, page.final_address))
        for language, pages in groupby(in_order, key=lambda page: page.language):
            group = list(pages)
            scores = score_texts(
                [page.text for page in group],
                query.text,
                language=language,
                embedder=query.embedder,
                embeddings=_embeddings(group, query),
            )
            passages += [self._passage(page, score) for page, score in zip(group, scores, strict=True)]
        return passages

    def _passage(self, page: CachedPage, score: float) -> Passage:
        return Passage(
            kind=self._kind,
            document_title=page.title,
            heading_path=(),
            excerpt=page.text,
            text=page.text,
            relevance=max(score, settings.LECTERN_RELEVANCE_THRESHOLD),
            score=score,
            media_type="text/html",
            address=page.final_address,
            revision=page.content_hash[:16],
            read_at=page.read_at,
            language=page.language,
            is_chosen=True,
        )


def _embeddings(pages: Sequence[CachedPage], query: Query) -> NDArray[np.float32] | None:
    """The embeddings of the pages by the embedder of the question; None if one of them has another."""
    if any(page.embedder != query.embedder.name for page in pages):
        return None
    return np.stack([np.frombuffer(page.embedding, dtype=np.float32) for page in pages])


def _read(school: UUID, pages: Sequence[UUID]) -> list[Future[None]]:
    """Begin to read pages of a school, or join those who wait for them already. Some may be left out."""
    with _starting:
        running = _being_read.get(school, {})
        if not running and len(_being_read) < SCHOOLS:
            readers = ThreadPoolExecutor(READERS, thread_name_prefix="approved-page")
            running = {page: readers.submit(_read_in_thread, page) for page in pages[:PAGES]}
            _being_read[school] = running
            for page, future in list(running.items()):
                future.add_done_callback(lambda _, page=page: _finished(school, page))  # type: ignore[misc]
            readers.shutdown(wait=False)  # its threads end with the last page
        return [running[page] for page in pages if page in running]


def _finished(school: UUID, page: UUID) -> None:
    with _starting:
        running = _being_read[school]
        del running[page]
        if not running:
            del _being_read[school]


def _read_in_thread(page: UUID) -> None:
    try:
        read_approved_page(page)
    except FetchFailed as failure:  # calls to the outside are switched off
        logger.debug("approved page not read: %s", failure)
    except Exception:
        logger.exception("An approved page could not be read")
    finally:
        connection.close()
