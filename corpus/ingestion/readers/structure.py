"""The result of every reader, and the builder that makes sections from headings and paragraphs."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import TypeVar

PDF = "application/pdf"
DOCX = "application/vnd.openxmlformats-officedocument.wordprocessingml.document"
PPTX = "application/vnd.openxmlformats-officedocument.presentationml.presentation"
XLSX = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"
EPUB = "application/epub+zip"
HTML = "text/html"
CSV = "text/csv"
MARKDOWN = "text/markdown"
BOOK = "application/vnd.lectern.textbook+zip"  # a ZIP archive of Markdown files
PLAIN = "text/plain"
SUBTITLES = "text/vtt"
MAIL = "message/rfc822"
NOTEBOOK = "application/x-ipynb+json"
RTF = "application/rtf"
_ODF = "application/vnd.oasis.opendocument."
OPEN_DOCUMENT = ODT, ODS, ODP = _ODF + "text", _ODF + "spreadsheet", _ODF + "presentation"
IMAGES = PNG, JPEG, TIFF, WEBP = "image/png", "image/jpeg", "image/tiff", "image/webp"  # those that can be decoded

MAX_LABEL = 20
"""Characters of the printed number of a page."""
MAX_MARK = 84
"""Characters of emphasised words with their asterisks; longer ones are sentences."""
MAX_DEPTH = 100
"""Elements in each other; deeper ones are read as plain text or not at all."""

Lines = tuple[int, int]


class UnreadableDocument(Exception):
    """The file cannot be read. The message is shown to the teacher."""


def make_too_many_error(what: str, found: int, most: int) -> UnreadableDocument:
    return UnreadableDocument(
        f"This file has {found} {what}; at most {most} can be indexed. Split it into parts and upload those."
    )


@contextmanager
def report_damage(message: str) -> Iterator[None]:
    """Turn any error of a library into UnreadableDocument with this message."""
    try:
        yield
    except (UnreadableDocument, MemoryError):
        raise
    except Exception as error:  # raised by lxml, expat, zipfile or a decoder
        raise UnreadableDocument(message) from error


@dataclass(frozen=True)
class Section:
    """Text under one heading; in a PDF or presentation the part that starts on one page or slide."""

    heading_path: tuple[str, ...]  # outermost heading first; () before the first heading
    text: str  # Markdown without the heading, blank lines between paragraphs; "" for a page without text
    page: int | None = None  # from 1: the page where the text starts, or the slide
    lines: Lines | None = None  # first and last line, from 1 (Markdown, plain text)
    file_path: str = ""  # in a textbook; the lines refer to this file
    numbers: tuple[str, ...] = ()  # of a textbook, for each heading: "Module 1", "Chapter 2", or ""
    line_numbers: tuple[int, ...] = ()  # of each line of the text, if it does not have all lines as they stand there
    marks: tuple[str, ...] = ()  # “**bold**” and “*italic*” words that the text has plain


def set_lines(section: Section, numbers: tuple[int, ...]) -> Section:
    follow = numbers == tuple(range(numbers[0], numbers[0] + len(numbers)))
    return replace(section, lines=(numbers[0], numbers[-1]), line_numbers=() if follow else numbers)


@dataclass(frozen=True)
class Parsed:
    media_type: str
    title: str | None  # if the file has one
    sections: tuple[Section, ...]
    pages: int | None = None
    notes: tuple[str, ...] = ()  # warnings for the teacher
    page_labels: tuple[str, ...] = ()  # the printed numbers of all pages, "" where it is the usual one; () for none
    picture_pages: tuple[int, ...] = ()  # pages with text and with pictures that may show more of it

    @property
    def blank_pages(self) -> tuple[int, ...]:
        """Pages that may be scans. Each is a section without text."""
        return tuple(section.page for section in self.sections if section.page and not section.text)


@dataclass(frozen=True)
class _Heading:
    level: int
    title: str
    page: int | None
    lines: Lines | None
    order: int  # among all headings, from 0


@dataclass
class _Draft:
    under: tuple[_Heading, ...]  # outermost first
    paragraphs: list[str]  # with separators between them; empty if `lines` is set
    page: int | None
    lines: Lines | None = None
    marks: tuple[str, ...] = ()


class SectionBuilder:
    """Collects headings and text in reading order.

    A heading closes all open headings of its own or a deeper level, so skipped levels (# then ###) are harmless. A
    heading with neither text nor headings below it would be lost for search: its words are added to the section before,
    if that has the same parent, or else become text of its parent.
    """

    def __init__(self, source: Sequence[str] = ()) -> None:
        """`source` holds the lines of the file, for formats whose sections are line ranges."""
        self._source = source
        self._drafts: list[_Draft] = []
        self._headings: list[_Heading] = []
        self._open: tuple[_Heading, ...] = ()
        self._paragraphs: list[str] = []
        self._marks: list[str] = []
        self._page: int | None = None
        self._bare = False

    def heading(self, level: int, title: str, *, page: int | None = None, lines: Lines | None = None) -> None:
        self._settle(level)
        above = (one for one in self._open if one.level < level)
        self._headings.append(_Heading(level, title, page, lines, len(self._headings)))
        self._open, self._bare = (*above, self._headings[-1]), True

    def paragraph(self, text: str, *, page: int | None = None, glue: str = "\n\n") -> None:
        """Add text to the open section. A new page starts a new section. `glue` joins it to the text before."""
        if page != self._page:
            self._flush()
        if self._paragraphs:
            self._paragraphs.append(glue)
        self._paragraphs.append(text)
        self._page = page

    def mark(self, marks: Iterable[str]) -> None:
        """Note emphasised words of the paragraph that comes next, but for whole sentences."""
        self._marks += (mark for mark in marks if len(mark) <= MAX_MARK)

    def blank(self, page: int) -> None:
        """Add a blank page, to be filled by text recognition. An open heading from an earlier page keeps its words."""
        self._flush()
        if self._bare and self._open[-1].page != page:
            self._keep_words()
        self._bare = False
        self._draft([], page)

    def body(self, lines: Lines) -> None:
        self._bare = False
        self._draft([], None, lines)

    @property
    def headings(self) -> list[tuple[int, str]]:
        return [(heading.level, heading.title) for heading in self._headings]

    def finish(self, numbers: Sequence[tuple[str, ...]] = ()) -> tuple[Section, ...]:
        """Close all headings and return the sections in reading order. `numbers` are the numbers of the headings."""
        self._settle(0)
        sections = []
        for draft in self._drafts:
            source = "\n".join(self._source[draft.lines[0] - 1 : draft.lines[1]]) if draft.lines else ""
            own = numbers[draft.under[-1].order] if numbers and draft.under else ()
            path, text = tuple(one.title for one in draft.under), source or "".join(draft.paragraphs)
            own = own if any(own) else ()
            sections.append(Section(path, text, draft.page, draft.lines, numbers=own, marks=draft.marks))
        return tuple(sections)

    def title(self) -> str | None:
        """The first heading, if it is the only one of level 1 and no text precedes it."""
        levels = [heading.level for heading in self._headings]
        is_alone = levels[:1] == [1] and levels.count(1) == 1 and not (self._drafts and not self._drafts[0].under)
        return self._headings[0].title if is_alone else None

    def _settle(self, level: int) -> None:
        """Before a heading of `level`: write the open text, and the words of a heading without text."""
        self._flush()
        if self._bare and level <= self._open[-1].level:
            self._keep_words()
        self._bare = False

    def _keep_words(self) -> None:
        above, bare = self._open[:-1], self._open[-1]
        before = self._drafts[-1] if self._drafts else None
        if before is None or before.page != bare.page or before.under[: len(above)] != above:
            self._drafts.append(_Draft(above, [bare.title], bare.page, bare.lines))
            return
        before.paragraphs += ["\n\n", bare.title]
        if before.lines and bare.lines:
            before.lines = (before.lines[0], bare.lines[1])

    def _flush(self) -> None:
        if self._paragraphs:
            self._draft(self._paragraphs, self._page)
            self._bare = False
        self._paragraphs = []

    def _draft(self, paragraphs: list[str], page: int | None, lines: Lines | None = None) -> None:
        marks = tuple(self._marks) if paragraphs or lines else ()  # a blank page has no words
        self._drafts.append(_Draft(self._open, paragraphs, page, lines, marks))
        self._marks = self._marks[len(marks) :]


_UNWANTED = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f\xad\ufeff\ufffe\uffff]")
_SURROGATES = re.compile("[\ud800-\udfff]")


def clean(text: str) -> str:
    r"""Text that PostgreSQL accepts: lines end in \n; no control characters, soft hyphens or lone surrogates."""
    text = _UNWANTED.sub("", text.replace("\r\n", "\n").replace("\r", "\n"))
    if _SURROGATES.search(text):
        text = text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
    return text


T = TypeVar("T")


def group_while(items: Iterable[T], belongs: Callable[[list[T], T], bool]) -> list[list[T]]:
    """The items in groups: each in the last one that it belongs to, or in a new one."""
    groups: list[list[T]] = []
    for item in items:
        if groups and belongs(groups[-1], item):
            groups[-1].append(item)
        else:
            groups.append([item])
    return groups


def one_line(text: str) -> str:
    return " ".join(clean(text).split())


def fence_code(code: str) -> str:
    """Code as a block in Markdown, whatever backticks it has."""
    fence = "`" * max([3, *(len(run) + 1 for run in re.findall("`{3,}", code))])
    return f"{fence}\n{code}\n{fence}"
