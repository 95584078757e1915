"""The wikis that are asked, from the settings LECTERN_WIKIPEDIA_URL and LECTERN_WIKIBOOKS_URL."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from urllib.parse import parse_qs, quote, unquote, urlsplit

from django.conf import settings

WIKIPEDIA, WIKIBOOKS = "wikipedia", "wikibooks"
_NAMES = {WIKIPEDIA: "Wikipedia", WIKIBOOKS: "Wikibooks"}
_SETTINGS = {WIKIPEDIA: "LECTERN_WIKIPEDIA_URL", WIKIBOOKS: "LECTERN_WIKIBOOKS_URL"}


@dataclass(frozen=True)
class Wiki:
    """One wiki in one language. `base` is the address of the setting, without a slash at the end."""

    project: str
    language: str
    base: str

    @property
    def name(self) -> str:
        return _NAMES[self.project]

    @property
    def host(self) -> str:
        """With the port, if the base has one."""
        return urlsplit(self.base).netloc

    @property
    def is_open(self) -> bool:
        """Whether the operator has given an address without encryption."""
        return self.base.startswith("http://")

    @property
    def is_own(self) -> bool:
        """Whether it is no wiki of the Wikimedia Foundation: it may be in the school's network."""
        return not (urlsplit(self.base).hostname or "").endswith((".wikipedia.org", ".wikibooks.org"))

    def rest_addresses(self) -> Sequence[str]:
        """Where its REST API may be, the likeliest first: a base may be that of the API or of the site."""
        if self.base.endswith("/v1"):
            return [self.base]
        if self.base.endswith("rest.php"):
            return [f"{self.base}/v1"]
        return [f"{self.base}/w/rest.php/v1", f"{self.base}/rest.php/v1", f"{self.base}/v1"]

    def page_address(self, rest: str, key: str, revision: str) -> str:
        """What people open to read this revision; `rest` is where its API is."""
        scripts = rest.removesuffix("/v1").removesuffix("/rest.php")
        return f"{scripts}/index.php?title={quote(key, safe=':,()/')}&oldid={revision}"

    def title_in(self, text: str) -> str:
        """The title that somebody has given, also by the address of the page in this wiki; "" for other addresses."""
        if not text.strip().lower().startswith(("https://", "http://")):
            return text.strip()
        parts = urlsplit(text.strip())
        if parts.netloc.lower() != self.host.lower():
            return ""
        named = parse_qs(parts.query).get("title", [""])[0]
        return named or unquote(parts.path.partition("/wiki/")[2] or parts.path.partition("/index.php/")[2])


def get_wiki(project: str, language: str) -> Wiki:
    """The wiki of a project, "wikipedia" or "wikibooks", in a language. Raises KeyError for another project."""
    base: str = getattr(settings, _SETTINGS[project])
    return Wiki(project, language, base.replace("{language}", language).rstrip("/"))


def wikis_for(language: str) -> list[Wiki]:
    """The wikis that a question in this language is put to. Where both settings name the same one, it is asked once."""
    wikis = [get_wiki(project, language) for project in (WIKIBOOKS, WIKIPEDIA)]
    return list({wiki.base: wiki for wiki in wikis}.values())[::-1]
