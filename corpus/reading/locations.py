"""The location of a passage in words: chapters, pages, slides, sheets and rows, or lines. Pure."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Protocol

from corpus.ingestion.readers.structure import CSV, ODP, ODS, PPTX, XLSX

_ROWS = re.compile(r"Rows? \d+(?:–\d+)?")  # the heading of a part of a long table: see readers.rows


class HasLocation(Protocol):
    """Something with a location, such as a passage."""

    @property
    def heading_path(self) -> Sequence[str]: ...
    @property
    def page(self) -> int | None: ...
    @property
    def page_label(self) -> str: ...
    @property
    def lines(self) -> tuple[int, int] | None: ...
    @property
    def media_type(self) -> str: ...
    @property
    def file_path(self) -> str: ...
    @property
    def label(self) -> str: ...


def describe_location(placed: HasLocation) -> str:
    """The `location` of a passage or the like."""
    return format_location(
        placed.heading_path,
        page=placed.page,
        page_label=placed.page_label,
        lines=placed.lines,
        media_type=placed.media_type,
        file_path=placed.file_path,
        label=placed.label,
    )


def name_page(media_type: str) -> str:
    """What a page of such a file is called."""
    return "slide" if media_type in (PPTX, ODP) else "page"


def format_location(
    headings: Sequence[str],
    *,
    page: int | None,
    lines: tuple[int, int] | None,
    media_type: str,
    file_path: str = "",
    label: str = "",
    page_label: str = "",
) -> str:
    """A location in words, such as “Acids › Titration · page 3”, “Sheet “Marks” · rows 2–21”, “Timing · lines 3–5”.

    A page is named by its printed number, if that is another one.

    In a textbook: “Motion › Speed › Average speed · Module 1, Chapter 1, Section 2 · motion.md, lines 3–5”.
    """
    leaf = name_page(media_type)
    if media_type in (XLSX, ODS, CSV):
        return " · ".join(_of_table(headings, media_type))
    named = [words for heading in headings if (words := _unnumbered(heading, label))]
    parts = [part for part in (" › ".join(named), label) if part]
    if page and not (headings and headings[-1] == f"{leaf.capitalize()} {page}"):  # a slide without a title
        parts.append(f"{leaf} {page_label or page}")
    elif lines and not page:
        first, last = lines
        there = f"line {first}" if first == last else f"lines {first}–{last}"
        parts.append(f"{file_path}, {there}" if file_path else there)
    return " · ".join(parts)


def _unnumbered(heading: str, label: str) -> str:
    """A heading without its number in the label: with “Module 1”, “Module 1: Motion” is “Motion” and “Module 1” ""."""
    for part in label.split(", ") if label else ():
        rest = heading[len(part) :]
        if heading[: len(part)].lower() == part.lower() and not rest[:1].strip(".:–—- "):
            words = rest.lstrip(".:–—- ")
            return heading if words[:1].isdigit() else words  # “Section 1.1” is not “Section 1”
    return heading


def _of_table(headings: Sequence[str], media_type: str) -> list[str]:
    rows = [heading for heading in headings if _ROWS.fullmatch(heading)][-1:]
    sheet = [heading for heading in headings if heading not in rows]
    named = [f"Sheet “{' › '.join(sheet)}”"] if sheet and media_type != CSV else sheet
    return [*named, *(text.lower() if named else text for text in rows)]
