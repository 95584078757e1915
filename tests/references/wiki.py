"""A wiki on loopback with the REST API of MediaWiki, as its documentation describes it."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from urllib.parse import parse_qs, unquote, urlsplit

from tests.references.web import Step, WebPeer, page, web_peer

PLANTS = """<p><b>Photosynthesis</b> is the process by which green plants turn the energy of light into chemical
energy, which they store as sugar. It takes place in the chloroplasts of the leaves and releases oxygen
into the air around.</p>
<h2 id="Light_reactions">Light reactions</h2><p>In the light reactions, molecules of chlorophyll in the thylakoid
membrane absorb a photon each and lose one electron. The electron passes along a chain of carriers, and its energy is
kept in ATP and NADPH, while water is split and oxygen gas is set free as a waste product of the leaf.</p>
<h2 id="Calvin_cycle">Calvin cycle</h2><p>In the Calvin cycle the enzyme RuBisCO takes carbon dioxide from the
atmosphere and, with the help of ATP and NADPH, makes three-carbon sugars from it, which the plant later combines to
sucrose and starch. This happens in the stroma and does not need light at all.</p>
<h2 id="Short">Short</h2><p>Too short to be quoted.</p>
<h2 id="See_also">See also</h2><p>Photosynthesis of algae, photosynthesis of bacteria, chlorophyll, chloroplasts, light,
energy, sugar, oxygen, plants, leaves, stroma, thylakoids, RuBisCO, water, carbon dioxide, ATP, NADPH and much more.
</p>"""
BOOK = """<p>This book of experiments shows how pupils can measure photosynthesis with pondweed: they count the bubbles
of oxygen that rise from the cut stem in one minute while a lamp is moved away from the glass step by step, and draw a
graph of their counts.</p>"""
VOLCANO = """<p>A <b>volcano</b> is a rupture in the crust of a planet through which hot lava, ash and gases escape
from a magma chamber below the surface. Most volcanoes lie where tectonic plates move apart or towards each other, such
as around the Pacific Ocean.</p>"""


@dataclass
class Wiki:
    """Pages by key: revision and HTML. `trouble` is sent instead of the next answers, one each."""

    pages: dict[str, tuple[int, str]]
    prefix: str = "/w/rest.php/v1"
    redirects: Mapping[str, str] = field(default_factory=dict)
    trouble: list[tuple[Step, ...]] = field(default_factory=list)

    def answer(self, path: str) -> Sequence[Step]:
        if self.trouble:
            return self.trouble.pop(0)
        parts = urlsplit(path)
        if not parts.path.startswith(self.prefix + "/"):
            return self._json({"httpCode": 404}, 404)
        what, *rest = parts.path.removeprefix(self.prefix + "/").split("/")
        if what == "search":
            query = parse_qs(parts.query)
            return self._json({"pages": self._found(query["q"][0], int(query["limit"][0]))})
        return self._page(unquote(rest[0]))

    def _found(self, query: str, limit: int) -> list[dict[str, object]]:
        """Pages that have every word, as MediaWiki searches."""
        words = query.lower().split()
        found = [key for key, (_, html) in self.pages.items() if all(word in f"{key} {html}".lower() for word in words)]
        return [
            {
                "id": n,
                "key": key,
                "title": key.replace("_", " "),
                "excerpt": "",
                "matched_title": None,
                "description": None,
            }
            for n, key in enumerate(found[:limit])
        ]

    def _page(self, key: str) -> Sequence[Step]:
        if key in self.redirects:
            html = f'<html><head><link rel="mw:PageProp/redirect" href="./{self.redirects[key]}"/></head></html>'
            return self._json(self._described(key, 1, html))
        if key not in self.pages:
            return self._json({"httpCode": 404, "httpReason": "Not Found"}, 404)
        return self._json(self._described(key, *self.pages[key]))

    def _described(self, key: str, revision: int, html: str) -> dict[str, object]:
        latest = {"id": revision, "timestamp": "2026-11-22T21:31:23Z"}
        return {
            "id": 1,
            "key": key,
            "title": key.replace("_", " "),
            "latest": latest,
            "content_model": "wikitext",
            "html": html,
        }

    @staticmethod
    def _json(body: object, status: int = 200) -> tuple[bytes, ...]:
        return page(json.dumps(body), status=status, media_type="application/json")


@contextmanager
def wiki_peer(wiki: Wiki) -> Iterator[WebPeer]:
    with web_peer(wiki.answer) as peer:
        yield peer


def encyclopedia() -> Wiki:
    return Wiki(
        {"Photosynthesis": (17, PLANTS), "Volcano": (23, VOLCANO)}, redirects={"Photosynthetic": "Photosynthesis"}
    )


def textbooks() -> Wiki:
    return Wiki({"Experiments/Pondweed": (5, BOOK)})
