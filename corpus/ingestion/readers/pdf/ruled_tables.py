"""Tables whose cells or rows are separated by drawn lines. Pure."""

from __future__ import annotations

from bisect import bisect
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import pairwise

from corpus.ingestion.readers.pdf.cells import (
    AMOUNT,
    Cell,
    PdfTable,
    PlacedTable,
    Row,
    cell_text,
    drop_empty,
    is_numbered,
)
from corpus.ingestion.readers.pdf.glyphs import Glyph, text_lines
from corpus.ingestion.readers.pdf.rules import Rule, Rules

_TOUCH = 3.0  # points between lines that meet
_SAME = 3.0  # points between two lines that are one border
_MAX_LINES = 600  # a page with more joined lines is a drawing
_MAX_CELLS = 5_000
_MAX_REPEATED = 120  # letters of a cell
_MAX_CELL_LENGTH = 1500  # characters; with more the lines are a frame around text
_MIN_FILLED = 0.2  # of the cells; with less the lines are a diagram's
_FEW_BANDS = 3  # with more, each band between lines is a row

Grid = tuple[list[Rule], list[Rule]]  # horizontal and vertical lines that touch


def grid_tables(rules: Rules, glyphs: Sequence[Glyph]) -> Iterator[PlacedTable]:
    """The tables that drawn lines make which touch each other, or rows of colour."""
    if len(rules.horizontal) + len(rules.vertical) > _MAX_LINES:
        return
    for horizontal, vertical in _with_stripes(list(_grids(rules)), glyphs):
        if found := _grid_table(horizontal, vertical, glyphs):
            yield found


def _grids(rules: Rules) -> Iterator[Grid]:
    """Sets of lines that touch each other, and horizontal lines that touch nothing."""
    parents = list(range(len(rules.horizontal) + len(rules.vertical)))
    for one, flat in enumerate(rules.horizontal):
        for other, upright in enumerate(rules.vertical, start=len(rules.horizontal)):
            if _covers(flat, upright.at) and _covers(upright, flat.at):
                parents[_root(parents, one)] = _root(parents, other)
    grids: dict[int, Grid] = defaultdict(lambda: ([], []))
    for number, rule in enumerate([*rules.horizontal, *rules.vertical]):
        grids[_root(parents, number)][number >= len(rules.horizontal)].append(rule)
    yield from grids.values()


def _with_stripes(grids: Sequence[Grid], glyphs: Sequence[Glyph]) -> Iterator[Grid]:
    """The grids; rows of colour with the same columns are one, with the rows between, above and below them."""
    stripes: dict[tuple[int, ...], list[Grid]] = defaultdict(list)
    for grid in grids:
        alike = tuple(round(rule.at / _SAME) for rule in grid[1]) if len(grid[0]) == 2 and len(grid[1]) > 2 else ()
        stripes[alike].append(grid)
    yield from stripes.pop((), [])
    for group in stripes.values():
        ys = sorted(rule.at for horizontal, _ in group for rule in horizontal)
        gaps = {round(above - below) for below, above in pairwise(ys)}
        if len(group) < 2 or max(gaps) > 2 * min(gaps):
            yield from group
            continue
        columns, height = group[0][1], ys[1] - ys[0]
        above = [ys[-1] + height] if _is_row(columns, glyphs, ys[-1], ys[-1] + height) else []
        below = [ys[0] - height] if _is_row(columns, glyphs, ys[0] - height, ys[0]) else []
        ys = below + ys + above
        ends = columns[0].at, columns[-1].at
        yield [Rule(y, *ends) for y in ys], [Rule(rule.at, ys[0], ys[-1]) for rule in columns]


def _is_row(columns: Sequence[Rule], glyphs: Sequence[Glyph], low: float, high: float) -> bool:
    """Whether the words between two heights stand in several of these columns and cross no border."""
    borders = [rule.at for rule in columns]
    lines = text_lines([glyph for glyph in glyphs if low < glyph.y < high and borders[0] < glyph.x < borders[-1]])
    words = [(bisect(borders, word.left + 1), bisect(borders, word.right - 1)) for line in lines for word in line.words]
    return len(set(words)) > 1 and all(first == last for first, last in words)


def _root(parents: list[int], number: int) -> int:
    while parents[number] != number:
        parents[number] = parents[parents[number]]
        number = parents[number]
    return number


def _covers(rule: Rule, at: float) -> bool:
    return rule.start - _TOUCH <= at <= rule.stop + _TOUCH


def _grid_table(horizontal: Sequence[Rule], vertical: Sequence[Rule], glyphs: Sequence[Glyph]) -> PlacedTable | None:
    """The table of a grid with at least one line between two columns."""
    if not horizontal or not vertical:
        return None
    ends = [end for rule in horizontal for end in (rule.start, rule.stop)]
    sides = [end for rule in vertical for end in (rule.start, rule.stop)]
    xs = _borders([min(ends), max(ends), *(rule.at for rule in vertical)])
    ys = _borders([min(sides), max(sides), *(rule.at for rule in horizontal)])[::-1]
    inside = [glyph for glyph in glyphs if xs[0] < glyph.x < xs[-1] and ys[-1] < glyph.y < ys[0]]
    if len(xs) < 3 or len(ys) < 2 or len(xs) * len(ys) > _MAX_CELLS or not inside:
        return None
    if sum(glyph.turns == 0 for glyph in inside) < len(inside) / 2:
        return None  # it stands sideways
    caption, rows = _grid_rows(xs, ys, horizontal, vertical, inside)
    return place_table(rows, inside, caption=caption, left=xs[0], right=xs[-1])


def _borders(places: Iterable[float]) -> list[float]:
    """The places in order; those within `_SAME` are one."""
    found: list[float] = []
    for place in sorted(places):
        if not found or place - found[-1] > _SAME:
            found.append(place)
    return found


def _grid_rows(
    xs: Sequence[float], ys: Sequence[float], horizontal: Sequence[Rule], vertical: Sequence[Rule], inside: list[Glyph]
) -> tuple[Cell, list[Row]]:
    """The caption, and the rows. A cell over several columns is followed by empty ones, as in Word files."""
    columns, bands = len(xs) - 1, len(ys) - 1
    parents = list(range(columns * bands))
    rising = ys[::-1]
    for band in range(bands):
        y = (ys[band] + ys[band + 1]) / 2
        for column in range(columns):
            x, own = (xs[column] + xs[column + 1]) / 2, band * columns + column
            if column + 1 < columns and not _drawn(vertical, xs[column + 1], y):
                _join(parents, own, own + 1)
            if band + 1 < bands and not _drawn(horizontal, ys[band + 1], x):
                _join(parents, own, own + columns)
    cells: dict[int, list[Glyph]] = defaultdict(list)
    for glyph in inside:
        column, band = bisect(xs, glyph.x) - 1, bands - bisect(rising, glyph.y)
        cells[_root(parents, band * columns + column)].append(glyph)
    caption: Cell = ()
    if bands > 2 and columns > 1 and all(_root(parents, column) == 0 for column in range(columns)):
        caption = cell_text(cells.pop(0, []))
    rows = [
        row
        for band in range(bands)
        for row in _band_rows([_repeated(cells, parents, band, columns, column) for column in range(columns)], bands)
    ]
    spans = {column for column in range(1, columns) if _root(parents, column) != column}
    if not caption and spans and bands > 2:
        rows = _two_headers(rows, [_root(parents, column) for column in range(columns)])
    return caption, rows


def _repeated(
    cells: Mapping[int, list[Glyph]], parents: list[int], band: int, columns: int, column: int
) -> Sequence[Glyph]:
    """The letters of a place. A short cell over several rows is repeated in each, in its first column."""
    own = band * columns + column
    root = _root(parents, own)
    letters = cells.get(root, [])
    return letters if root == own or (root % columns == column and len(letters) <= _MAX_REPEATED) else []


def _join(parents: list[int], one: int, other: int) -> None:
    """Make both one cell, named after its first place."""
    first, second = sorted((_root(parents, one), _root(parents, other)))
    parents[second] = first


def _drawn(rules: Sequence[Rule], at: float, across: float) -> bool:
    return any(abs(rule.at - at) <= _SAME and rule.start - 1 <= across <= rule.stop + 1 for rule in rules)


def _band_rows(cells: Sequence[Sequence[Glyph]], bands: int) -> Iterator[Row]:
    """The rows between two horizontal lines: several, where few lines are drawn and each has text in its cells."""
    lines = [text_lines(cell) for cell in cells]
    most = max(map(len, lines), default=0)
    turned = any(glyph.turns for cell in cells for glyph in cell)
    if bands > _FEW_BANDS or most < 3 or turned or sum(len(own) == most for own in lines) < 2:
        yield tuple(cell_text(cell) for cell in cells)
        return
    for line in text_lines([glyph for cell in cells for glyph in cell]):
        members = {glyph.index for glyph in line.glyphs}
        yield tuple(cell_text([glyph for glyph in cell if glyph.index in members]) for cell in cells)


def _two_headers(rows: list[Row], roots: Sequence[int]) -> list[Row]:
    """The rows with a header over several columns joined to the names below it."""
    first, second, *others = rows
    if not others or not all(second[column] or first[column] for column in range(len(first))):
        return rows
    pairs = ((first[root], second[column]) for column, root in enumerate(roots))
    names = tuple(above if above == below else above + below for above, below in pairs)
    return [names, *others]


def place_table(
    rows: Sequence[Row], glyphs: Sequence[Glyph], *, left: float, right: float, caption: Cell = ()
) -> PlacedTable | None:
    """The table of these rows. None if it is no table but a frame around text, a form or a diagram."""
    cells = [cell for row in rows for cell in row]
    filled = sum(map(bool, cells))
    kept = drop_empty(rows)
    if len(kept) < 2 or len(kept[0]) < 2 or filled < max(3, _MIN_FILLED * len(cells)):
        return None
    if max(sum(map(len, cell)) for cell in cells) > _MAX_CELL_LENGTH:
        return None
    named = not all(AMOUNT.fullmatch(" ".join(cell)) for cell in kept[0]) or is_numbered(kept)
    table = PdfTable(kept, has_header=named, left=left, right=right, caption=caption)
    return PlacedTable(table, frozenset(glyph.index for glyph in glyphs))
