"""Markdown: headings from a CommonMark parser, text and line numbers as in the file."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache
from typing import TYPE_CHECKING

from corpus.ingestion.readers.decoding import decode
from corpus.ingestion.readers.markdown.cleaning import clean_inline, clean_markdown
from corpus.ingestion.readers.markdown.parse_warnings import (
    ParseWarning,
    WarningKind,
    block_warnings,
    front_matter,
    heading_warnings,
    warning_notes,
)
from corpus.ingestion.readers.numbering import TextbookHeading, number_headings
from corpus.ingestion.readers.structure import MARKDOWN, Parsed, Section, SectionBuilder, clean, one_line

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
    notes: tuple[str, ...]  # on its encoding, and on what was left out
    line_numbers: tuple[int, ...]  # in the file, from 1, of the lines that the builder has

    def finish(self, numbers: Sequence[tuple[str, ...]] | None = None) -> list[Section]:
        """The sections with the lines of the file. `numbers` are those of the headings, if other files count too."""
        if numbers is None:
            numbers = number_headings([TextbookHeading(level, title) for level, title in self.builder.headings])
        return [self._placed(section) for section in self.builder.finish(numbers)]

    def _placed(self, section: Section) -> Section:
        if section.lines is None:
            return section
        found = self.line_numbers[section.lines[0] - 1 : section.lines[1]]
        follow = found == tuple(range(found[0], found[0] + len(found)))
        return replace(section, lines=(found[0], found[-1]), line_numbers=() if follow else found)


def read(data: bytes) -> Parsed:
    """Sections of a Markdown file: its lines but for comments, crossed-out text and HTML (see `cleaning`)."""
    file = read_markdown(data)
    title = file.title or file.builder.title()
    return Parsed(MARKDOWN, title, tuple(file.finish()), None, (*file.notes, *warning_notes(file.warnings)))


def read_markdown(data: bytes, *, add_title: bool = False) -> MarkdownFile:
    """Parse a file. With `add_title` the title of the front matter becomes a heading if there is none of level 1."""
    text, notes = decode(data)
    source = clean(text).split("\n")
    settings = front_matter(source)
    shown, tokens, left_out = clean_markdown(source[settings.first :], _parse)
    lines = [line for _, line in shown]
    numbers = tuple(settings.first + number + 1 for number, _ in shown)
    headings = list(_headings(tokens))
    warnings = [ParseWarning(WarningKind.SETTINGS, settings.broken)] if settings.broken else []
    levels = [(level, numbers[start]) for level, _, start, _ in headings]
    builder = SectionBuilder(lines)
    if add_title and settings.title and all(level > 1 for level, _ in levels):
        builder.heading(1, settings.title)
        levels.insert(0, (1, 1))
    position = 0
    for level, title, start, end in headings:
        _add_body(builder, lines, position, start)
        builder.heading(level, title, lines=(start + 1, end))
        position = end
    _add_body(builder, lines, position, len(lines))
    found = [replace(one, line=numbers[one.line - 1] if one.line else None) for one in block_warnings(tokens, lines, 0)]
    warnings += [*heading_warnings(levels), *found]
    return MarkdownFile(builder, settings.title, settings.position, tuple(warnings), (*notes, *left_out), numbers)


def _add_body(builder: SectionBuilder, lines: list[str], start: int, end: int) -> None:
    """Add lines `start` to `end` (from 0, end excluded) without blank lines at either end."""
    while start < end and not lines[start].strip():
        start += 1
    while end > start and not lines[end - 1].strip():
        end -= 1
    if start < end:
        builder.body((start + 1, end))


def _headings(tokens: list[Token]) -> Iterator[tuple[int, str, int, int]]:
    """Level, title, first line from 0 and line after the last one of each heading outside of quotes and lists."""
    for number, token in enumerate(tokens):
        if token.type == "heading_open" and token.level == 0 and token.map:
            title = _plain(tokens[number + 1].content)
            if title:
                yield int(token.tag[1:]), title, token.map[0], token.map[1]


def _parse(text: str) -> list[Token]:
    tokens: list[Token] = []
    _parser().block.parse(text, _parser(), {}, tokens)
    return tokens


@cache
def _parser() -> MarkdownIt:
    from markdown_it import MarkdownIt

    return MarkdownIt("commonmark").enable("table")


def _plain(markup: str) -> str:
    """The text of a heading without emphasis marks, links and HTML. Formulas and other names in angle brackets stay."""
    inline = _parser().parseInline(clean_inline(markup))[0].children or []
    breaks = ("softbreak", "hardbreak")
    words = (" " if token.type in breaks else token.content for token in inline)
    return one_line("".join(words))
