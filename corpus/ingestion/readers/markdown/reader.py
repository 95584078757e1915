"""Markdown: headings from a CommonMark parser, text and line numbers as in the file."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING

from corpus.ingestion.readers.decoding import decode
from corpus.ingestion.readers.markdown.front_matter import front_matter
from corpus.ingestion.readers.markdown.parse_warnings import (
    ParseWarning,
    WarningKind,
    block_warnings,
    heading_warnings,
    warning_notes,
)
from corpus.ingestion.readers.numbering import TextbookHeading, number_headings
from corpus.ingestion.readers.structure import MARKDOWN, Parsed, SectionBuilder, clean, one_line

if TYPE_CHECKING:
    from markdown_it import MarkdownIt
    from markdown_it.token import Token


@dataclass(frozen=True)
class MarkdownFile:
    """One parsed file. The numbers of its headings are not assigned yet, since they may depend on other files."""

    builder: SectionBuilder
    title: str  # from the front matter
    position: float | None  # among other files, from the front matter
    warnings: tuple[ParseWarning, ...]
    notes: tuple[str, ...]  # on its encoding


def read(data: bytes) -> Parsed:
    """Sections of a Markdown file. `Section.text` is exactly the lines `Section.lines` of the file."""
    file = read_markdown(data)
    sections = file.builder.finish(
        number_headings([TextbookHeading(level, title) for level, title in file.builder.headings])
    )
    title = file.title or file.builder.title()
    return Parsed(MARKDOWN, title, sections, None, (*file.notes, *warning_notes(file.warnings)))


def read_markdown(data: bytes, *, add_title: bool = False) -> MarkdownFile:
    """Parse a file. With `add_title` the title of the front matter becomes a heading if there is none of level 1."""
    text, notes = decode(data)
    lines = clean(text).split("\n")
    settings = front_matter(lines)
    tokens: list[Token] = []
    _parser().block.parse("\n".join(lines[settings.first :]), _parser(), {}, tokens)
    headings = list(_headings(tokens, settings.first))
    warnings = [ParseWarning(WarningKind.SETTINGS, settings.broken)] if settings.broken else []
    levels = [(level, start + 1) for level, _, start, _ in headings]
    builder = SectionBuilder(lines)
    if add_title and settings.title and all(level > 1 for level, _ in levels):
        builder.heading(1, settings.title)
        levels.insert(0, (1, 1))
    position = settings.first
    for level, title, start, end in headings:
        _add_body(builder, lines, position, start)
        builder.heading(level, title, lines=(start + 1, end))
        position = end
    _add_body(builder, lines, position, len(lines))
    warnings += [*heading_warnings(levels), *block_warnings(tokens, lines, settings.first)]
    return MarkdownFile(builder, settings.title, settings.position, tuple(warnings), notes)


def _add_body(builder: SectionBuilder, lines: list[str], start: int, end: int) -> None:
    """Add lines `start` to `end` (from 0, end excluded) without blank lines at either end."""
    while start < end and not lines[start].strip():
        start += 1
    while end > start and not lines[end - 1].strip():
        end -= 1
    if start < end:
        builder.body((start + 1, end))


def _headings(tokens: list[Token], first: int) -> Iterator[tuple[int, str, int, int]]:
    """Level, title, first line from 0 and line after the last one of each heading at the top level of the document.

    Those inside code, quotes or lists do not count, nor do empty ones.
    """
    for number, token in enumerate(tokens):
        if token.type == "heading_open" and token.level == 0 and token.map:
            title = _plain(tokens[number + 1].content)
            if title:
                yield int(token.tag[1:]), title, first + token.map[0], first + token.map[1]


@cache
def _parser() -> MarkdownIt:
    from markdown_it import MarkdownIt

    return MarkdownIt("commonmark").enable("table")


def _plain(markup: str) -> str:
    """The text of a heading without emphasis marks, links and tags. Formulas stay."""
    inline = _parser().parseInline(markup)[0].children or []
    breaks = ("softbreak", "hardbreak")
    words = (" " if token.type in breaks else token.content for token in inline if token.type != "html_inline")
    return one_line("".join(words))
