"""E-books (.epub): chapters in reading order under the titles of the table of contents."""

from __future__ import annotations

import io
import posixpath
import re
import zipfile
from collections.abc import Iterator
from urllib.parse import unquote

from corpus.ingestion.readers.html.blocks import HtmlBlocks
from corpus.ingestion.readers.html.reader import decode_html, parse_html, prepare_page
from corpus.ingestion.readers.html.text import HEADINGS, line_text
from corpus.ingestion.readers.structure import EPUB, Parsed, SectionBuilder, UnreadableDocument, one_line
from corpus.ingestion.readers.xml import Element, attribute, child_elements, descendants, local_name, parse_xml

_PICTURES = "This e-book has no text: its pages may be pictures. Text in pictures cannot be read."
_Contents = list[tuple[str, int]]
"""Titles with their levels, from 1: of the parts that begin with a chapter, and of the chapter."""
_PAGES = ("application/xhtml+xml", "text/html")
_NCX = "application/x-dtbncx+xml"
_FONTS_ONLY = ("http://www.idpf.org/2008/embedding", "http://ns.adobe.com/pdf/enc#RC")
_PROTECTED = (
    "This e-book is protected against copying (DRM), so it cannot be read here. "
    "Ask the publisher for an unprotected copy."
)


def read(data: bytes) -> Parsed:
    """Sections of an e-book without its cover and table of contents."""
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        return _Book(archive).parsed()


class _Book:
    def __init__(self, archive: zipfile.ZipFile) -> None:
        self._archive, self._names = archive, archive.namelist()
        opf = next(one.get("full-path", "") for one in descendants(self._parse("META-INF/container.xml"), "rootfile"))
        package = self._parse(opf)
        items = {item.get("id"): item for item in descendants(package, "item")}
        spine = [items[key] for one in descendants(package, "itemref") if (key := one.get("idref")) in items]
        pages = (item for item in spine if item.get("media-type") in _PAGES and not _is_contents(item))
        self._spine = list(dict.fromkeys(_resolve(opf, item.get("href")) for item in pages))
        self._title = next(filter(None, (one_line(one.text or "") for one in descendants(package, "title"))), None)
        self._contents: dict[str, _Contents] = {}  # by name in the archive
        if self._is_protected():
            raise UnreadableDocument(_PROTECTED)
        for item in items.values():
            name = _resolve(opf, item.get("href"))
            is_contents = _is_contents(item) or item.get("media-type") == _NCX
            if is_contents and not self._contents and name in self._names:  # the first one counts
                self._read_contents(name)

    def parsed(self) -> Parsed:
        builder, shift, left_out = SectionBuilder(), 0, dict[str, None]()
        sheets = [name for name in self._names if name.lower().endswith(".css")]
        css = "\n".join(self._archive.read(name).decode("utf-8", "replace") for name in sheets)
        present = [name for name in self._spine if name in self._names]
        for name in present:
            text = decode_html(self._archive.read(name))[0]
            if (root := parse_html(text)) is not None:
                left_out |= dict.fromkeys(prepare_page(root, text, css))
                shift = _read_chapter(builder, root, self._contents.get(name), shift)
        sections, missing = builder.finish(), len(self._spine) - len(present)
        if not sections and missing:
            raise ValueError("All parts with text are missing.")
        if not sections:
            raise UnreadableDocument(_PICTURES)
        notes = (f"{missing} of its {len(self._spine)} parts are missing from the file.",) if missing else ()
        return Parsed(EPUB, self._title, sections, None, (*notes, *left_out))

    def _parse(self, name: str) -> Element:
        return parse_xml(self._archive.read(name), recover=True)

    def _read_contents(self, name: str) -> None:
        """The contents of EPUB 3 (nav) or EPUB 2 (ncx). Broken ones are ignored."""
        from lxml import etree

        above: _Contents = []
        try:
            root = self._parse(name)
            lists = [nav for nav in descendants(root, "nav") if "toc" in (attribute(nav, "type") or "toc")]
            lists += descendants(root, "navMap")
            for title, level, href in _list_entries(lists[0], local_name(lists[0]) == "navMap") if lists else ():
                above = [(words, depth) for words, depth in above if depth < level] + [(title, level)]
                target = _resolve(name, href) if href else ""
                if target in self._spine and target not in self._contents:
                    self._contents[target] = above
                    above = []
        except (ValueError, etree.Error):
            self._contents.clear()

    def _is_protected(self) -> bool:
        """Whether pages of the book are encrypted. Encrypted fonts are common and harmless."""
        if "META-INF/encryption.xml" not in self._names:
            return False
        for data in descendants(self._parse("META-INF/encryption.xml"), "EncryptedData"):
            method = next((one.get("Algorithm", "") for one in descendants(data, "EncryptionMethod")), "")
            names = {unquote(one.get("URI", "")) for one in descendants(data, "CipherReference")}
            if method not in _FONTS_ONLY and names & {*self._spine}:
                return True
        return False


def _read_chapter(builder: SectionBuilder, root: Element, entry: _Contents | None, shift: int) -> int:
    """Read a file of the book; one without an entry continues the one before. Returns how deep its headings are."""
    for title, level in entry or ():
        builder.heading(level, title)
    if entry:
        shift = entry[-1][1]
        said = {*re.findall(r"\w+", " ".join(title for title, _ in entry).casefold())}
        first = next(root.iter(*HEADINGS), None)
        if first is not None and {*re.findall(r"\w+", line_text(first).casefold())} <= said:
            first.drop_tree()  # it repeats the title
    HtmlBlocks(builder, shift=shift).read(root)
    return shift


def _list_entries(element: Element, level: int) -> Iterator[tuple[str, int, str]]:
    """Titles with levels and links, of the lists of EPUB 3 or the points of EPUB 2."""
    for child in child_elements(element):
        name = local_name(child)
        if name in ("a", "span") and level and (title := _words(child)):
            yield title, level, child.get("href", "")
        elif name == "navPoint":
            label = next(map(_words, child_elements(child, "navLabel")), "")
            link = next((one.get("src", "") for one in child_elements(child, "content")), "")
            yield from [(label, level, link)] if label else []
        if name in ("ol", "ul", "navPoint", "li"):
            yield from _list_entries(child, level if name == "li" else min(level + 1, len(HEADINGS)))


def _words(entry: Element) -> str:
    for broken in descendants(entry, "br"):
        broken.tail = f" {broken.tail or ''}"
    return one_line("".join(entry.itertext()))


def _is_contents(item: Element) -> bool:
    return "nav" in (item.get("properties") or "").split()


def _resolve(base: str, href: str | None) -> str:
    path = unquote((href or "").partition("#")[0])
    return posixpath.normpath(posixpath.join(posixpath.dirname(base), path))
