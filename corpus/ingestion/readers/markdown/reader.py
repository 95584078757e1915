"""Markdown: headings from a CommonMark parser, text and line numbers as they stand in the file."""

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
from corpus.ingestion.readers.structure import MARKDOWN, Parsed, SectionBuilder, clean, one_line
from corpus.numbering import Heading, numbers

if TYPE_CHECKING:
    from markdown_it import MarkdownIt
    from markdown_it.token import Token


@dataclass(frozen=True)
class _Heading:
    level: int
    title: str
    start: int  # its first line, from 0
    end: int  # the line after it


@dataclass(frozen=True)
class MarkdownFile:
    """One file, read but for the numbers of its headings, which may hang on other files."""

    builder: SectionBuilder
    title: str  # as its settings state it
    position: float | None  # among other files, as its settings state it
    oddities: tuple[ParseWarning, ...]
    warning_notes: tuple[str, ...]  # on its encoding


def read(data: bytes) -> Parsed:
    """Sections of a Markdown file. `Section.text` is exactly the lines `Section.lines` of the file."""
    file = read_markdown(data)
    sections = file.builder.finish(numbers([Heading(level, title) for level, title in file.builder.headings]))
    title = file.title or file.builder.title()
    return Parsed(MARKDOWN, title, sections, None, (*file.notes, *warning_notes(file.oddities)))


def read_markdown(data: bytes, *, entitled: bool = False) -> MarkdownFile:
    """Read a file. With `entitled` the title in its settings stands above it all where no heading does."""
    decoded = decode(data)
    lines = clean(decoded.text).split("\n")
    settings = front_matter(lines)
    tokens = _tokens("\n".join(lines[settings.first :]))
    headings = list(_headings(tokens, settings.first))
    odd = [ParseWarning(WarningKind.SETTINGS, settings.broken)] if settings.broken else []
    levels = [(heading.level, heading.start + 1) for heading in headings]
    builder = SectionBuilder(lines)
    if entitled and settings.title and all(level > 1 for level, _ in levels):
        builder.heading(1, settings.title)
        levels.insert(0, (1, 1))
    position = settings.first
    for heading in headings:
        _add_body(builder, lines, position, heading.start)
        builder.heading(heading.level, heading.title, lines=(heading.start + 1, heading.end))
        position = heading.end
    _add_body(builder, lines, position, len(lines))
    odd += [*heading_warnings(levels), *block_warnings(tokens, lines, settings.first)]
    return MarkdownFile(builder, settings.title, settings.position, tuple(odd), decoded.notes)


def _add_body(builder: SectionBuilder, lines: list[str], start: int, end: int) -> None:
    """Lines `start` to `end` (from 0, end excluded) without the blank ones around them."""
    while start < end and not lines[start].strip():
        start += 1
    while end > start and not lines[end - 1].strip():
        end -= 1
    if start < end:
        builder.body((start + 1, end))


def _tokens(text: str) -> list[Token]:
    tokens: list[Token] = []
    parser = _parser()
    parser.block.parse(text, parser, {}, tokens)
    return tokens


def _headings(tokens: list[Token], first: int) -> Iterator[_Heading]:
    """The document's own headings: none inside code, quotes or lists, none without words."""
    for number, token in enumerate(tokens):
        if token.type == "heading_open" and token.level == 0 and token.map:
            title = _plain(tokens[number + 1].content)
            if title:
                yield _Heading(int(token.tag[1:]), title, first + token.map[0], first + token.map[1])


@cache
def _parser() -> MarkdownIt:
    from markdown_it import MarkdownIt

    return MarkdownIt("commonmark").enable("table")


def _plain(markup: str) -> str:
    """A heading's words without emphasis marks, links and tags; formulas stay."""
    inline = _parser().parseInline(markup)[0].children or []
    breaks = ("softbreak", "hardbreak")
    words = (
        " " if token.type in breaks else token.content for token in inline if token.type != "html_inline"
    )
    return one_line("".join(words))
