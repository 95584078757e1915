"""Web pages (.html) as people see them. Nothing is fetched or executed."""

from __future__ import annotations

import re
from contextlib import suppress

from corpus.ingestion.readers.decoding import decode, web_codec
from corpus.ingestion.readers.html.blocks import HtmlBlocks
from corpus.ingestion.readers.html.text import mark_notes
from corpus.ingestion.readers.html.unseen import apply_styles, find_left_out, is_hidden_element
from corpus.ingestion.readers.structure import HTML, Parsed, SectionBuilder, UnreadableDocument, clean
from corpus.ingestion.readers.titles import sensible_title
from corpus.ingestion.readers.xml import Element

_CHARSET = re.compile(rb"""(?i)<(?:meta\b[^>]*?\bcharset|\?xml\b[^>]*?\bencoding)\s*=\s*["']?\s*([\w.:-]+)""")
_MARKS = (b"\xef\xbb\xbf", b"\xff\xfe", b"\xfe\xff")
# XHTML allows self-closed elements. As HTML, a <title/> or <script/> would swallow the rest of the page.
_SELF_CLOSED = re.compile(
    r"<(?!(?:area|base|br|col|embed|hr|img|input|link|meta|source|track|wbr)\b)([a-zA-Z][\w:-]*)((?:\s[^<>]*)?)/>"
)
_XHTML = re.compile(r"(?is)\s*(?:<\?xml\b|(?:<!--.*?-->\s*)*+(?:<!doctype[^>]*>\s*)?<html\b[^>]*\bxmlns=)")
_DEEP = "Elements of this page stand more than 2,000 deep in each other. Open it in a browser and save it as PDF."
_MIN_MAIN = 0.3  # share of the page's words; a smaller <main> is not the main part


def read(data: bytes) -> Parsed:
    return read_text(*decode_html(data))


def read_text(text: str, notes: tuple[str, ...] = (), *, media_type: str = HTML) -> Parsed:
    if (root := parse_html(text)) is None:
        return Parsed(media_type, None, ())
    builder = SectionBuilder()
    notes += prepare_page(root, text)
    HtmlBlocks(builder).read(_main(root))
    title = sensible_title(root.xpath("string(//title)"))
    return Parsed(media_type, title or builder.title(), builder.finish(), None, notes)


def decode_html(data: bytes) -> tuple[str, tuple[str, ...]]:
    """The text and notes. The encoding is given by the byte order mark, else declared, else guessed."""
    declared = None if data.startswith(_MARKS) else _CHARSET.search(data[:4096])
    if declared and (codec := web_codec(declared[1].decode("ascii", "replace"))):
        with suppress(UnicodeError):
            # A declaration that is readable as ASCII is not in UTF-16; the HTML standard reads it as UTF-8.
            return clean(data.decode("utf-8" if codec.startswith("utf-16") else codec)), ()
    text, notes = decode(data)
    return clean(text), notes


def parse_html(text: str, *, may_be_cut: bool = False) -> Element:
    """The elements of a page, None without any. Raises UnreadableDocument if lxml leaves out deep ones."""
    from lxml import etree, html

    if _XHTML.match(text):
        text = _SELF_CLOSED.sub(r"<\1\2></\1>", text)
    parser = html.HTMLParser(encoding="utf-8", no_network=True, huge_tree=True, remove_comments=True, remove_pis=True)
    root = None
    with suppress(etree.ParserError, etree.XMLSyntaxError):
        root = html.document_fromstring(text.encode("utf-8", "replace"), parser=parser)
    if not may_be_cut and any(error.type_name == "ERR_RESOURCE_LIMIT" for error in parser.error_log):
        raise UnreadableDocument(_DEEP)
    return root


def find_body(root: Element) -> Element:
    return root if (body := root.find("body")) is None else body


def prepare_page(root: Element, source: str, css: str = "") -> tuple[str, ...]:
    """Mark what its style sheets hide and which raised numbers lead to notes. Returns notes on what is left out."""
    apply_styles(root, css)
    mark_notes(root)
    return find_left_out(root, source)


def _main(root: Element) -> Element:
    """The <main> element if there is one with enough text, else the body."""
    body = find_body(root)
    mains = [element for element in body.iter("main") if not is_hidden_element(element)]
    fits = len(mains) == 1 and _words(mains[0]) >= _MIN_MAIN * _words(body)
    return mains[0] if fits else body


def _words(element: Element) -> int:
    return sum(len("".join(inner.itertext()).split()) for inner in element.iter("p", "li", "td", "pre"))
