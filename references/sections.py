"""Sections of an encyclopedia's article, from the HTML of MediaWiki, of Parsoid, or of a ZIM file. Pure."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from corpus.ingestion.readers.html.blocks import HtmlBlocks
from corpus.ingestion.readers.html.reader import parse_html
from corpus.ingestion.readers.html.text import HEADINGS, line_text
from corpus.ingestion.readers.structure import SectionBuilder, clean

if TYPE_CHECKING:
    from lxml.html import HtmlElement

BOILERPLATE = frozenset(
    name.strip()
    for name in """
    references|notes|footnotes|notes and references|references and notes|citations|sources|bibliography|works cited
    see also|external links|further reading|further information|gallery|explanatory notes|notes and citations
    einzelnachweise|anmerkungen|fußnoten|einzelnachweise und anmerkungen|anmerkungen und einzelnachweise|quellen
    quellen und anmerkungen|belege|nachweise|siehe auch|weblinks|literatur|weiterführende literatur|galerie
    références|notes et références|notes|références et notes|sources|bibliographie|voir aussi|articles connexes
    liens externes|lien externe|annexes|pour approfondir|lectures complémentaires|galerie
    referencias|notas|notas y referencias|referencias y notas|fuentes|bibliografía|véase también|ver también
    enlaces externos|lecturas adicionales|lecturas recomendadas|para saber más|galería
    """.replace("\n", "|").split("|")
    if name.strip()
)
"""Headings of sections that no answer needs, in the languages of a chatbot, in lower case."""

_STRIPPED = frozenset(
    """
    infobox navbox vertical-navbox navbox-styles navbox-container sidebar ambox tmbox ombox cmbox mbox-small metadata
    side-box portalbox portal-bar sistersitebox sisterproject succession-box authority-control mw-authority-control
    hatnote dablink rellink homonymie hauptartikel noprint navigation-not-searchable navigation-only NavFrame NavContent
    toc toccolours mw-editsection mw-editsection-like mw-jump-link mw-cite-backlink mw-empty-elt mw-ref reference
    references mw-references-wrap reflist refbegin Inline-Template thumb gallery catlinks printfooter shortdescription
    geo-nondefault coordinates normdaten Z3988 error bandeau-container bandeau-section bandeau-niveau-information
    bandeau-portail ficha noviewer zim-footer
    """.split()  # noqa: SIM905 - a list of classes
)
"""Classes of what is no text of the article: boxes, navigation, references, pictures with captions, notices."""
_STRIPPED_STARTS = ("infobox", "navbox", "bandeau", "mw-editsection", "ambox")
_STRIPPED_TAGS = frozenset(["style", "link", "figure", "figure-inline", "audio", "video"])
_DISPLAY = re.compile(r"\s*\{\\(?:display|text|script)style\s*(?P<formula>.*)\}\s*", re.DOTALL)


@dataclass(frozen=True)
class ArticleSection:
    """Text under one heading of an article: Markdown, blank lines between paragraphs, formulas as $...$.

    `heading_path` holds the texts of h2 and h3, () before the first; `anchor` the id of the heading, for a link to it.
    """

    heading_path: tuple[str, ...]
    text: str
    anchor: str = ""


def parse_sections(html: str) -> list[ArticleSection]:
    """The sections of an article that have text, in its order; none for a page without any.

    Boxes, navigation, notices, references, edit links, pictures and BOILERPLATE sections are left out. Deeper headings
    are paragraphs. Tables of data stay.
    """
    root = parse_html(clean(html), may_be_cut=True)
    if root is None:
        return []
    body = find_article(root)
    drop_elements(body, _is_stripped)
    _show_formulas(body)
    builder = _ArticleBuilder()
    HtmlBlocks(builder, shift=-1).read(body)
    anchors = _anchors(body)
    return [
        ArticleSection(section.heading_path, section.text, _anchor(section.heading_path, anchors))
        for section in builder.finish()
        if section.text.strip()
    ]


class _ArticleBuilder(SectionBuilder):
    """Leaves out the title of the page and boilerplate; headings below h3 are text."""

    _skipped: int | None = None  # the level of the boilerplate's heading that is open

    def heading(self, level: int, title: str, **place: Any) -> None:
        if level < 1:
            if not self.headings:
                return  # the title of the page
            level = 1
        if self._skipped is not None and level > self._skipped:
            return
        self._skipped = level if title.casefold().strip(" .:[]") in BOILERPLATE else None
        if self._skipped is None and level <= 2:  # h2 and h3
            super().heading(level, title, **place)
        elif self._skipped is None:
            super().paragraph(title)

    def paragraph(self, text: str, **how: Any) -> None:
        if self._skipped is None:
            super().paragraph(text, **how)


def find_article(root: HtmlElement) -> HtmlElement:
    """The element that holds the article: MediaWiki's own, else the body."""
    for path in (
        "//*[contains(concat(' ', @class, ' '), ' mw-parser-output ')]",
        "//*[@id='mw-content-text']",
        "//main",
        "//body",
    ):
        found = root.xpath(path)
        if len(found) == 1:
            return found[0]
    return root


def drop_elements(body: HtmlElement, is_dropped: Callable[[HtmlElement], bool]) -> None:
    """Remove all such elements with what is in them."""
    for element in [element for element in body.iterdescendants() if is_dropped(element)]:
        if element.getparent() is not None:
            element.drop_tree()


def _is_stripped(element: HtmlElement) -> bool:
    if not isinstance(element.tag, str) or element.tag in _STRIPPED_TAGS:
        return True
    classes = element.get("class")
    if not classes:
        return element.get("id") in ("toc", "coordinates", "normdaten")
    return any(name in _STRIPPED or name.lower().startswith(_STRIPPED_STARTS) for name in classes.split())


def _show_formulas(body: HtmlElement) -> None:
    """Readable TeX for each formula, also where a file has only the picture of it."""
    for math in body.iter("math"):
        if match := _DISPLAY.fullmatch(math.get("alttext") or ""):
            math.set("alttext", match["formula"].strip())
    for image in list(body.iter("img")):
        shown = image.getparent()
        if "mwe-math-fallback-image" in image.get("class", "") and not any(True for _ in shown.iter("math")):
            match = _DISPLAY.fullmatch(image.get("alt") or "")
            formula = match["formula"].strip() if match else (image.get("alt") or "").strip()
            image.tail = (f"${formula}$" if formula else "") + (image.tail or "")


def _anchors(body: HtmlElement) -> Iterator[tuple[str, str]]:
    """Text and id of each heading, in order. Older versions of MediaWiki have the id on an element inside."""
    for heading in body.iter(*list(HEADINGS)[:3]):
        inner = (element.get("id") for element in heading.iter() if element.get("id"))
        yield line_text(heading), next(inner, "")


def _anchor(heading_path: tuple[str, ...], anchors: Iterator[tuple[str, str]]) -> str:
    """The id of the next heading with this text: sections and headings are in the same order."""
    if not heading_path:
        return ""
    return next((anchor for title, anchor in anchors if title == heading_path[-1]), "")
