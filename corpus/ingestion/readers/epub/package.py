"""The package of an e-book: title, files in reading order, table of contents, protection."""

from __future__ import annotations

import posixpath
import zipfile
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING
from urllib.parse import unquote

from corpus.ingestion.readers.structure import UnreadableDocument, one_line
from corpus.ingestion.readers.xml import attribute, child_elements, descendants, local_name

if TYPE_CHECKING:
    from lxml.etree import _Element

Contents = list[tuple[str, int]]
"""Titles with their levels, from 1: of the parts that begin with a chapter, and of the chapter."""
_PAGES = frozenset({"application/xhtml+xml", "text/html"})
_NCX = "application/x-dtbncx+xml"
_FONTS_ONLY = ("http://www.idpf.org/2008/embedding", "http://ns.adobe.com/pdf/enc#RC")
_DEEPEST = 6
_PROTECTED = (
    "This e-book is protected against copying (DRM), so it cannot be read here. "
    "Ask the publisher for an unprotected copy."
)


@dataclass
class Book:
    title: str | None
    spine: list[str]  # names in the archive, in reading order
    contents: dict[str, Contents] = field(default_factory=dict)  # by name in the archive


def open_book(archive: zipfile.ZipFile) -> Book:
    """Read the package. Raises UnreadableDocument if its pages are encrypted.

    Raises KeyError, ValueError or an error of lxml if it is not an e-book.
    """
    container = _xml(archive, "META-INF/container.xml")
    opf = next(element.get("full-path") for element in descendants(container, "rootfile"))
    package = _xml(archive, opf)
    items = {item.get("id"): item for item in descendants(package, "item")}
    spine = [items[key] for element in descendants(package, "itemref") if (key := element.get("idref")) in items]
    pages = [item for item in spine if item.get("media-type") in _PAGES and not _is_contents(item)]
    names = dict.fromkeys(_resolved(opf, item.get("href")) for item in pages)
    titles = (one_line(found.text or "") for found in descendants(package, "title"))
    book = Book(next(filter(None, titles), None), list(names))
    if _is_protected(archive, book.spine):
        raise UnreadableDocument(_PROTECTED)
    for item in items.values():
        _read_contents(archive, book, item, _resolved(opf, item.get("href")))
    return book


def _read_contents(archive: zipfile.ZipFile, book: Book, item: _Element, name: str) -> None:
    """The contents of EPUB 3 (nav) or EPUB 2 (ncx). The first one counts; a broken one is ignored."""
    from lxml import etree

    is_nav = _is_contents(item)
    if book.contents or not (is_nav or item.get("media-type") == _NCX) or name not in archive.namelist():
        return
    try:
        root = _xml(archive, name)
        if is_nav:
            lists = [nav for nav in descendants(root, "nav") if "toc" in (attribute(nav, "type") or "toc")]
            found = _nav(lists[0], 0) if lists else iter(())
        else:
            found = _ncx(next(descendants(root, "navMap")), 1)
        above: Contents = []
        for title, level, href in found:
            above = [(words, depth) for words, depth in above if depth < level] + [(title, level)]
            target = _resolved(name, href) if href else ""
            if target in book.spine and target not in book.contents:
                book.contents[target] = above
                above = []
    except (StopIteration, ValueError, etree.Error):
        book.contents.clear()


def _nav(element: _Element, level: int) -> Iterator[tuple[str, int, str]]:
    """Titles, levels and links of a navigation page."""
    for child in child_elements(element):
        name = local_name(child)
        if name in ("a", "span") and level and (title := _words(child)):
            yield title, level, child.get("href", "")
        elif name in ("ol", "ul"):
            yield from _nav(child, min(level + 1, _DEEPEST))
        elif name == "li":
            yield from _nav(child, level)


def _ncx(element: _Element, level: int) -> Iterator[tuple[str, int, str]]:
    for point in child_elements(element, "navPoint"):
        label = next((_words(found) for found in child_elements(point, "navLabel")), "")
        link = next((found.get("src", "") for found in child_elements(point, "content")), "")
        if label:
            yield label, level, link
        yield from _ncx(point, min(level + 1, _DEEPEST))


def _words(entry: _Element) -> str:
    for broken in descendants(entry, "br"):
        broken.tail = f" {broken.tail or ''}"
    return one_line("".join(entry.itertext()))


def _is_contents(item: _Element) -> bool:
    return "nav" in (item.get("properties") or "").split()


def _is_protected(archive: zipfile.ZipFile, spine: list[str]) -> bool:
    """Whether pages of the book are encrypted. Encrypted fonts are common and harmless."""
    if "META-INF/encryption.xml" not in archive.namelist():
        return False
    for data in descendants(_xml(archive, "META-INF/encryption.xml"), "EncryptedData"):
        method = next((found.get("Algorithm", "") for found in descendants(data, "EncryptionMethod")), "")
        names = {unquote(found.get("URI", "")) for found in descendants(data, "CipherReference")}
        if method not in _FONTS_ONLY and names & set(spine):
            return True
    return False


def _resolved(base: str, href: str | None) -> str:
    """The name in the archive that a link in the part `base` leads to."""
    path = unquote((href or "").partition("#")[0])
    return posixpath.normpath(posixpath.join(posixpath.dirname(base), path))


def _xml(archive: zipfile.ZipFile, name: str) -> _Element:
    from lxml import etree

    parser = etree.XMLParser(resolve_entities=False, no_network=True, load_dtd=False, recover=True)
    root = etree.fromstring(archive.read(name), parser)
    if root is None:
        raise ValueError(f"{name} is empty")
    return root
