"""W1 with the real MediaWiki of Debian, on sqlite under PHP's own web server."""

from __future__ import annotations

import os
import shutil
import socket
import subprocess
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
from pytest_django import Settings

from corpus.sources import Query
from engines.embedding import get_embedder
from references.fetching.connections import Deadline
from references.fetching.fetch import FetchFailed
from references.fetching.permit import Permit
from references.live.client import WikiClient
from references.live.source import LivePage, LiveSource
from references.live.wikis import get_wiki

PROGRAM = Path("/usr/share/mediawiki")

pytestmark = pytest.mark.skipif(
    not (shutil.which("php") and (PROGRAM / "maintenance" / "install.php").exists()),
    reason="Debian's packages mediawiki, php-cli, php-sqlite3, php-mbstring, php-xml and php-intl are not installed",
)

PLANTS = """{| class="infobox"
| Found in || Plants
|}
'''Photosynthesis''' is the process by which green plants turn the energy of light into chemical energy, which they
store as sugar. It takes place in the chloroplasts of the leaves and releases oxygen into the air.<ref>A book</ref>

== Light reactions ==
In the light reactions, molecules of [[chlorophyll]] in the thylakoid membrane absorb a photon each and lose one
electron. The electron passes along a chain of carriers, and its energy is kept in ATP, while water is split and
oxygen gas is set free as a waste product of the leaf.

=== Rates ===
{| class="wikitable"
! Plant !! Share of light
|-
| Maize || two percent
|}

== References ==
<references/>
"""
BOOK = """This book of experiments shows how pupils can measure photosynthesis with pondweed: they count the bubbles of
oxygen that rise from the cut stem in one minute while a lamp is moved away from the glass step by step, and draw.
"""


@dataclass
class MediaWiki:
    """An installation in a folder of its own."""

    folder: Path
    port: int

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def maintain(self, script: str, *arguments: str, text: str = "") -> None:
        subprocess.run(
            ["php", str(PROGRAM / "maintenance" / script), *arguments],
            input=text, text=True, check=True, capture_output=True, env=self._environment, timeout=120,
        )  # fmt: skip

    def install(self) -> None:
        where = ["--dbtype", "sqlite", "--dbpath", str(self.folder), "--dbname", "wiki", "--confpath", str(self.folder)]
        site = ["--server", self.url, "--scriptpath", "", "--pass", "correct-horse-battery"]
        self.maintain("install.php", *where, *site, "A wiki", "Operator")

    def write(self, title: str, text: str) -> None:
        self.maintain("edit.php", "--conf", str(self.folder / "LocalSettings.php"), title, text=text)

    def serve(self) -> subprocess.Popen[bytes]:
        arguments = ["php", "-S", f"127.0.0.1:{self.port}", "-t", str(PROGRAM)]
        with (self.folder / "php.log").open("wb") as log:
            return subprocess.Popen(arguments, stdout=log, stderr=log, env=self._environment)

    @property
    def _environment(self) -> dict[str, str]:
        return os.environ | {"MW_CONFIG_FILE": str(self.folder / "LocalSettings.php")}


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Iterator[MediaWiki]:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    wiki = MediaWiki(tmp_path_factory.mktemp("mediawiki"), port)
    wiki.install()
    for title, text in (
        ("Photosynthesis", PLANTS),
        ("Pondweed", BOOK),
        ("Light of plants", "#REDIRECT [[Photosynthesis]]"),
    ):
        wiki.write(title, text)
    server = wiki.serve()
    try:
        _wait_for(port)
        yield wiki
    finally:
        server.terminate()
        server.wait(120)


def _wait_for(port: int) -> None:
    for _ in range(200):
        try:
            socket.create_connection(("127.0.0.1", port), 1).close()
            return
        except OSError:
            time.sleep(0.05)
    raise RuntimeError("PHP's web server did not start")


@pytest.fixture
def mediawiki(installed: MediaWiki, settings: Settings, own_cache: None) -> MediaWiki:
    settings.LECTERN_FETCH_LOOPBACK = True
    settings.LECTERN_LIVE_DEADLINE_MS = 60_000
    settings.LECTERN_WIKIPEDIA_URL = settings.LECTERN_WIKIBOOKS_URL = installed.url
    return installed


def test_a_question_is_answered_from_the_revision_that_was_read(mediawiki: MediaWiki) -> None:
    query = Query.of("What do the light reactions of photosynthesis set free?", get_embedder())
    best, *_ = LiveSource("en", Permit()).search(query, 5)
    assert (best.document_title, best.heading_path) == ("Photosynthesis", ("Light reactions",))
    assert best.excerpt.startswith("In the light reactions, molecules of chlorophyll in the thylakoid membrane absorb")
    assert best.address == f"{mediawiki.url}/index.php?title=Photosynthesis&oldid={best.revision}#Light_reactions"
    assert "[1]" not in best.text and "infobox" not in best.text


def test_sections_and_redirects(mediawiki: MediaWiki) -> None:
    client = WikiClient(get_wiki("wikipedia", "en"), Permit(), Deadline(60))
    page = client.page("Light of plants")
    assert (page.key, [section.heading_path for section in page.sections]) == (
        "Photosynthesis",
        [(), ("Light reactions",), ("Light reactions", "Rates")],
    )
    assert page.sections[2].text == "| Plant | Share of light |\n| --- | --- |\n| Maize | two percent |"
    assert client.search("pupils measure pondweed", 2) == ["Pondweed"]
    assert client.search("volcano", 2) == []


def test_a_page_that_is_not_there(mediawiki: MediaWiki) -> None:
    query = Query.of("What is a volcano?", get_embedder())
    with pytest.raises(FetchFailed, match="Wikipedia has no page “Volcano”"):
        LivePage(get_wiki("wikipedia", "en"), "Volcano", "en", Permit()).search(query, 5)
