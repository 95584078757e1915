"""Search a wiki and read its pages over the MediaWiki REST API, with a cache (W1)."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from hashlib import sha256
from typing import Any
from urllib.parse import quote, unquote

from django.core.cache import cache
from django.utils import timezone

from corpus.ingestion.readers.structure import clean
from references.fetching.addresses import MAX_ADDRESS_LENGTH
from references.fetching.connections import Deadline
from references.fetching.fetch import FetchFailed, fetch
from references.fetching.permit import Permit
from references.live.throttling import BUSY, request_politely
from references.live.wikis import Wiki
from references.sections import ArticleSection, parse_sections

SEARCH_SECONDS = PAGE_SECONDS = 24 * 3600
"""How long results of a search, and pages, are kept."""

_FORMAT = 1
"""Of what is in the cache: another number where Page or Section change, since old entries could not be read."""

_MAX_KEY_LENGTH = 255  # characters; MediaWiki allows as many bytes
_REDIRECT = re.compile(r"""<link[^>]*\brel="mw:PageProp/redirect"[^>]*\bhref="\./([^"#]+)""")


@dataclass(frozen=True)
class Page:
    """A page of a wiki as it was read."""

    wiki: Wiki
    key: str  # the title as it stands in an address
    title: str
    revision: str
    address: str  # of this revision, for people
    read_at: datetime
    sections: tuple[ArticleSection, ...]


@dataclass(frozen=True)
class WikiClient:
    """Speaks to one wiki until a deadline. Every method raises FetchFailed.

    Searches and pages are cached for each school by itself: so none can steer or observe the answers of another.
    """

    wiki: Wiki
    permit: Permit
    deadline: Deadline

    def search(self, query: str, limit: int) -> list[str]:
        """The keys of the best pages, best first."""
        cached = self._own_key("search", query, str(limit))
        keys: list[str] | None = cache.get(cached)
        if keys is None:
            keys = _read_keys(self._get(f"search/page?q={quote(query)}&limit={limit}"))[:limit]
            cache.set(cached, keys, SEARCH_SECONDS)
        return keys

    def page(self, key: str) -> Page:
        """The latest revision of a page, or the one that was read up to a day ago. A redirect is followed."""
        key = key.partition("#")[0].strip().replace(" ", "_")
        if not 0 < len(key) <= _MAX_KEY_LENGTH:
            raise FetchFailed("This is not the title of a page.", status=404)
        cached: Page | None = cache.get(self._own_key("page", key))
        if cached:
            return cached
        page = self._read(key)
        for name in {key, page.key}:
            cache.set(self._own_key("page", name), page, PAGE_SECONDS)
        return page

    def _read(self, key: str, *, redirected: bool = False) -> Page:
        found = self._get(f"page/{quote(key, safe='')}/with_html")
        try:
            html, title, revision = str(found["html"]), clean(str(found["title"])), int(found["latest"]["id"])
            own_key = clean(str(found["key"]))
        except (KeyError, TypeError, ValueError):
            raise _unreadable(self.wiki) from None
        if (target := _REDIRECT.search(html)) and not redirected:
            return self._read(unquote(target[1]), redirected=True)
        address = self.wiki.page_address(self._rest(), own_key, str(revision))
        if len(address) > MAX_ADDRESS_LENGTH:
            raise _unreadable(self.wiki)
        return Page(
            wiki=self.wiki,
            key=own_key,
            title=title,
            revision=str(revision),
            address=address,
            read_at=timezone.now(),
            sections=tuple(parse_sections(html)),
        )

    def _get(self, path: str) -> Mapping[str, Any]:
        """The JSON object at a path of the API. The first address that sends one is remembered."""
        known = cache.get(self._rest_key())
        addresses = [known] if known else self.wiki.rest_addresses()
        failures: list[FetchFailed] = []
        for rest in addresses:
            try:
                found = self._fetch(f"{rest}/{path}")
            except FetchFailed as failure:
                if failure.status in BUSY:
                    raise
                failures.append(failure)
            else:
                cache.set(self._rest_key(), rest, PAGE_SECONDS)
                return found
        raise next((failure for failure in failures if failure.status == 404), failures[0])

    def _fetch(self, address: str) -> Mapping[str, object]:
        def request() -> bytes:
            return fetch(
                address,
                permit=self.permit,
                hosts=[self.wiki.host],
                media_types=("application/json",),
                allow_http=self.wiki.is_open,
                allow_private=self.wiki.is_own,
                max_bytes=8_000_000,  # the longest articles of Wikipedia have some 4 MB of HTML
                seconds=self.deadline.remaining(),
            ).body

        try:
            found = json.loads(request_politely(self.wiki.host, request, self.deadline))
        except (ValueError, RecursionError):
            raise _unreadable(self.wiki) from None
        if not isinstance(found, dict):
            raise _unreadable(self.wiki)
        return found

    def _rest(self) -> str:
        return cache.get(self._rest_key()) or self.wiki.rest_addresses()[0]

    def _rest_key(self) -> str:
        return _cache_key("rest", self.wiki.base)

    def _own_key(self, what: str, *parts: str) -> str:
        return _cache_key(what, self.permit.school, self.wiki.base, *parts)


def _read_keys(found: Mapping[str, object]) -> list[str]:
    pages = found.get("pages")
    keys = [page.get("key") for page in pages if isinstance(page, dict)] if isinstance(pages, list) else []
    return [clean(key) for key in keys if isinstance(key, str) and 0 < len(key) <= _MAX_KEY_LENGTH]


def _cache_key(*parts: str) -> str:
    """Titles and questions are longer than keys may be, and have other characters."""
    return f"live{_FORMAT}:{parts[0]}:{sha256(chr(0).join(parts[1:]).encode()).hexdigest()}"


def _unreadable(wiki: Wiki) -> FetchFailed:
    return FetchFailed(f"{wiki.name} sent an answer that cannot be read.")
