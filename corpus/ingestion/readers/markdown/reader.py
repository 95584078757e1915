"""Markdown: headings from a CommonMark parser, text and line numbers as in the file, warnings about its form.

Settings at its top are not parsed as YAML: only title and position are needed, and a mistake elsewhere must not cost
them.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import cache
from itertools import pairwise
from typing import TYPE_CHECKING

from corpus.ingestion.readers.decoding import decode
from corpus.ingestion.readers.markdown.cleaning import clean_inline, clean_markdown
from corpus.ingestion.readers.numbering import TextbookHeading, number_headings
from corpus.ingestion.readers.structure import MARKDOWN, Parsed, Section, SectionBuilder, clean, one_line, set_lines
from corpus.ingestion.readers.tables import PIPE

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
        return [
            set_lines(one, self.line_numbers[one.lines[0] - 1 : one.lines[1]]) if one.lines else one
            for one in self.builder.finish(numbers)
        ]


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
    headings = [
        (int(one.tag[1:]), title, one.map[0], one.map[1])
        for one, inner in pairwise(tokens)
        if one.type == "heading_open" and one.level == 0 and one.map and (title := _plain(inner.content))
    ]  # outside of quotes and lists
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
    warnings += [*heading_warnings(levels), *block_warnings(tokens, lines, numbers)]
    return MarkdownFile(builder, settings.title, settings.position, tuple(warnings), (*notes, *left_out), numbers)


def _add_body(builder: SectionBuilder, lines: list[str], start: int, end: int) -> None:
    """Add lines `start` to `end` (from 0, end excluded) without blank lines at either end."""
    if full := [number for number in range(start, end) if lines[number].strip()]:
        builder.body((full[0] + 1, full[-1] + 1))


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
    return one_line("".join(" " if token.type.endswith("break") else token.content for token in inline))


MAX_PLACES = 3
"""The most places that are listed for one kind of warning."""


class WarningKind(StrEnum):
    """The kinds of warnings with their messages; {at} is replaced by the places."""

    NO_HEADINGS = "There are no headings{at}: passages are cited by their lines alone."
    LATE_START = "The first heading is not of the highest level, #{at}: there is no module or title above it."
    SKIPPED = "Levels of headings are skipped{at}: a section may stand under another heading than meant."
    OPEN_CODE = "A code block is not closed{at}: all below it was read as code."
    SETTINGS = "The settings at the top of the file have a mistake{at}; they are not read as text."
    UNEVEN = "Rows of a table have more or fewer cells than its head{at}; they are kept as they stand."
    NO_TABLE = "What looks like a table has no line of dashes that fits its head{at}: it was read as text."


@dataclass(frozen=True)
class ParseWarning:
    kind: WarningKind
    line: int | None = None  # from 1
    file: str = ""


def warning_notes(warnings: Iterable[ParseWarning]) -> tuple[str, ...]:
    places: dict[WarningKind, list[str]] = defaultdict(list)
    for one in warnings:
        places[one.kind].append(", ".join(filter(None, (one.file, f"line {one.line}" if one.line else ""))))
    for found in places.values():
        found[MAX_PLACES:] = [f"{len(found) - MAX_PLACES} more"] if len(found) > MAX_PLACES else []
    named = {kind: "; ".join(filter(None, found)) for kind, found in places.items()}
    return tuple(kind.format(at=named[kind] and f" ({named[kind]})") for kind in WarningKind if kind in named)


def heading_warnings(levels: Sequence[tuple[int, int]]) -> Iterator[ParseWarning]:
    if not levels:
        yield ParseWarning(WarningKind.NO_HEADINGS)
        return
    if levels[0][0] > 1:
        yield ParseWarning(WarningKind.LATE_START, levels[0][1])
    for (above, _), (level, line) in pairwise(levels):
        if level > above + 1:
            yield ParseWarning(WarningKind.SKIPPED, line)


def block_warnings(tokens: Iterable[Token], lines: Sequence[str], numbers: Sequence[int]) -> Iterator[ParseWarning]:
    for token in tokens:
        if not token.map or token.level:
            continue
        start, end = token.map
        rows = [line.strip() for line in lines[start:end]]
        if token.type == "fence":
            if len(rows) < 2 or not rows[-1].startswith(token.markup) or rows[-1].strip(token.markup[0]):
                yield ParseWarning(WarningKind.OPEN_CODE, numbers[start])
        elif token.type == "table_open":
            cells = _cells(lines[start])
            uneven = (n for n in range(start + 2, end) if _cells(lines[n]) != cells)
            if (number := next(uneven, None)) is not None:
                yield ParseWarning(WarningKind.UNEVEN, numbers[number])
        elif len(rows) > 1 and token.type == "paragraph_open" and {row[:1] + row[-1:] for row in rows} == {"||"}:
            yield ParseWarning(WarningKind.NO_TABLE, numbers[start])


def _cells(line: str) -> int:
    text = line.strip()
    return len(PIPE.findall(text)) + 1 - text.startswith("|") - bool(text.endswith("|") and text[-2:] != r"\|")


_MAX_LINES = 200  # lines
_KEY = re.compile(r"[A-Za-z_][\w.-]*\s*:(\s|$)")
_ENTRY = re.compile(r"[\w.-]+\s*:(\s|$)|\s|#|-|[\]}]|$")
_TITLE = re.compile(r"title\s*:\s*(.+)", re.IGNORECASE)
_POSITION = re.compile(r"(?:sidebar_position|nav_order|weight|order)\s*:\s*(-?\d{1,6}(?:\.\d{1,6})?)\s*$")


@dataclass(frozen=True)
class FrontMatter:
    """The settings that are used. `broken` is the first line, from 1, that is not a valid setting."""

    first: int = 0  # first line of the text, from 0
    title: str = ""
    position: float | None = None
    broken: int | None = None


def front_matter(lines: Sequence[str]) -> FrontMatter:
    """The front matter of a file. A rule followed by text is none. Invalid lines are accepted if most are valid."""
    end = next((n for n, line in enumerate(lines[1:_MAX_LINES], 1) if line.rstrip() in ("---", "...")), None)
    if lines[0].rstrip() != "---" or end is None:
        return FrontMatter()
    settings = lines[1:end]
    odd = [n for n, line in enumerate(settings, 2) if not _ENTRY.match(line)]
    sound = sum(bool(_KEY.match(line)) for line in settings)
    if sound < 2 * len(odd):
        return FrontMatter()
    titles = (match[1] for line in settings if (match := _TITLE.match(line)))
    positions = (float(match[1]) for line in settings if (match := _POSITION.match(line)))
    title = one_line(next(titles, "").strip().strip("\"'"))
    return FrontMatter(end + 1, title, next(positions, None), odd[0] if odd else _unbalanced(settings))


def _unbalanced(settings: Sequence[str]) -> int | None:
    """The line, from 1, of a value with an unclosed quote or bracket, or of a key after a tab."""
    text = "\n".join(re.sub(r"\s#.*", "", line) for line in settings)
    odd = (signs for signs in ("[]", "{}") if text.count(signs[0]) != text.count(signs[1]))
    signs = '"' if text.count('"') % 2 else next(odd, "")
    tabs = (number for number, line in enumerate(settings, 2) if line.startswith("\t"))
    return next(tabs, next((number for number, line in enumerate(settings, 2) if {*signs} & {*line}), None))
