"""ZIM files as a source of a chatbot, and one article of them (W2, W3)."""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import Any
from uuid import UUID

from django.conf import settings

from corpus.passages import Passage
from corpus.source_kinds import SourceKind, get_kind
from corpus.sources import PageUnavailable, Query, Source
from references.models import Archive, ArchiveState
from references.offline.finding import FoundPage, find_pages
from references.offline.full_text import word_weights
from references.offline.opened import OpenArchive, note_failure, open_archive, open_or_none
from references.offline.pages import PageText, read_page
from references.offline.passages import best_passages
from references.offline.question import QuestionWords
from references.offline.title_index import NoTitleIndex
from references.offline.zim import ZimError

KIND = "wikipedia_offline"


class OfflineSource(Source):
    """Searches these archives. If one cannot be read here, the others answer, and the source says so."""

    is_indexed = False

    def __init__(self, archives: Sequence[Archive]) -> None:
        self._archives = {archive.pk: archive for archive in archives}
        self.deadline_ms: int | None = settings.LECTERN_ZIM_DEADLINE_MS

    @property
    def kind(self) -> SourceKind:
        return get_kind(KIND)

    def is_empty(self) -> bool:
        return not self._archives

    def search(self, query: Query, limit: int) -> Sequence[Passage]:
        until = time.perf_counter() + settings.LECTERN_ZIM_DEADLINE_MS / 1000 * 0.6  # the rest is for the passages
        opened = [archive for row in self._archives.values() if (archive := open_or_none(row))]
        self.lacks_some = len(opened) < len(self._archives)
        pages = find_pages(opened, query, until=until, failed=self._failed)
        articles = sum(archive.file.articles for archive in opened)
        return best_passages(pages, query, limit, kind=self.kind, articles=articles) if pages else []

    def _failed(self, archive: OpenArchive, reason: str) -> None:
        note_failure(self._archives[archive.id], reason)
        self.lacks_some = True


class OnePage(Source):
    """Searches a single article, and says nothing about any other (W3)."""

    is_indexed = False

    def __init__(self, archive: OpenArchive, page: PageText) -> None:
        self._archive, self.page = archive, page
        self.deadline_ms: int | None = settings.LECTERN_ZIM_DEADLINE_MS

    @property
    def kind(self) -> SourceKind:
        return get_kind(KIND)

    def is_empty(self) -> bool:
        return not self.page.sections

    def search(self, query: Query, limit: int) -> Sequence[Passage]:
        words = QuestionWords.of(query.text, self._archive.language).words
        weights = word_weights(self._archive.file, words.values())
        by_stem = {stem: weights.get(word, 1.0) for stem, word in words.items()}
        found = FoundPage(self._archive, self.page, 1.0, by_stem)
        return best_passages([found], query, limit, kind=self.kind)


def offline_source(chatbot: Any) -> Source:
    """All archives that are ready and in the chatbot's language; all that are ready if none is."""
    ready = list(Archive.objects.filter(state=ArchiveState.READY))
    fitting = [archive for archive in ready if chatbot.language in archive.language.split(",")]
    return OfflineSource(fitting or ready)


def offline_page(chatbot: object, page: str) -> OnePage:
    """The article with this `offline_id`, which is also the id of a passage. Raises PageUnavailable.

    Whether the chatbot's school allows archives is for the caller to ask.
    """
    archive, _, path_or_title = page.partition("/")
    row = _archive(archive)
    if row is None or row.state != ArchiveState.READY:
        raise PageUnavailable("There is no such archive here.")
    try:
        opened = open_archive(row)
        found = find_page(opened, path_or_title)
    except (ZimError, NoTitleIndex):
        raise PageUnavailable(f"This server cannot read “{row}” just now. Please try again later.") from None
    if found is None or not found.sections:
        raise PageUnavailable(f"“{row}” has no page “{path_or_title}” that can be read.")
    return OnePage(opened, found)


def offline_id(archive: str, path_or_title: str) -> str:
    """The id of an article by the id or name of its archive."""
    row = _archive(archive)
    return f"{row.pk if row else archive.replace('/', '')}/{path_or_title}"


def _archive(key: str) -> Archive | None:
    try:
        return Archive.objects.filter(pk=UUID(key)).first()
    except ValueError:
        return Archive.objects.filter(name=key).first()


def find_page(archive: OpenArchive, path_or_title: str) -> PageText | None:
    """The article at a path or with a title; case, accents and signs of a title need not be right."""
    wanted = path_or_title.strip()
    path = archive.file.find_path(wanted.replace(" ", "_")) or archive.file.find_path(wanted)
    path = path or archive.file.find_title(wanted)
    if path is None:
        path = next((title.path for title in archive.titles.exact([wanted])), None)
    return read_page(archive, path) if path else None
