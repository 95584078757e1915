"""Finds the tables of a page of PDFium, if anything hints at one: drawn lines, or several texts at one height.

Without a hint no letter is measured, so a page of running text costs hardly more than its text.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from itertools import pairwise

from corpus.ingestion.readers.pdf.aligned_tables import aligned_tables
from corpus.ingestion.readers.pdf.cells import PlacedTable
from corpus.ingestion.readers.pdf.glyphs import Glyph, is_bold, page_glyphs
from corpus.ingestion.readers.pdf.letters import PageLetters, Span
from corpus.ingestion.readers.pdf.ruled_tables import grid_tables
from corpus.ingestion.readers.pdf.rules import Rules

MAX_GLYPHS = 30_000
"""Letters of a page with more are not measured: no page of a school's file has as many."""
_GAP = 1.0  # times the size, between words of two columns
_SPACE = re.compile(" ")
_MIN_GAPS = 3  # lines
_COLUMN, _AROUND = 8, 3  # times the size; lines before and after, since a header may be drawn last
_SHORT = 30  # characters of a line that may be a cell; those of running text in two columns are longer
_MIN_RULES = 2  # horizontal ones, or as many vertical ones of a table that stands sideways
_MIN_TURNED = 6  # letters


def measure_glyphs(page: PageLetters, spans: Sequence[Span], rules: Rules, rotation: int) -> tuple[list[Glyph], bool]:
    """The letters with their places, and whether several texts stand at one height. None without a hint at a table."""
    ruled = len(rules.horizontal) >= _MIN_RULES or len(rules.vertical) >= _MIN_RULES
    turned = len({span.turns for span in spans}) > 1
    aligned = _has_gaps(page, spans, rotation) or _jumps_back(spans) or turned
    if not (ruled or aligned) or len(page.text) > MAX_GLYPHS:
        return [], False
    return page_glyphs(page, rotation), aligned


def tables_on(page: PageLetters, rules: Rules, glyphs: Sequence[Glyph], aligned: bool) -> list[PlacedTable]:
    """The tables that these letters make, in the order in which they were drawn; those that stand sideways, too."""
    found: list[PlacedTable] = []
    for turns, count in sorted(Counter(glyph.turns for glyph in glyphs).items()):
        if turns and count < _MIN_TURNED:
            continue
        taken = frozenset().union(*(table.glyphs for table in found))
        rest = [glyph.turned(turns) for glyph in glyphs if glyph.index not in taken]
        turned = rules.turned(turns)
        if len(turned.horizontal) >= _MIN_RULES:
            found += grid_tables(turned, rest)
        if aligned or turns:
            taken = frozenset().union(*(table.glyphs for table in found))
            rest = [glyph for glyph in rest if glyph.index not in taken]
            bold = frozenset(glyph.index for glyph in rest if is_bold(page, glyph.index))
            found += aligned_tables(rest, bold)
    return sorted(found, key=lambda table: min(table.glyphs))


def _jumps_back(spans: Sequence[Span]) -> bool:
    """Whether the order goes from a line up and to the left, and on from there: its columns may be drawn backwards."""
    return any(
        below.y > above.y + 2 * above.size and below.left < above.left - _COLUMN * above.size
        for above, below in pairwise(spans[_AROUND:-_AROUND])
    )


def _has_gaps(page: PageLetters, spans: Sequence[Span], rotation: int) -> bool:
    """Whether several lines have a wide gap, or short ones that were not drawn together stand at one height."""
    from pypdfium2 import raw

    textpage, text = page.page, page.text
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
    for span in spans:
        start, stop = span.start, span.stop
        inner = (match.start() for match in _SPACE.finditer(text, start + 1, stop - 1))
        gap = (last >= 0 and is_gap(last, start)) or any(is_gap(index - 1, index + 1) for index in inner)
        if not gap and stop - start <= _SHORT and box(textpage, start, one):
            height = round(one.left if rotation % 180 else one.bottom)
            gap = height in heights
            heights.add(height)
        found += gap
        if found >= _MIN_GAPS:
            return True
        last = stop - 1
    return False
