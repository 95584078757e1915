"""Wikis and sites on this machine, and a cache that no other test has filled."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from uuid import uuid4

import pytest
from pytest_django import Settings

from tests.references.sites import Site, site
from tests.references.web import WebPeer
from tests.references.wiki import Wiki, encyclopedia, textbooks, wiki_peer


@dataclass
class Wikis:
    """Wikipedia and Wikibooks of a test, and what they were asked."""

    wikipedia: Wiki
    wikibooks: Wiki
    peers: tuple[WebPeer, WebPeer]

    @property
    def connections(self) -> int:
        return sum(peer.connections for peer in self.peers)

    @property
    def paths(self) -> list[str]:
        return [path for peer in self.peers for path in peer.paths]


@pytest.fixture
def own_cache(settings: Settings) -> None:
    settings.CACHES = {"default": settings.CACHES["default"] | {"KEY_PREFIX": f"test-{uuid4()}"}}


@pytest.fixture
def wikis(settings: Settings, own_cache: None) -> Iterator[Wikis]:
    """The settings name the API of the one, and only the site of the other."""
    settings.LECTERN_FETCH_LOOPBACK = True
    wikipedia, wikibooks = encyclopedia(), textbooks()
    with wiki_peer(wikipedia) as first, wiki_peer(wikibooks) as second:
        settings.LECTERN_WIKIPEDIA_URL = f"{first.url}/w/rest.php"
        settings.LECTERN_WIKIBOOKS_URL = second.url
        yield Wikis(wikipedia, wikibooks, (first, second))


@pytest.fixture
def web(settings: Settings, own_cache: None) -> Iterator[Site]:
    """A site that schools may list."""
    settings.LECTERN_FETCH_LOOPBACK = True
    with site() as found:
        yield found
