"""Markdown: headings from a CommonMark parser, text and line numbers as they stand in the file."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING

from corpus.readers.decoding import decode
from corpus.readers.numbering import Heading, numbers
from corpus.readers.structure import MARKDOWN, Parsed, SectionBuilder, clean, one_line

if TYPE_CHECKING:
    from markdown_it import MarkdownIt
    from markdown_it.token import Token


@dataclass(frozen=True)
class _Heading:
    level: int
    title: str
    start: int  # its first line, from 0
    end: int  # the line after it


def read(data: bytes) -> Parsed:
    """Sections of a Markdown file. `Section.text` is exactly the lines `Section.lines` of the file."""
    decoded = decode(data)
    lines = clean(decoded.text).split("\n")
    first, title = _front_matter(lines)
    builder = SectionBuilder(lines)
    position = first
    for heading in _headings(lines, first):
        _add_body(builder, lines, position, heading.start)
        builder.heading(heading.level, heading.title, lines=(heading.start + 1, heading.end))
        position = heading.end
    _add_body(builder, lines, position, len(lines))
    sections = builder.finish(numbers([Heading(level, title) for level, title in builder.headings]))
    return Parsed(MARKDOWN, title or builder.title(), sections, None, decoded.notes)


def _add_body(builder: SectionBuilder, lines: list[str], start: int, end: int) -> None:
    """Lines `start` to `end` (from 0, end excluded) without the blank ones around them."""
    while start < end and not lines[start].strip():
        start += 1
    while end > start and not lines[end - 1].strip():
        end -= 1
    if start < end:
        builder.body((start + 1, end))


def _headings(lines: list[str], first: int) -> Iterator[_Heading]:
    """The document's own headings: none inside code, quotes or lists, none without words."""
    tokens: list[Token] = []
    parser = _parser()
    parser.block.parse("\n".join(lines[first:]), parser, {}, tokens)
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


_TITLE = re.compile(r"title\s*:\s*(.+)", re.IGNORECASE)
_ENTRY = re.compile(r"[\w.-]+\s*:(\s|$)|\s|#|-|[\]}]|$")


def _front_matter(lines: list[str]) -> tuple[int, str | None]:
    """The line after a YAML block at the top of the file, and the title it states."""
    if lines[0].rstrip() != "---":
        return 0, None
    for number, line in enumerate(lines[1:], start=1):
        if line.rstrip() in ("---", "..."):
            titles = (match.group(1) for entry in lines[1:number] if (match := _TITLE.match(entry)))
            title = next(titles, "").strip().strip("\"'").strip()
            return number + 1, one_line(title) or None
        if not _ENTRY.match(line):
            break
    return 0, None
