"""The reading view of a document: its blocks as HTML under their headings, with the wanted passage marked."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import groupby, islice, takewhile
from typing import TypeVar

from django.utils.safestring import SafeString

from corpus.ingestion.readers.structure import ODS, XLSX
from corpus.models import Chunk, Document, Version
from corpus.reading.locations import describe_location
from corpus.reading.page_pictures import has_pages
from corpus.reading.rendering import render_marked

H = TypeVar("H")
BLOCKS_PER_PART = 60
"""Blocks on one page of the reading view, about 40 to 60 pages of a book."""


@dataclass(frozen=True)
class Block:
    """A section of a document, or a part of a long one, as HTML."""

    number: int
    heading_path: tuple[str, ...]
    starts_section: bool  # whether its headings differ from those of the block before
    starts_page: bool
    page: int | None
    page_label: str  # its printed number, if it is another one
    lines: tuple[int, int] | None
    html: SafeString
    found: bool  # whether it contains the wanted passage
    media_type: str  # of the document
    file_path: str  # in a textbook of several files
    label: str  # in a textbook: "Module 1, Chapter 2"
    is_recognised: bool  # from a scan: it may contain mistakes
    position: int = 0  # of the wanted passage or, without one, of its first chunk
    is_drawn: bool = False  # whether its page can be shown as a picture

    @property
    def heading(self) -> str:
        """The innermost heading, "" if there is none."""
        return self.heading_path[-1] if self.heading_path else ""

    @property
    def place(self) -> str:
        """Its location without its own heading: the headings above, and the page, slide or lines."""
        above = self.heading_path[:-1] if self.starts_section else ()
        if self.starts_section and not above and self.media_type in (XLSX, ODS):
            return "Sheet"
        return describe_location(replace(self, heading_path=above))

    @property
    def where(self) -> str:
        """Its location with all headings."""
        return describe_location(self)


@dataclass(frozen=True)
class ContentsEntry:
    title: str
    level: int  # 1 to 4
    block: int
    part: int


@dataclass(frozen=True)
class ReadingPage:
    blocks: list[Block]
    part: int
    parts: int

    @property
    def before(self) -> int | None:
        """The number of the previous page, if there is one."""
        return self.part - 1 if self.part > 1 else None

    @property
    def after(self) -> int | None:
        """The number of the next page, if there is one."""
        return self.part + 1 if self.part < self.parts else None


@dataclass(frozen=True)
class TextSpan:
    """Characters start to end of the text of a block. `within` are the spans to mark, in order, if not all of it."""

    block: int
    start: int
    end: int
    within: tuple[tuple[int, int], ...] = ()

    @property
    def marks(self) -> tuple[tuple[int, int], ...]:
        """The spans to mark."""
        return self.within or ((self.start, self.end),)


def find_excerpt(chunks: Sequence[Chunk], excerpt: str, *, headings: Sequence[str], position: int) -> TextSpan | None:
    """The span of an excerpt in these chunks (all of a document, in order). White space is ignored.

    A chunk that equals the excerpt is preferred to a section that contains it, then the same headings, then the
    nearest position. None if the excerpt is not found.
    """
    wanted = excerpt.split()
    places: list[tuple[tuple[bool, bool, int], TextSpan]] = []
    for number, members in groupby(chunks, key=lambda chunk: chunk.block):
        group = list(members)
        elsewhere = list(group[0].heading_path) != list(headings)
        start = 0
        for chunk in group:
            end = start + len(chunk.text)
            if wanted and chunk.text.split() == wanted:
                places.append(((False, elsewhere, abs(chunk.position - position)), TextSpan(number, start, end)))
            start = end
        if span := find_span(excerpt, "".join(chunk.text for chunk in group)):
            places.append(((True, elsewhere, abs(group[0].position - position)), TextSpan(number, *span)))
    return min(places, key=lambda place: place[0])[1] if places else None


def find_section(chunks: Sequence[Chunk], headings: Sequence[str], *, position: int) -> TextSpan | None:
    """The start of the block under these headings that is nearest to a position; None if there is none."""
    under = [chunk for chunk in chunks if list(chunk.heading_path) == list(headings)]
    nearest = min(under, key=lambda chunk: abs(chunk.position - position), default=None)
    return TextSpan(nearest.block, 0, 0) if nearest else None


def block_text(chunks: Sequence[Chunk], block: int) -> str:
    """The text of a block of these chunks (all of a document, in order)."""
    return "".join(chunk.text for chunk in chunks if chunk.block == block)


def find_span(excerpt: str, text: str) -> tuple[int, int] | None:
    """The span, in characters, of the first occurrence of an excerpt in a text. White space is ignored."""
    words = excerpt.split()
    if not words:
        return None
    before = r"(?<!\w)" if words[0][0].isalnum() else ""
    after = r"(?!\w)" if words[-1][-1].isalnum() else ""
    found = re.search(before + r"\s+".join(map(re.escape, words)) + after, text)
    return found.span() if found else None


def blocks_around(chunks: Sequence[Chunk], place: TextSpan | None, *, info: Version, mark: bool = True) -> list[Block]:
    """The blocks of the part that contains a span, which is marked if `mark`. Without a span the first part."""
    part = place.block // BLOCKS_PER_PART if place else 0
    shown = [chunk for chunk in chunks if chunk.block // BLOCKS_PER_PART == part]
    return list(_blocks(shown, place if mark else None, info))


def file_info(document: Document) -> Version:
    """The version that answers. An empty one before the first is indexed."""
    found: Version | None = document.versions.filter(number=document.answering_version).first()
    return found or document.versions.model()


def read_part(
    document: Document, *, passage: int | None = None, part: int = 1, words: re.Pattern[str] | None = None
) -> ReadingPage:
    """The part that contains the chunk at position `passage`, or else part number `part`, from 1.

    A part number out of range becomes the nearest one. Without a passage the matches of `words` are marked. A document
    without chunks has one part without blocks.
    """
    chunks = document.chunks.order_by("position")
    last = chunks.values_list("block", flat=True).last()
    parts = last // BLOCKS_PER_PART + 1 if last is not None else 1
    found = chunks.filter(position=passage).first() if passage is not None else None
    part = found.block // BLOCKS_PER_PART + 1 if found else min(max(part, 1), parts)
    shown = list(chunks.filter(block__gte=(part - 1) * BLOCKS_PER_PART, block__lt=part * BLOCKS_PER_PART))
    place = _place(shown, found) if found else None
    blocks = _blocks(shown, place, file_info(document), words if place is None else None)
    return ReadingPage(list(blocks), part, parts)


def read_place(document: Document, *, page: int | None, block: int) -> tuple[list[Block], str]:
    """The blocks of a page, or the block of this number, as HTML and as the text that is stored."""
    chunks = list(document.chunks.filter(**({"page": page} if page else {"block": block})).order_by("position"))
    return list(_blocks(chunks, None, file_info(document))), "".join(chunk.text for chunk in chunks)


def contents(document: Document) -> list[ContentsEntry]:
    """The table of contents in reading order. Headings that are repeated on the next page count once."""
    found: list[ContentsEntry] = []
    open_path: tuple[str, ...] = ()
    rows = document.chunks.order_by("position").values_list("block", "heading_path")
    for block, headings in rows:
        path = tuple(headings)
        new = new_headings(path, open_path)
        for level, title in enumerate(new, start=len(path) - len(new) + 1):
            found.append(ContentsEntry(title, min(level, 4), block, block // BLOCKS_PER_PART + 1))
        open_path = path
    return found


def new_headings(path: Sequence[H], before: Sequence[H]) -> Sequence[H]:
    """The headings of a path that are not in the path before."""
    same = takewhile(lambda pair: pair[0] == pair[1], zip(path, before, strict=False))
    return path[sum(1 for _ in same) :]


def _blocks(
    chunks: Sequence[Chunk], place: TextSpan | None, info: Version, words: re.Pattern[str] | None = None
) -> Iterator[Block]:
    drawn = has_pages(info)
    before: tuple[str, ...] | None = None
    page_before: int | None = None
    file_before = ""
    tables = 0
    for number, members in groupby(chunks, key=lambda chunk: chunk.block):
        group = list(members)
        text = "".join(chunk.text for chunk in group)  # each with the white space that follows it
        marked = place.marks if place and place.block == number else ()
        seen = [match.span() for match in islice(words.finditer(text), 100)] if words else []
        html = render_marked(text, marked or seen, anchor=bool(marked), tables_before=tables)
        path = tuple(group[0].heading_path)
        first, last = group[0].line_start, group[-1].line_end
        starts_section = path != before or group[0].file_path != file_before
        yield Block(
            number=number,
            heading_path=path,
            starts_section=starts_section,
            starts_page=group[0].page != page_before,
            page=group[0].page,
            page_label=info.label_of_page(group[0].page),
            lines=(first, last) if first is not None and last is not None else None,
            html=html,
            found=bool(marked),
            media_type=info.media_type,
            file_path=group[0].file_path,
            label=group[0].label,
            is_recognised=group[0].page in info.recognised_pages,
            position=_position(group, marked),
            is_drawn=drawn and group[0].page is not None,
        )
        before, page_before, file_before = path, group[0].page, group[0].file_path
        tables += html.count("<table>")


def _position(group: Sequence[Chunk], marked: Sequence[tuple[int, int]]) -> int:
    """The position of the chunk in which the first mark begins; of the first one without marks."""
    start = 0
    for chunk in group if marked else ():
        start += len(chunk.text)
        if marked[0][0] < start:
            return int(chunk.position)
    return int(group[0].position)


def _place(chunks: Sequence[Chunk], passage: Chunk) -> TextSpan:
    """The span of a chunk in the text of its block."""
    same = [chunk for chunk in chunks if chunk.block == passage.block]
    start = sum(len(chunk.text) for chunk in same if chunk.position < passage.position)
    return TextSpan(passage.block, start, start + len(passage.text))
