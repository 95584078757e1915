"""Where a passage stands in its document, in the words of its format: pages, slides, sheets and rows, lines. Pure."""

from __future__ import annotations

import re
from collections.abc import Sequence

from corpus.readers.structure import CSV, PPTX, XLSX

_ROWS = re.compile(r"Rows? \d+(?:–\d+)?")  # what a part of a long table is headed: see corpus.readers.rows


def where(
    headings: Sequence[str], *, page: int | None, lines: tuple[int, int] | None, media_type: str
) -> str:
    """As in “Acids › Titration · page 3”, “Titration · slide 3”, “Sheet “Marks” · rows 2–21”, “Timing · lines 3–5”."""
    leaf = "slide" if media_type == PPTX else "page"
    if media_type in (XLSX, CSV):
        return " · ".join(_of_table(headings, media_type))
    parts = [" › ".join(headings)] if headings else []
    if page and not (headings and headings[-1] == f"{leaf.capitalize()} {page}"):  # a slide without a title
        parts.append(f"{leaf} {page}")
    elif lines and not page:
        first, last = lines
        parts.append(f"line {first}" if first == last else f"lines {first}–{last}")
    return " · ".join(parts)


def _of_table(headings: Sequence[str], media_type: str) -> list[str]:
    rows = [heading for heading in headings if _ROWS.fullmatch(heading)][-1:]
    sheet = [heading for heading in headings if heading not in rows]
    named = [f"Sheet “{' › '.join(sheet)}”"] if sheet and media_type == XLSX else sheet
    return [*named, *(text.lower() if named else text for text in rows)]
