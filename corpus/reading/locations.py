"""Where a passage stands in its document, in the words of its format: chapters, pages, slides, sheets and rows, lines.
Pure."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Protocol

from corpus.ingestion.readers.structure import CSV, PPTX, XLSX

_ROWS = re.compile(
    r"Rows? \d+(?:–\d+)?"
)  # what a part of a long table is headed: see corpus.ingestion.readers.rows


class HasLocation(Protocol):
    """What says where it stands, such as a passage."""

    @property
    def heading_path(self) -> Sequence[str]: ...
    @property
    def page(self) -> int | None: ...
    @property
    def lines(self) -> tuple[int, int] | None: ...
    @property
    def media_type(self) -> str: ...
    @property
    def file_path(self) -> str: ...
    @property
    def label(self) -> str: ...


def location_of(placed: HasLocation) -> str:
    """`where` of something that knows it all."""
    return location(
        placed.heading_path,
        page=placed.page,
        lines=placed.lines,
        media_type=placed.media_type,
        file_path=placed.file_path,
        label=placed.label,
    )


def location(
    headings: Sequence[str],
    *,
    page: int | None,
    lines: tuple[int, int] | None,
    media_type: str,
    file_path: str = "",
    label: str = "",
) -> str:
    """As in “Acids › Titration · page 3”, “Titration · slide 3”, “Sheet “Marks” · rows 2–21”, “Timing · lines 3–5”, and
    in a textbook “Module 1, Chapter 1, Section 2 · Motion › Speed › Average speed · motion.md, lines 3–5”."""
    leaf = "slide" if media_type == PPTX else "page"
    if media_type in (XLSX, CSV):
        return " · ".join(_of_table(headings, media_type))
    parts = [label] if label else []
    if named := [words for heading in headings if (words := _unnumbered(heading, label))]:
        parts.append(" › ".join(named))
    if page and not (headings and headings[-1] == f"{leaf.capitalize()} {page}"):  # a slide without a title
        parts.append(f"{leaf} {page}")
    elif lines and not page:
        first, last = lines
        there = f"line {first}" if first == last else f"lines {first}–{last}"
        parts.append(f"{file_path}, {there}" if file_path else there)
    return " · ".join(parts)


def _unnumbered(heading: str, label: str) -> str:
    """A heading without what the label says: beside “Module 1”, “Module 1: Motion” is “Motion”, “Module 1” nothing."""
    for part in label.split(", ") if label else ():
        rest = heading[len(part) :]
        if heading[: len(part)].lower() == part.lower() and not rest[:1].strip(".:–—- "):
            words = rest.lstrip(".:–—- ")
            return (
                heading if words[:1].isdigit() else words
            )  # “Section 1.1” beside “Section 1” stays as it is
    return heading


def _of_table(headings: Sequence[str], media_type: str) -> list[str]:
    rows = [heading for heading in headings if _ROWS.fullmatch(heading)][-1:]
    sheet = [heading for heading in headings if heading not in rows]
    named = [f"Sheet “{' › '.join(sheet)}”"] if sheet and media_type == XLSX else sheet
    return [*named, *(text.lower() if named else text for text in rows)]
