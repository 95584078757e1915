"""A document's text as people read it: block after block under its headings, the passage one came for marked."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Any

from django.utils.safestring import SafeString

from corpus.models import Chunk, Document
from corpus.rendering import render_markdown, render_passage

PART = 60
"""Blocks on one page of the reading view: some 40 to 60 pages of a book."""


@dataclass(frozen=True)
class Block:
    """A section of a document, or a part of a long one, as HTML."""

    number: int
    heading_path: tuple[str, ...]
    opens: bool  # whether its headings differ from those of the block before
    turns: bool  # whether it begins a new page
    page: int | None
    lines: tuple[int, int] | None
    html: SafeString
    found: bool  # whether the passage one came for stands in it

    @property
    def heading(self) -> str:
        return self.heading_path[-1] if self.heading_path else ""

    @property
    def place(self) -> str:
        """Where it stands: the headings above its own, and its page or lines."""
        place = [" › ".join(self.heading_path[:-1])] if self.opens else []
        if self.page:
            place.append(f"page {self.page}")
        elif self.lines:
            first, last = self.lines
            place.append(f"line {first}" if first == last else f"lines {first} to {last}")
        return " · ".join(filter(None, place))


@dataclass(frozen=True)
class Heading:
    """An entry of the list of contents: where a section begins."""

    title: str
    level: int  # 1 to 4
    block: int
    part: int


@dataclass(frozen=True)
class Reading:
    """One page of the reading view."""

    blocks: list[Block]
    part: int
    parts: int

    @property
    def before(self) -> int | None:
        return self.part - 1 if self.part > 1 else None

    @property
    def after(self) -> int | None:
        return self.part + 1 if self.part < self.parts else None


def read(document: Document, *, passage: int | None = None, part: int = 1) -> Reading:
    """The part of the text in which chunk number `passage` stands, else part number `part`, from 1, as far as there is.

    Without chunks there are no blocks and one part.
    """
    chunks = document.chunks.order_by("position")
    last = chunks.values_list("block", flat=True).last()
    parts = last // PART + 1 if last is not None else 1
    found = chunks.filter(position=passage).first() if passage is not None else None
    part = found.block // PART + 1 if found else min(max(part, 1), parts)
    shown = list(chunks.filter(block__gte=(part - 1) * PART, block__lt=part * PART))
    return Reading(list(_blocks(shown, found.position if found else None)), part, parts)


def blocks(document: Document, *, passage: int | None = None, part: int = 1) -> list[Block]:
    """The blocks of `read`, for pages that show one part only."""
    return read(document, passage=passage, part=part).blocks


def contents(document: Document) -> list[Heading]:
    """Where each section begins, in reading order; headings repeated on the next page count once."""
    found: list[Heading] = []
    open_path: tuple[str, ...] = ()
    rows = document.chunks.order_by("position").values_list("block", "heading_path")
    for block, headings in rows:
        path = tuple(headings)
        shared = next(
            (i for i, (a, b) in enumerate(zip(path, open_path, strict=False)) if a != b),
            min(len(path), len(open_path)),
        )
        for level, title in enumerate(path[shared:], start=shared + 1):
            found.append(Heading(title, min(level, 4), block, block // PART + 1))
        open_path = path
    return found


def _blocks(chunks: Sequence[Any], passage: int | None) -> Iterator[Block]:
    before: tuple[str, ...] | None = None
    page_before: int | None = None
    for number, members in groupby(chunks, key=lambda chunk: chunk.block):
        group = list(members)
        text = "".join(chunk.text for chunk in group)  # each with the white space that follows it
        marked = _span(group, passage)
        path = tuple(group[0].heading_path)
        first, last = group[0].line_start, group[-1].line_end
        yield Block(
            number=number,
            heading_path=path,
            opens=path != before,
            turns=group[0].page != page_before,
            page=group[0].page,
            lines=(first, last) if first is not None and last is not None else None,
            html=render_passage(text, *marked) if marked else render_markdown(text),
            found=marked is not None,
        )
        before, page_before = path, group[0].page


def _span(chunks: Sequence[Chunk], position: int | None) -> tuple[int, int] | None:
    """Where the chunk at this position stands in the text that these make up together."""
    start = 0
    for chunk in chunks:
        if chunk.position == position:
            return start, start + len(chunk.text)
        start += len(chunk.text)
    return None
