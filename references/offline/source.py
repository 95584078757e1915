"""ZIM files as a source of a chatbot, and one article of them (W2, W3)."""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import Any
from uuid import UUID

from django.conf import settings
from django.db import connection

from corpus.passages import Passage
from corpus.source_kinds import SourceKind, kind_of
from corpus.sources import Query, Source
from references.models import Archive, ArchiveState
from references.offline.finding import FoundPage, find_pages
from references.offline.full_text import word_weights
from references.offline.opened import OpenArchive, mark_failed, open_or_mark
from references.offline.pages import PageText, read_page
from references.offline.passages import best_passages
from references.offline.question import QuestionWords
from references.offline.zim import ZimError, is_installed

KIND = "wikipedia_offline"
_FOR_PASSAGES = 0.6
"""Of the deadline may have passed when a further stage of finding articles begins."""


class OfflineSource(Source):
    """Searches these archives. One that cannot be read is logged and marked, and the others answer."""

    is_indexed = False

    def __init__(self, archives: Sequence[Archive]) -> None:
        self._archives = {archive.pk: archive for archive in archives}
        self.deadline_ms: int | None = settings.LECTERN_ZIM_DEADLINE_MS

    @property
    def kind(self) -> SourceKind:
        return kind_of(KIND)

    def is_empty(self) -> bool:
        return not self._archives

    def search(self, query: Query, limit: int) -> Sequence[Passage]:
        until = time.perf_counter() + settings.LECTERN_ZIM_DEADLINE_MS / 1000 * _FOR_PASSAGES
        try:
            opened = [archive for row in self._archives.values() if (archive := open_or_mark(row))]
            pages = find_pages(opened, query, until=until, failed=self._failed)
        finally:
            _let_go()
        articles = sum(archive.file.articles for archive in opened)
        return best_passages(pages, query, limit, kind=self.kind, articles=articles) if pages else []

    def _failed(self, archive: OpenArchive, reason: str) -> None:
        mark_failed(self._archives[archive.id], reason)


class OnePage(Source):
    """Searches a single article, and says nothing about any other (W3)."""

    is_indexed = False

    def __init__(self, archive: OpenArchive, page: PageText) -> None:
        self._archive, self.page = archive, page
        self.deadline_ms: int | None = settings.LECTERN_ZIM_DEADLINE_MS

    @property
    def kind(self) -> SourceKind:
        return kind_of(KIND)

    def is_empty(self) -> bool:
        return not self.page.sections

    def search(self, query: Query, limit: int) -> Sequence[Passage]:
        words = QuestionWords.of(query.text, self._archive.language).words
        weights = word_weights(self._archive.file, words.values())
        by_stem = {stem: weights.get(word, 1.0) for stem, word in words.items()}
        found = FoundPage(self._archive, self.page, 1.0, by_stem)
        return best_passages([found], query, limit, kind=self.kind)


def offline_source(chatbot: Any) -> Source | None:
    """All archives that are ready and in the chatbot's language; all that are ready if none is. None without libzim."""
    if not is_installed():
        return None
    ready = list(Archive.objects.filter(state=ArchiveState.READY))
    fitting = [archive for archive in ready if chatbot.language in archive.language.split(",")]
    return OfflineSource(fitting or ready)


def page_source(chatbot: Any, archive: UUID, path_or_title: str) -> OnePage | None:
    """One article, by the archive's id and its path or title. None where there is none that can be read.

    Whether the chatbot's school allows archives is for the caller to ask.
    """
    row = Archive.objects.filter(pk=archive, state=ArchiveState.READY).first()
    opened = open_or_mark(row) if row else None
    if row is None or opened is None:
        return None
    try:
        page = find_page(opened, path_or_title)
    except ZimError as error:
        mark_failed(row, str(error))
        return None
    return OnePage(opened, page) if page else None


def find_page(archive: OpenArchive, path_or_title: str) -> PageText | None:
    """The article at a path or with a title; case, accents and signs of a title need not be right."""
    wanted = path_or_title.strip()
    path = archive.file.find_path(wanted.replace(" ", "_")) or archive.file.find_path(wanted)
    path = path or archive.file.find_title(wanted)
    if path is None:
        path = next((title.path for title in archive.titles.exact([wanted])), None)
    return read_page(archive, path) if path else None


def _let_go() -> None:
    """Give a connection back that storing a failure may have taken in a thread of searches."""
    if not connection.in_atomic_block:
        connection.close()
