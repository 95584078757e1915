"""E-books (.epub): chapters in reading order under the titles of the table of contents."""

from __future__ import annotations

import io
import posixpath
import re
import zipfile
from collections.abc import Iterator
from dataclasses import dataclass, field
from urllib.parse import unquote

from corpus.ingestion.readers.html.blocks import HtmlBlocks
from corpus.ingestion.readers.html.reader import decode_html, parse_html, prepare_page
from corpus.ingestion.readers.html.text import HEADINGS, line_text
from corpus.ingestion.readers.structure import EPUB, Parsed, SectionBuilder, UnreadableDocument, one_line
from corpus.ingestion.readers.xml import Element, attribute, child_elements, descendants, local_name, parse_xml

_PICTURES = "This e-book has no text: its pages may be pictures. Text in pictures cannot be read."
_Contents = list[tuple[str, int]]
"""Titles with their levels, from 1: of the parts that begin with a chapter, and of the chapter."""
_PAGES = frozenset({"application/xhtml+xml", "text/html"})
_NCX = "application/x-dtbncx+xml"
_FONTS_ONLY = ("http://www.idpf.org/2008/embedding", "http://ns.adobe.com/pdf/enc#RC")
_PROTECTED = (
    "This e-book is protected against copying (DRM), so it cannot be read here. "
    "Ask the publisher for an unprotected copy."
)


@dataclass
class _Book:
    title: str | None
    spine: list[str]  # names in the archive, in reading order
    contents: dict[str, _Contents] = field(default_factory=dict)  # by name in the archive


def read(data: bytes) -> Parsed:
    """Sections of an e-book without its cover and table of contents."""
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        return _parsed(archive, _open_book(archive))


def _parsed(archive: zipfile.ZipFile, book: _Book) -> Parsed:
    builder = SectionBuilder()
    missing, left_out = 0, dict[str, None]()
    shift = 0
    sheets = [name for name in archive.namelist() if name.lower().endswith(".css")]
    css = "\n".join(archive.read(name).decode("utf-8", "replace") for name in sheets)
    for name in book.spine:
        try:
            text = decode_html(archive.read(name))[0]
        except KeyError:
            missing += 1
            continue
        root = parse_html(text)
        if root is not None:
            left_out |= dict.fromkeys(prepare_page(root, text, css))
            shift = _chapter(builder, root, book.contents.get(name), shift)
    sections = builder.finish()
    if not sections and missing:
        raise ValueError("All parts are missing.")
    if not sections:
        raise UnreadableDocument(_PICTURES)
    notes = (f"{missing} of its {len(book.spine)} parts are missing from the file.",) if missing else ()
    return Parsed(EPUB, book.title, sections, None, (*notes, *left_out))


def _chapter(builder: SectionBuilder, root: Element, entry: _Contents | None, shift: int) -> int:
    """Read a file of the book; one without an entry continues the one before. Returns how deep its headings are."""
    for title, level in entry or ():
        builder.heading(level, title)
    if entry:
        shift = entry[-1][1]
        _drop_repeated(root, " ".join(words for words, _ in entry))
    HtmlBlocks(builder, shift=shift).read(root)
    return shift


def _drop_repeated(root: Element, title: str) -> None:
    """Remove the first heading of a page if it repeats the title in the contents."""
    first = next((element for element in root.iter(*HEADINGS)), None)
    said = set(re.findall(r"\w+", title.casefold()))
    if first is not None and set(re.findall(r"\w+", line_text(first).casefold())) <= said:
        first.drop_tree()


def _open_book(archive: zipfile.ZipFile) -> _Book:
    """Read the package. Raises UnreadableDocument if its pages are encrypted, or any error if it is no e-book."""
    container = parse_xml(archive.read("META-INF/container.xml"), recover=True)
    opf = next(element.get("full-path") for element in descendants(container, "rootfile"))
    package = parse_xml(archive.read(opf), recover=True)
    items = {item.get("id"): item for item in descendants(package, "item")}
    spine = [items[key] for element in descendants(package, "itemref") if (key := element.get("idref")) in items]
    pages = [item for item in spine if item.get("media-type") in _PAGES and not _is_contents(item)]
    names = dict.fromkeys(_resolved(opf, item.get("href")) for item in pages)
    titles = (one_line(found.text or "") for found in descendants(package, "title"))
    book = _Book(next(filter(None, titles), None), list(names))
    if _is_protected(archive, book.spine):
        raise UnreadableDocument(_PROTECTED)
    for item in items.values():
        _read_contents(archive, book, item, _resolved(opf, item.get("href")))
    return book


def _read_contents(archive: zipfile.ZipFile, book: _Book, item: Element, name: str) -> None:
    """The contents of EPUB 3 (nav) or EPUB 2 (ncx). The first one counts; a broken one is ignored."""
    from lxml import etree

    is_nav = _is_contents(item)
    if book.contents or not (is_nav or item.get("media-type") == _NCX) or name not in archive.namelist():
        return
    try:
        root = parse_xml(archive.read(name), recover=True)
        if is_nav:
            lists = [nav for nav in descendants(root, "nav") if "toc" in (attribute(nav, "type") or "toc")]
            found = _entries(lists[0], 0) if lists else iter(())
        else:
            found = _entries(next(descendants(root, "navMap")), 1)
        above: _Contents = []
        for title, level, href in found:
            above = [(words, depth) for words, depth in above if depth < level] + [(title, level)]
            target = _resolved(name, href) if href else ""
            if target in book.spine and target not in book.contents:
                book.contents[target] = above
                above = []
    except (StopIteration, ValueError, etree.Error):
        book.contents.clear()


def _entries(element: Element, level: int) -> Iterator[tuple[str, int, str]]:
    """Titles with levels and links, of the lists of EPUB 3 or the points of EPUB 2."""
    for child in child_elements(element):
        name = local_name(child)
        if name in ("a", "span") and level and (title := _words(child)):
            yield title, level, child.get("href", "")
        elif name == "navPoint":
            label = next(map(_words, child_elements(child, "navLabel")), "")
            link = next((found.get("src", "") for found in child_elements(child, "content")), "")
            yield from [(label, level, link)] if label else []
        if name in ("ol", "ul", "navPoint", "li"):
            yield from _entries(child, level if name == "li" else min(level + 1, len(HEADINGS)))


def _words(entry: Element) -> str:
    for broken in descendants(entry, "br"):
        broken.tail = f" {broken.tail or ''}"
    return one_line("".join(entry.itertext()))


def _is_contents(item: Element) -> bool:
    return "nav" in (item.get("properties") or "").split()


def _is_protected(archive: zipfile.ZipFile, spine: list[str]) -> bool:
    """Whether pages of the book are encrypted. Encrypted fonts are common and harmless."""
    if "META-INF/encryption.xml" not in archive.namelist():
        return False
    for data in descendants(parse_xml(archive.read("META-INF/encryption.xml"), recover=True), "EncryptedData"):
        method = next((found.get("Algorithm", "") for found in descendants(data, "EncryptionMethod")), "")
        names = {unquote(found.get("URI", "")) for found in descendants(data, "CipherReference")}
        if method not in _FONTS_ONLY and names & set(spine):
            return True
    return False


def _resolved(base: str, href: str | None) -> str:
    path = unquote((href or "").partition("#")[0])
    return posixpath.normpath(posixpath.join(posixpath.dirname(base), path))
