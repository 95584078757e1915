"""Live Wikipedia and Wikibooks as a source of a chatbot, and one page of them (W1, W3)."""

from __future__ import annotations

import logging
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from itertools import chain
from typing import Any, TypeVar
from urllib.parse import quote

from django.conf import settings

from corpus.embedding.chunk_text import embedding_text
from corpus.passages import Passage, short_id
from corpus.search.scoring import score_texts
from corpus.source_kinds import SourceKind, get_kind
from corpus.sources import PageUnavailable, Query, Source
from references.fetching.addresses import MAX_ADDRESS_LENGTH
from references.fetching.connections import Deadline
from references.fetching.errors import FetchFailed
from references.fetching.permit import Permit
from references.live.chunks import PageChunk, select_for_scoring, split_chunks
from references.live.client import Page, WikiClient
from references.live.keywords import keywords, searches
from references.live.wikis import WIKIPEDIA, Wiki, get_wiki, wikis_for
from references.outside_calls import get_permit
from text.function_words import FUNCTION_WORDS

One = TypeVar("One")
Outcome = TypeVar("Outcome")

logger = logging.getLogger(__name__)
KIND = "wikipedia_live"
SEARCHED, READ = 2, 3
"""Pages that a search of one wiki returns, and pages of all wikis that are read for a question."""
CHUNKS_PER_PAGE, CHUNKS_PER_QUESTION = 6, 8


class _Live(Source):
    """What both sources share."""

    is_indexed = False

    def __init__(self, language: str, permit: Permit) -> None:
        self._language, self._permit = language, permit
        self.deadline_ms: int | None = settings.LECTERN_LIVE_DEADLINE_MS

    @property
    def kind(self) -> SourceKind:
        return get_kind(KIND)

    def is_empty(self) -> bool:
        return False

    def _deadline(self) -> Deadline:
        return Deadline(settings.LECTERN_LIVE_DEADLINE_MS / 1000 * 0.75)  # the rest is for embedding what was read

    def _client(self, wiki: Wiki, deadline: Deadline) -> WikiClient:
        return WikiClient(wiki, self._permit, deadline)

    def _passages(self, pages: Sequence[Page], query: Query, most_chunks: int) -> list[Passage]:
        """Passages of these pages, best first."""
        count, longest = query.embedder.count_tokens, query.embedder.max_tokens
        chosen = [
            (page, chunk)
            for page in pages
            for chunk in select_for_scoring(
                split_chunks(page.title, page.sections, count_tokens=count, max_tokens=longest),
                query.text,
                self._language,
                most_chunks,
            )
        ]
        texts = [embedding_text(chunk.embedded_path, chunk.text) for _, chunk in chosen]
        scores = score_texts(texts, query.text, language=self._language, embedder=query.embedder)
        passages = [
            _passage(self.kind, page, chunk, score) for (page, chunk), score in zip(chosen, scores, strict=True)
        ]
        return sorted(passages, key=lambda passage: (-passage.relevance, passage.key))


class LiveSource(_Live):
    """Wikipedia and Wikibooks in the language of a chatbot.

    Reads the best pages of a search of both wikis. Raises FetchFailed if one failed and the other has nothing relevant.
    """

    def search(self, query: Query, limit: int) -> Sequence[Passage]:
        words = keywords(query.text, self._language)
        deadline = self._deadline()
        clients = [self._client(wiki, deadline) for wiki in wikis_for(self._language)]
        pages, failures = self._found_pages(words, clients)
        passages = self._passages(pages, query, CHUNKS_PER_PAGE)
        if failures and not any(one.relevance >= settings.LECTERN_RELEVANCE_THRESHOLD for one in passages):
            raise failures[0]
        return passages[: min(limit, CHUNKS_PER_QUESTION)]

    def _found_pages(self, words: Sequence[str], clients: Sequence[WikiClient]) -> tuple[list[Page], list[FetchFailed]]:
        """The pages of a search of all wikis at once, in turn by wiki, and what failed."""
        with ThreadPoolExecutor(max_workers=len(clients) * SEARCHED) as threads:
            found = list(threads.map(_attempt(lambda client: _search(client, words)), clients))
            failures = [outcome for outcome in found if isinstance(outcome, FetchFailed)]
            by_wiki = [
                [(client, key) for key in outcome]
                for client, outcome in zip(clients, found, strict=True)
                if not isinstance(outcome, FetchFailed)
            ]
            chosen = _in_turn(by_wiki)[:READ]
            read = list(threads.map(_attempt(lambda one: one[0].page(one[1])), chosen))
        failures += [outcome for outcome in read if isinstance(outcome, FetchFailed)]
        pages = {outcome.address: outcome for outcome in read if isinstance(outcome, Page)}
        for failure in failures:
            logger.warning("Live Wikipedia and Wikibooks: %s", failure)
        return list(pages.values()), failures


class LivePage(_Live):
    """A single page of a wiki. A search raises FetchFailed if it cannot be read."""

    def __init__(self, wiki: Wiki, title: str, language: str, permit: Permit) -> None:
        super().__init__(language, permit)
        self._wiki, self._title = wiki, title

    def search(self, query: Query, limit: int) -> Sequence[Passage]:
        """The passages of the page, best first."""
        try:
            page = self._client(self._wiki, self._deadline()).page(self._wiki.title_in(self._title))
        except FetchFailed as failure:
            if failure.status != 404:
                raise
            raise FetchFailed(f"{self._wiki.name} has no page “{self._title}”.", status=404) from None
        return self._passages([page], query, 24)[:limit]


def live_source(chatbot: Any) -> Source:
    """Live Wikipedia and Wikibooks for a chatbot. Raises FetchFailed if its school makes no calls to the outside."""
    return LiveSource(chatbot.language, get_permit(chatbot.school))


def live_page(chatbot: Any, page: str) -> Source:
    """The page with this `live_id`, which is also the id of a passage. Raises PageUnavailable.

    Its title may be its address in that wiki. Nothing is fetched before it is searched.
    """
    project, language, title = page.split(":", 2)
    if language not in FUNCTION_WORDS:  # it becomes a part of the wiki's address
        raise PageUnavailable("There is no Wikipedia in this language here.")
    try:
        return LivePage(get_wiki(project, language), title, language, get_permit(chatbot.school))
    except FetchFailed as failure:
        raise PageUnavailable(str(failure)) from None


def live_id(project: str, language: str, title: str) -> str:
    """The id of a page of "wikipedia" or "wikibooks"."""
    return f"{project}:{language}:{title}"


def _search(client: WikiClient, words: Sequence[str]) -> list[str]:
    for wanted in searches(words):
        if keys := client.search(wanted, SEARCHED):
            return keys
    return []


def _attempt(do: Callable[[One], Outcome]) -> Callable[[One], Outcome | FetchFailed]:
    """The same, but a failure is returned: one wiki that fails does not stop the other."""

    def attempt(one: One) -> Outcome | FetchFailed:
        try:
            return do(one)
        except FetchFailed as failure:
            return failure

    return attempt


def _in_turn(by_wiki: Sequence[Sequence[tuple[WikiClient, str]]]) -> list[tuple[WikiClient, str]]:
    """The first of each, then the second of each, and so on."""
    longest = max(map(len, by_wiki), default=0)
    return list(
        chain.from_iterable([found[place] for found in by_wiki if place < len(found)] for place in range(longest))
    )


def _passage(kind: SourceKind, page: Page, chunk: PageChunk, relevance: float) -> Passage:
    is_first = page.wiki.project == WIKIPEDIA
    address = page.address + (f"#{quote(chunk.anchor)}" if chunk.anchor else "")
    return Passage(
        kind=kind,
        document_title=page.title if is_first else f"{page.title} ({page.wiki.name})",
        heading_path=chunk.heading_path,
        excerpt=chunk.text,
        text=chunk.block_text,
        relevance=relevance,
        score=relevance,
        position=chunk.position,
        block=chunk.block,
        address=address if len(address) <= MAX_ADDRESS_LENGTH else page.address,
        external_id=short_id(live_id(page.wiki.project, page.wiki.language, page.key)),
        revision=page.revision,
        read_at=page.read_at,
        language=page.wiki.language,
    )
