"""A single page to be asked about, by the id that its passages carry (W3)."""

from __future__ import annotations

from uuid import UUID

from corpus.sources import PageUnavailable, Source
from references.fetching.errors import FetchFailed
from references.live import source as live
from references.models import Archive
from references.offline import source as offline
from text.function_words import FUNCTION_WORDS


def offline_page(chatbot: object, page: str) -> Source:
    """An article by `offline_id`, which is also the id of a passage of an archive. Raises PageUnavailable."""
    archive, _, path_or_title = page.partition("/")
    row = _archive(archive)
    if row is None:
        raise PageUnavailable("There is no such archive here.")
    found = offline.page_source(chatbot, row.pk, path_or_title)
    if found is None or found.is_empty():
        raise PageUnavailable(f"“{row}” has no page “{path_or_title}” that can be read.")
    return found


def live_page(chatbot: object, page: str) -> Source:
    """A page by `live_id`, which is also the id of a passage of live Wikipedia. Raises PageUnavailable.

    Nothing is fetched before the page is searched.
    """
    project, language, title = page.split(":", 2)
    if language not in FUNCTION_WORDS:  # it becomes a part of the wiki's address
        raise PageUnavailable("There is no Wikipedia in this language here.")
    try:
        return live.make_live_page_source(chatbot, title, project, language)
    except FetchFailed as failure:
        raise PageUnavailable(str(failure)) from None


def offline_id(archive: str, path_or_title: str) -> str:
    """The id of an article by the id or name of its archive."""
    row = _archive(archive)
    return f"{row.pk if row else archive.replace('/', '')}/{path_or_title}"


def live_id(project: str, language: str, title: str) -> str:
    """The id of a page of "wikipedia" or "wikibooks"."""
    return f"{project}:{language}:{title}"


def _archive(key: str) -> Archive | None:
    try:
        return Archive.objects.filter(pk=UUID(key)).first()
    except ValueError:
        return Archive.objects.filter(name=key).first()
