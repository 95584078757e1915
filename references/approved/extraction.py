"""What the author of a web page wrote, without menus, banners and teasers: its first passage, or all of it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING

from corpus.ingestion.readers.decoding import decode, web_codec
from text.sentences import sentence_starts

if TYPE_CHECKING:
    from lxml.html import HtmlElement


MIN_WORDS = 20
"""Words of a passage. What is shorter is no text, but a page that asks for JavaScript, or says that it moved."""

MAX_ELEMENTS = 30_000
"""Elements of a page. Extraction took 80 microseconds for each, 2.4 s for as many short paragraphs."""

_DECLARED = re.compile(rb"<(?:meta|\?xml)[^>]{0,200}?(?:charset|encoding)\s*=\s*[\"']?\s*([\w-]{2,30})", re.IGNORECASE)
_REFERENCE = re.compile(r"\s?\[\d{1,3}\]")  # of a wiki: they would look like citations of ours
_CELL = re.compile(r"\s*\|\s*")
_SENTENCE_END = re.compile(r"[.!?…。！？][\"'”’»“)]*(?:\s|$)")
_TAG = re.compile(r"<[^>]*>")
_ELLIPSIS = "…"


@dataclass(frozen=True)
class Extract:
    """What is kept of a page: its title, "" if it has none, and its first passage."""

    title: str
    text: str


def extract(body: bytes, *, words: int, charset: str = "") -> Extract:
    """The title and first passage of an HTML page. `charset` is what the server said.

    The text is empty if the page has none, if it has too many elements, or if it cannot be parsed.
    """
    from lxml.etree import LxmlError
    from trafilatura import bare_extraction

    try:
        tree = _tree(body, charset)
        title = _title(tree)
        if tree.xpath("count(//*)") > MAX_ELEMENTS:
            return Extract(title, "")
        # Tables only where nothing else is found: old pages have their text in one.
        for tables in (False, True):
            found = bare_extraction(
                tree, include_comments=False, include_tables=tables, favor_precision=not tables, with_metadata=False
            )
            if text := first_passage(getattr(found, "text", None) or "", words):
                return Extract(title, text)
    except (LxmlError, ValueError, AssertionError, RecursionError):
        return Extract("", "")
    return Extract(title, "")


def extract_readable(body: bytes, *, charset: str = "") -> Extract:
    """The title of an HTML page, and all of its readable text as HTML: headings, paragraphs, lists and tables.

    The text is empty if it has fewer than `MIN_WORDS` words. Raises ValueError for a page with too many elements, or
    that cannot be parsed.
    """
    from lxml.etree import LxmlError
    from trafilatura import extract as readable_html

    try:
        tree = _tree(body, charset)
        title = _title(tree)
        if tree.xpath("count(//*)") > MAX_ELEMENTS:
            raise ValueError("too many elements")
        found = readable_html(tree, output_format="html", include_comments=False, include_formatting=True) or ""
    except (LxmlError, AssertionError, RecursionError) as error:
        raise ValueError("not to be parsed") from error
    words = _TAG.sub(" ", found).split()
    return Extract(title, found if len(words) >= MIN_WORDS else "")


def parse_charset(content_type: str) -> str:
    """The charset that a server's Content-Type names, "" if none."""
    _, _, given = content_type.lower().partition("charset=")
    return given.partition(";")[0].strip(" \"'")


def first_passage(text: str, words: int) -> str:
    """The first `words` words from the first meaningful line on, up to the end of a sentence if one is near."""
    lines = [line for line in _lines(text) if _is_prose(line) or line.startswith("- ") or line.endswith(":")]
    start = next((i for i, line in enumerate(lines) if len(line.split()) >= 8 and _is_prose(line)), len(lines))
    passage = ""
    for line in lines[start:]:
        passage = f"{passage}\n{line}" if passage else line
        if len(passage.split()) >= words:
            break
    if len(passage.split()) < MIN_WORDS:
        return ""
    return _shortened(passage, words)


def _shortened(passage: str, words: int) -> str:
    """The beginning of a passage: whole sentences if they have three fifths of these words, else cut off."""
    ends = [match.end() for match in re.finditer(r"\S+", passage)]
    if len(ends) <= words:
        return passage
    cut = ends[words - 1]
    whole = max((start for start in sentence_starts(passage) if start <= cut + 1), default=0)
    if len(passage[:whole].split()) >= 0.6 * words:
        return passage[:whole].rstrip()
    return passage[:cut].rstrip(" ,;:–-") + f" {_ELLIPSIS}"


def _lines(text: str) -> Iterator[str]:
    for line in _REFERENCE.sub("", text).splitlines():
        for cell in _CELL.split(line):
            if cell := " ".join(cell.split()):
                yield cell


def _is_prose(line: str) -> bool:
    return bool(_SENTENCE_END.search(line))


def _tree(body: bytes, charset: str) -> HtmlElement:
    from lxml.html import HTMLParser, document_fromstring

    page = _decoded(body, charset).replace("\x00", "").encode(errors="replace")
    return document_fromstring(page, parser=HTMLParser(encoding="utf-8"))


def _title(tree: HtmlElement) -> str:
    for path in (".//title", ".//h1"):
        element = tree.find(path)
        if element is not None and (title := " ".join("".join(element.itertext()).split())):
            return title[:200]
    return ""


def _decoded(body: bytes, charset: str) -> str:
    """The text of a page, by the charset that the server or the page names if it fits, else by its bytes."""
    declared = _DECLARED.search(body[:2048])
    for name in (charset, declared[1].decode("ascii", "replace") if declared else ""):
        if codec := web_codec(name):
            with suppress(UnicodeError):
                return body.decode(codec)
    return decode(body)[0]
