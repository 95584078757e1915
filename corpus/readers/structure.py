"""What every reader returns, and the builder that turns headings and paragraphs into sections."""

from __future__ import annotations

import re
from dataclasses import dataclass

PDF = "application/pdf"
DOCX = "application/vnd.openxmlformats-officedocument.wordprocessingml.document"
MARKDOWN = "text/markdown"
PLAIN = "text/plain"

Lines = tuple[int, int]


class UnreadableDocument(Exception):
    """The file cannot be read. The message is shown to the teacher as it is."""


@dataclass(frozen=True)
class Section:
    """Text under one heading; in a PDF, the part of it that starts on one page."""

    heading_path: tuple[str, ...]  # outermost heading first; () before the first heading
    text: str  # without the heading; paragraphs separated by blank lines; Markdown kept as Markdown
    page: int | None = None  # from 1, where the text starts (PDF)
    lines: Lines | None = None  # from 1, both ends included (Markdown, plain text)


@dataclass(frozen=True)
class Parsed:
    """A document as its reader understood it."""

    media_type: str
    title: str | None  # only where the file states one
    sections: tuple[Section, ...]
    pages: int | None = None
    notes: tuple[str, ...] = ()  # in words for the teacher


@dataclass(frozen=True)
class _Heading:
    level: int
    title: str
    raw: str
    page: int | None
    lines: Lines | None


class SectionBuilder:
    """Collects headings and paragraphs in reading order.

    A heading closes every open heading of its own or a deeper level, so skipped levels (# then ###) do no harm.
    A heading with neither text nor headings below it would vanish from search: it becomes text of its parent.
    """

    def __init__(self) -> None:
        self._sections: list[Section] = []
        self._headings: list[_Heading] = []
        self._open: list[_Heading] = []
        self._paragraphs: list[str] = []
        self._page: int | None = None
        self._bare = False

    def heading(
        self, level: int, title: str, *, raw: str = "", page: int | None = None, lines: Lines | None = None
    ) -> None:
        """Open a section. `raw` is the heading as it stands in the file, where that differs from its title."""
        self._settle(level)
        while self._open and self._open[-1].level >= level:
            self._open.pop()
        self._open.append(_Heading(level, title, raw or title, page, lines))
        self._headings.append(self._open[-1])
        self._bare = True

    def paragraph(self, text: str, *, page: int | None = None, glue: str = "\n\n") -> None:
        """Add text to the open section; a new page starts a new part of it. `glue` joins it to what stands before."""
        if page != self._page:
            self._flush()
        if self._paragraphs and glue != "\n\n":
            self._paragraphs[-1] += glue + text
        elif text.strip():
            self._paragraphs.append(text)
        self._page = page

    def body(self, text: str, *, lines: Lines | None) -> None:
        """Add the whole text of the open section at once, as it stands in the file."""
        self._bare = False
        self._sections.append(Section(self._path(), text, None, lines))

    def finish(self) -> tuple[Section, ...]:
        """Close everything and return the sections in reading order."""
        self._settle(0)
        return tuple(self._sections)

    def title(self) -> str | None:
        """The heading of level 1 that stands above all others, with no text before it."""
        if not self._headings or (self._sections and not self._sections[0].heading_path):
            return None
        first, *others = self._headings
        alone = first.level == 1 and all(heading.level > 1 for heading in others)
        return first.title if alone else None

    def _settle(self, level: int) -> None:
        """Before a heading of `level`: write out what is open, and a heading that stayed without any text."""
        self._flush()
        if self._bare and level <= self._open[-1].level:
            bare = self._open[-1]
            self._sections.append(Section(self._path()[:-1], bare.raw, bare.page, bare.lines))
        self._bare = False

    def _flush(self) -> None:
        if self._paragraphs:
            self._sections.append(Section(self._path(), "\n\n".join(self._paragraphs), self._page))
            self._bare = False
        self._paragraphs = []

    def _path(self) -> tuple[str, ...]:
        return tuple(heading.title for heading in self._open)


_UNWANTED = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f\ufeff\ufffe\uffff]")
_SURROGATES = re.compile("[\ud800-\udfff]")


def clean(text: str) -> str:
    r"""Text that PostgreSQL accepts: lines end in \n, no control characters but tab, no lone surrogates."""
    text = _UNWANTED.sub("", text.replace("\r\n", "\n").replace("\r", "\n"))
    if _SURROGATES.search(text):
        text = text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
    return text


def one_line(text: str) -> str:
    """Cleaned, with runs of white space turned into single spaces."""
    return " ".join(clean(text).split())
