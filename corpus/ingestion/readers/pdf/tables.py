"""Finds the tables of a page of PDFium, if anything hints at one: drawn lines, or several texts at one height.

Without a hint no letter is measured, so a page of running text costs hardly more than its text.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from corpus.ingestion.readers.pdf.aligned_tables import aligned_tables
from corpus.ingestion.readers.pdf.cells import PlacedTable
from corpus.ingestion.readers.pdf.glyphs import is_bold, page_glyphs, quarter_turn
from corpus.ingestion.readers.pdf.ruled_tables import ruled_tables
from corpus.ingestion.readers.pdf.rules import Rules, has_paths, page_rules

if TYPE_CHECKING:
    from pypdfium2 import PdfPage, PdfTextPage

MOST_GLYPHS = 30_000
"""Letters of a page with more are not measured: no page of a school's file has as many."""
_GAP = 1.0  # times the size, between words of two columns
_LEAST_GAPS = 3  # lines
_SHORT = 30  # characters of a line that may be a cell; those of running text in two columns are longer
_LEAST_RULES = 2  # horizontal ones


def tables_on(page: PdfPage, textpage: PdfTextPage, text: str, spans: Sequence[tuple[int, int]]) -> list[PlacedTable]:
    """The tables of a page in the order in which they were drawn. `text` and `spans` are its characters and lines."""
    width, height = page.get_size()
    rotation = page.get_rotation()
    turn = quarter_turn(rotation, *((height, width) if rotation % 180 else (width, height)))
    rules = page_rules(page, turn) if has_paths(page) else Rules()
    ruled = len(rules.horizontal) >= _LEAST_RULES
    aligned = _has_gaps(textpage, text, spans, rotation)
    if not (ruled or aligned) or len(text) > MOST_GLYPHS:
        return []
    glyphs = page_glyphs(textpage, text, rotation, turn)
    found = list(ruled_tables(rules, glyphs)) if ruled else []
    if aligned:
        taken = frozenset().union(*(table.glyphs for table in found))
        rest = [glyph for glyph in glyphs if glyph.index not in taken]
        bold = frozenset(glyph.index for glyph in rest if is_bold(textpage, glyph.index))
        found += aligned_tables(rest, bold)
    return sorted(found, key=lambda table: min(table.glyphs))


def _has_gaps(textpage: PdfTextPage, text: str, spans: Sequence[tuple[int, int]], rotation: int) -> bool:
    """Whether several lines have a wide gap, or short ones that were not drawn together stand at one height."""
    from pypdfium2 import raw

    one, other = raw.FS_RECTF(), raw.FS_RECTF()
    box = raw.FPDFText_GetLooseCharBox

    def is_gap(before: int, after: int) -> bool:
        if not box(textpage, before, one) or not box(textpage, after, other):
            return False
        if rotation % 180:
            size, apart = one.right - one.left, max(other.bottom - one.top, one.bottom - other.top)
            return bool(apart > _GAP * size and abs(one.left - other.left) < size / 2)
        size, apart = one.top - one.bottom, other.left - one.right
        return bool(apart > _GAP * size and abs(one.bottom - other.bottom) < size / 2)

    found, last = 0, -1
    heights: set[int] = set()
    for start, stop in spans:
        inner = (index for index in range(start + 1, stop - 1) if text[index] == " ")
        gap = (last >= 0 and is_gap(last, start)) or any(is_gap(index - 1, index + 1) for index in inner)
        if not gap and stop - start <= _SHORT and box(textpage, start, one):
            height = round(one.left if rotation % 180 else one.bottom)
            gap = height in heights
            heights.add(height)
        found += gap
        if found >= _LEAST_GAPS:
            return True
        last = stop - 1
    return False
