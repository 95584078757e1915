"""An article of a ZIM file as safe HTML in our own typography. Nothing remote is loaded."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import count
from typing import TYPE_CHECKING
from urllib.parse import unquote, urlsplit

import nh3
from django.utils.html import escape
from django.utils.safestring import SafeString, mark_safe

from corpus.ingestion.readers.html.reader import parse_html
from corpus.ingestion.readers.structure import clean
from corpus.reading.formulas import MATHML_ATTRIBUTES, MATHML_TAGS
from references.sections import drop_elements, find_article

if TYPE_CHECKING:
    from lxml.html import HtmlElement

_TAGS = {
    *("p", "br", "hr", "h2", "h3", "h4", "h5", "h6", "ul", "ol", "li", "dl", "dt", "dd", "blockquote", "pre"),
    *("strong", "b", "em", "i", "s", "u", "small", "sub", "sup", "code", "kbd", "var", "q", "cite", "abbr", "span"),
    *("table", "caption", "thead", "tbody", "tfoot", "tr", "th", "td", "figure", "figcaption", "img", "a"),
    *MATHML_TAGS,
}
_ATTRIBUTES = {
    **{tag: {"id"} for tag in ("h2", "h3", "h4", "h5", "h6", "li", "sup", "span")},
    **{tag: {"colspan", "rowspan"} for tag in ("th", "td")},
    "a": {"href", "id", "class", "target", "rel"},
    "img": {"src", "alt", "width", "height", "loading"},
    "ol": {"start"},
    "table": {"class"},
    **MATHML_ATTRIBUTES,
}
_EMPTIED = {"script", "style", "template", "noscript", "iframe", "object", "embed", "svg", "canvas", "audio", "video"}
_EMPTIED |= {"head", "title", "annotation", "annotation-xml", "form", "button", "select", "textarea", "nav"}
_LEFT_OUT = frozenset(
    """
    navbox vertical-navbox navbox-styles sidebar ambox tmbox ombox cmbox metadata side-box sistersitebox noprint
    noviewer mw-editsection mw-jump-link mw-empty-elt toc catlinks printfooter zim-footer authority-control portalbox
    mwe-math-fallback-image-inline mwe-math-fallback-image-display
    """.split()  # noqa: SIM905 - a list of classes
)
_FORMULAS = frozenset(["mwe-math-mathml-inline", "mwe-math-mathml-display"])  # hidden beside a picture of each
_PREFIX = "part-"
"""Before every id of an article, so that none is one of ours."""
_USED = "This section contains the passage that was used."
_USED_BEFORE = "In another edition, this section contained the passage that was used."
_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029]")
_SIZE = re.compile(r"[0-9]{1,4}")

Address = Callable[[str], str | None]
"""From the path of an entry to its address on this site; None where there is none."""


@dataclass(frozen=True)
class ReadArticle:
    """An article to read: HTML, whether it has the section that was asked for, and its headings (id, text)."""

    html: SafeString
    is_cited: bool
    headings: tuple[tuple[str, str], ...]


def render_article(
    html: str,
    path: str,
    *,
    page: Address,
    picture: Address,
    section: str | None = None,
    is_same_edition: bool = True,
) -> ReadArticle:
    """The text of an article as safe HTML: links to articles lead to `page`, and pictures come from `picture`.

    `section` is the id or the text of a heading, "" for the text before the first one: that section is set off, and has
    the id "passage". `is_same_edition` says whether it was cited from this edition. Links elsewhere open a new tab,
    without opener and referrer.
    """
    root = parse_html(clean(html), may_be_cut=True)
    if root is None:
        return ReadArticle(SafeString(""), False, ())
    body = find_article(root)
    drop_elements(body, _is_left_out)
    for element in body.iter():
        if isinstance(element.tag, str):
            _rewrite(element, path, page, picture)
    parts = _parts(_safe(_html(body)))
    cited = next((part for part in parts if section is not None and part.is_named(section)), None)
    told = _USED if is_same_edition else _USED_BEFORE
    rendered = "".join(part.html(told if part is cited else "") for part in parts if part.content)
    headings = tuple((part.anchor, part.title) for part in parts if part.level == 2 and part.anchor)
    return ReadArticle(mark_safe(rendered), cited is not None, headings)  # noqa: S308 - cleaned by nh3


def resolve(reference: str, path: str) -> str | None:
    """The path of the entry that a reference in the article at `path` means; None for one that leaves the file."""
    try:
        parts = urlsplit(reference.strip())
    except ValueError:
        return None
    if parts.scheme or parts.netloc or not parts.path:
        return None
    named = unquote(parts.path)
    if _CONTROL.search(named):  # no path of ours can have them
        return None
    return posixpath.normpath(posixpath.join("/", posixpath.dirname(path), named)).lstrip("/") or None


def _is_left_out(element: HtmlElement) -> bool:
    if not isinstance(element.tag, str) or element.tag == "h1":
        return True
    named = set((element.get("class") or "").split())
    is_hidden = "display:none" in (element.get("style") or "").replace(" ", "")
    return bool(named & _LEFT_OUT) or (is_hidden and not named & _FORMULAS)


def _rewrite(element: HtmlElement, path: str, page: Address, picture: Address) -> None:
    """Give an element the attributes that it may keep."""
    if identifier := element.get("id"):
        element.set("id", _PREFIX + identifier)
    if element.tag == "a":
        _rewrite_link(element, path, page)
    elif element.tag == "img":
        source = resolve(element.get("src") or "", path)
        address = picture(source) if source else None
        if address is None:
            words = element.get("alt") or ""
            element.tail = (f"[Picture: {words}]" if words else "") + (element.tail or "")
            element.drop_tree()
            return
        element.set("src", address)
        element.set("alt", element.get("alt") or "")
        element.set("loading", "lazy")
        for side in ("width", "height"):
            if not _SIZE.fullmatch(element.get(side) or ""):
                element.attrib.pop(side, None)
    elif element.tag == "table":
        element.attrib.pop("class", None)


def _rewrite_link(link: HtmlElement, path: str, page: Address) -> None:
    reference = (link.get("href") or "").strip()
    for name in ("class", "target", "rel", "href"):
        link.attrib.pop(name, None)
    if reference.startswith("#"):
        link.set("href", f"#{_PREFIX}{reference[1:]}")
    elif re.match(r"(https?:)?//", reference, re.IGNORECASE):
        link.set("href", reference if ":" in reference.partition("//")[0] else f"https:{reference}")
        link.set("target", "_blank")
        link.set("rel", "noopener noreferrer")
        link.set("class", "outside")
    elif (target := resolve(reference, path)) and (address := page(target)):
        anchor = urlsplit(reference).fragment
        link.set("href", f"{address}#{_PREFIX}{anchor}" if anchor else address)


def _safe(html: str) -> str:
    return nh3.clean(
        html,
        tags=_TAGS,
        clean_content_tags=_EMPTIED,
        attributes=_ATTRIBUTES,
        attribute_filter=_only_safe,
        url_schemes={"http", "https"},
        link_rel=None,
    )


def _only_safe(tag: str, attribute: str, value: str) -> str | None:
    if attribute == "src" and not (value.startswith("/") and not value.startswith("//")):
        return None
    if attribute == "id" and not value.startswith(_PREFIX):
        return None
    return value


@dataclass(frozen=True)
class _Part:
    """A heading of the first or second level with what follows it; the first part has none."""

    level: int
    title: str
    anchor: str
    content: str

    def is_named(self, section: str) -> bool:
        return section in (self.anchor.removeprefix(_PREFIX), self.title) if self.level else not section

    def html(self, told: str) -> str:
        """The section; set off if there is something to be told of it."""
        if not told:
            return f"<section>{self.content}</section>"
        words = f'<p class="visually-hidden">{told}</p>'
        return f'<section class="cited" id="passage">{words}{self.content}</section>'


def _parts(html: str) -> list[_Part]:
    """Safe HTML, cut at its headings. The texts between elements become paragraphs, tables get a box."""
    parts: list[tuple[int, str, str, list[str]]] = [(0, "", "", [])]
    tables = count(1)
    for element in _top_level(html):
        level = {"h2": 2, "h3": 3}.get(element.tag, 0)
        if level:
            title = " ".join("".join(element.itertext()).split())
            inner = (one.get("id") for one in element.iter() if one.get("id"))
            parts.append((level, title, next(inner, ""), []))
        parts[-1][3].append(_boxed(element, next(tables)) if element.tag == "table" else _html(element))
    return [_Part(level, title, anchor, "".join(content)) for level, title, anchor, content in parts]


def _top_level(html: str) -> Iterator[HtmlElement]:
    from lxml.html import fragment_fromstring

    wrapped = fragment_fromstring(html, create_parent="div")
    yield from _paragraph(wrapped.text)
    for element in list(wrapped):
        tail, element.tail = element.tail, None
        yield element
        yield from _paragraph(tail)


def _paragraph(text: str | None) -> Iterator[HtmlElement]:
    from lxml.html import Element

    if text and text.strip():
        paragraph = Element("p")
        paragraph.text = text
        yield paragraph


def _html(element: HtmlElement) -> str:
    from lxml.html import tostring

    return str(tostring(element, encoding="unicode"))


def _boxed(table: HtmlElement, number: int) -> str:
    """A table in a box that can be reached and scrolled by keyboard, with a name of its own."""
    caption = table.find("caption")
    words = " ".join(caption.text_content().split())[:80] if caption is not None else ""
    name = escape(f"Table {number}: {words}" if words else f"Table {number}")
    return f'<div class="table-box" role="region" aria-label="{name}" tabindex="0">{_html(table)}</div>'
