"""Find the articles that a question is about: titles first, then full text, then more of it (W2)."""

from __future__ import annotations

import math
import time
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Protocol

from django.conf import settings

from corpus.sources import Query
from engines.embedding.cosine_scale import cosine_scale, language_trust
from engines.embedding.vector_cache import cache
from references.offline.candidates import ArticleCandidate, title_candidates, title_fit
from references.offline.full_text import search_full_text, word_weights
from references.offline.opened import OpenArchive
from references.offline.pages import PageText, read_page
from references.offline.question import QuestionWords
from references.offline.ranking import PageEvidence, page_probability
from references.offline.title_index import NoTitleIndex
from references.offline.zim import ZimError
from text.languages import get_configuration
from text.matching import coverage

PAGES = 3
_BY_TITLE, _BY_TEXT, _WIDENED = 8, 8, 30


@dataclass(frozen=True)
class FoundPage:
    """An article, how surely it is the right one, and the weight of each stem of the question in its archive."""

    archive: OpenArchive
    page: PageText
    probability: float
    weights: dict[str, float]


class Failed(Protocol):
    def __call__(self, archive: OpenArchive, reason: str) -> None: ...


def find_pages(archives: Sequence[OpenArchive], query: Query, *, until: float, failed: Failed) -> list[FoundPage]:
    """Find the three articles of all archives that a question is most surely about, the surest first.

    Titles come first. Unless an article is as sure as LECTERN_TITLE_SIM_EXIT the full text is searched, and unless one
    is as sure as LECTERN_SIM_THRESHOLD, more widely once more. Nothing new is begun after `until` (time.perf_counter).
    `failed` is called for an archive that turns out to be damaged; the others are searched.
    """
    searches = [_ArchiveSearch(archive, query) for archive in archives]
    stages = (
        (settings.LECTERN_TITLE_SIM_EXIT, _ArchiveSearch.by_title),
        (settings.LECTERN_SIM_THRESHOLD, _ArchiveSearch.by_text),
        (1.0, _ArchiveSearch.widened),
    )
    best: list[FoundPage] = []
    for enough, stage in stages:
        for search in list(searches):
            try:
                search.rank(stage(search))
            except (ZimError, NoTitleIndex) as error:
                searches.remove(search)
                failed(search.archive, str(error))
            if time.perf_counter() > until:
                break
        found = [page for search in searches for page in search.found.values()]
        best = sorted(found, key=lambda one: (-one.probability, one.archive.revision, one.page.path))[:PAGES]
        if time.perf_counter() > until or (best and best[0].probability >= enough):
            break
    return best


class _ArchiveSearch:
    """The search of one archive for one question, in stages."""

    def __init__(self, archive: OpenArchive, query: Query) -> None:
        self.archive, self.query = archive, query
        self.found: dict[str, FoundPage] = {}
        self._question = QuestionWords.of(query.text, archive.language)

    def by_title(self) -> Iterable[ArticleCandidate]:
        return title_candidates(self.archive, self._question, _BY_TITLE)

    def by_text(self) -> Iterable[ArticleCandidate]:
        return [ArticleCandidate(path) for path in self._paths[:_BY_TEXT]]

    def widened(self) -> Iterable[ArticleCandidate]:
        return [ArticleCandidate(path) for path in self._paths[_BY_TEXT:]]

    def rank(self, candidates: Iterable[ArticleCandidate]) -> None:
        """Add the articles of these candidates to those found."""
        evidence = [
            (page, self._evidence(page, candidate))
            for candidate in candidates
            if candidate.path not in self.found and (page := read_page(self.archive, candidate.path)) and page.sections
        ]
        evidence.sort(key=lambda one: (-one[1].best - one[1].by_title / 2, one[0].path))
        compared = evidence[:8]  # those that look best by their words
        vectors = cache.embed([page.lead for page, _ in compared], self.query.embedder)
        cosines = cosine_scale(self.query.embedder).apply(vectors @ self.query.embedding)
        trust = language_trust(get_configuration(self.archive.language), self.query.embedder)
        for (page, words), cosine in zip(compared, cosines, strict=True):
            whole = replace(words, cosine=float(cosine), trust=trust)
            self.found[page.path] = FoundPage(self.archive, page, page_probability(whole), self._weights)

    @cached_property
    def _paths(self) -> list[str]:
        """Articles by their full text."""
        return search_full_text(self.archive.file, self._word_weights, _WIDENED)

    @cached_property
    def _word_weights(self) -> dict[str, float]:
        return word_weights(self.archive.file, self._question.words.values())

    @cached_property
    def _weights(self) -> dict[str, float]:
        """The weight of each stem of the question: by the texts of the archive, else by its titles."""
        stems = self._question.words
        if self.archive.file.has_full_text:
            return {stem: self._word_weights.get(word, 0.0) for stem, word in stems.items()}
        titles = self.archive.titles
        return {stem: math.log(1 + titles.titles / (titles.frequency(stem) + 0.5)) for stem in stems}

    def _evidence(self, page: PageText, candidate: ArticleCandidate) -> PageEvidence:
        """What the words say; the cosine is not known yet."""
        if not candidate.fit:
            candidate = title_fit(self.archive, self._question, page.path, page.title)
        shares = sorted((coverage(span, self._weights) for span in page.spans), reverse=True)
        best, second = (*shares, 0.0, 0.0)[:2]
        return PageEvidence(candidate.by_title, best, second, cosine=0.0)
