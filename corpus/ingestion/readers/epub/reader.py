"""E-books (.epub): chapters in reading order under the titles of the table of contents."""

from __future__ import annotations

import io
import re
import zipfile
from typing import TYPE_CHECKING

from corpus.ingestion.readers.epub.package import Book, Contents, open_book
from corpus.ingestion.readers.html.blocks import HtmlBlocks
from corpus.ingestion.readers.html.reader import decode_html, parse_html, prepare_page
from corpus.ingestion.readers.html.text import HEADINGS, line_text
from corpus.ingestion.readers.structure import EPUB, Parsed, SectionBuilder, UnreadableDocument, report_damage
from corpus.ingestion.readers.zip_package import ErrorMessages, check_package

if TYPE_CHECKING:
    from lxml.html import HtmlElement

_WORDS = ErrorMessages("e-book", "Fetch it again from where it came from, and upload that.")
_PICTURES = "This e-book has no text: its pages may be pictures. Text in pictures cannot be read."


@report_damage(_WORDS.damaged)
def read(data: bytes) -> Parsed:
    """Sections of an e-book without its cover and table of contents."""
    check_package(data, _WORDS)
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        return _parsed(archive, open_book(archive))


def _parsed(archive: zipfile.ZipFile, book: Book) -> Parsed:
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
    if not sections:
        raise UnreadableDocument(_WORDS.damaged if missing else _PICTURES)
    notes = (f"{missing} of its {len(book.spine)} parts are missing from the file.",) if missing else ()
    return Parsed(EPUB, book.title, sections, None, (*notes, *left_out))


def _chapter(builder: SectionBuilder, root: HtmlElement, entry: Contents | None, shift: int) -> int:
    """Read one file of the book. Returns by how many levels its headings are below those of the contents.

    A file without an entry continues the one before.
    """
    for title, level in entry or ():
        builder.heading(level, title)
    if entry:
        shift = entry[-1][1]
        _drop_repeated(root, " ".join(words for words, _ in entry))
    HtmlBlocks(builder, shift=shift).read(root)
    return shift


def _drop_repeated(root: HtmlElement, title: str) -> None:
    """Remove the first heading of a page if it repeats the title in the contents."""
    first = next((element for element in root.iter(*HEADINGS)), None)
    said = set(re.findall(r"\w+", title.casefold()))
    if first is not None and set(re.findall(r"\w+", line_text(first).casefold())) <= said:
        first.drop_tree()
