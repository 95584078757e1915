"""Tables whose cells or rows are separated by drawn lines. Pure."""

from __future__ import annotations

from bisect import bisect
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import pairwise, product

from corpus.ingestion.readers.pdf.page_objects import SAME, Rule, Rules
from corpus.ingestion.readers.pdf.words import Cell, PdfTable, Row, Word, cell_text, place_table, text_lines
from corpus.ingestion.readers.structure import group_while

_MAX_LINES, _MAX_CELLS = 600, 5_000  # a page with more joined lines is a drawing
_MAX_REPEATED, _FEW_BANDS = 120, 3  # letters of a cell; with more bands between lines, each is a row

Grid = tuple[list[Rule], list[Rule]]  # horizontal and vertical lines that touch


def grid_tables(rules: Rules, words: Sequence[Word]) -> Iterator[PdfTable]:
    """The tables that drawn lines make which touch each other, or rows of colour."""
    if len(rules.horizontal) + len(rules.vertical) > _MAX_LINES:
        return
    for horizontal, vertical in _with_stripes(_grids(rules), words):
        if found := _grid_table(horizontal, vertical, words):
            yield found


def _grids(rules: Rules) -> list[Grid]:
    """Sets of lines that touch each other."""
    grids: list[Grid] = [([rule], []) for rule in rules.horizontal]
    for upright in rules.vertical:
        joined: Grid = ([], [upright])
        others = []
        for grid in grids:
            if any(_covers(flat, upright.at) and _covers(upright, flat.at) for flat in grid[0]):
                joined = (joined[0] + grid[0], grid[1] + joined[1])
            else:
                others.append(grid)
        grids = [*others, joined]
    return grids


def _covers(rule: Rule, at: float) -> bool:
    return rule.start - SAME <= at <= rule.stop + SAME


def _with_stripes(grids: Sequence[Grid], words: Sequence[Word]) -> Iterator[Grid]:
    """The grids; rows of colour with the same columns are one, with the rows between, above and below them."""
    stripes: dict[tuple[int, ...], list[Grid]] = defaultdict(list)
    for horizontal, vertical in grids:
        is_row = len(horizontal) == 2 and len(vertical) > 2
        stripes[tuple(sorted(round(rule.at / SAME) for rule in vertical)) if is_row else ()].append(
            (horizontal, sorted(vertical))
        )
    yield from stripes.pop((), [])
    for group in stripes.values():
        ys = sorted(rule.at for horizontal, _ in group for rule in horizontal)
        gaps = {round(above - below) for below, above in pairwise(ys)}
        if len(group) < 2 or max(gaps) > 2 * min(gaps):
            yield from group
            continue
        columns, height = group[0][1], ys[1] - ys[0]
        above = [ys[-1] + height] if _is_row(columns, words, ys[-1], ys[-1] + height) else []
        below = [ys[0] - height] if _is_row(columns, words, ys[0] - height, ys[0]) else []
        ys = below + ys + above
        ends = columns[0].at, columns[-1].at
        yield [Rule(y, *ends) for y in ys], [Rule(rule.at, ys[0], ys[-1]) for rule in columns]


def _is_row(columns: Sequence[Rule], words: Sequence[Word], low: float, high: float) -> bool:
    """Whether the words between two heights stand in several of these columns and cross no border."""
    borders = [rule.at for rule in columns]
    inside = [word for word in words if low < word.y < high and borders[0] < word.x < borders[-1]]
    places = [(bisect(borders, word.left + 1), bisect(borders, word.right - 1)) for word in inside]
    return len(set(places)) > 1 and all(first == last for first, last in places)


def _grid_table(horizontal: Sequence[Rule], vertical: Sequence[Rule], words: Sequence[Word]) -> PdfTable | None:
    """The table of a grid with at least one line between two columns."""
    if not horizontal or not vertical:
        return None
    xs = _borders([rule.at for rule in vertical] + [end for rule in horizontal for end in (rule.start, rule.stop)])
    ys = _borders([rule.at for rule in horizontal] + [end for rule in vertical for end in (rule.start, rule.stop)])
    inside = [word for word in words if xs[0] < word.x < xs[-1] and ys[0] < word.y < ys[-1]]
    if len(xs) < 3 or len(xs) * len(ys) > _MAX_CELLS or not inside:
        return None
    if sum(word.turns == 0 for word in inside) < len(inside) / 2:
        return None  # it stands sideways
    depth, caption, rows = _grid_rows(xs, ys, horizontal, vertical, inside)
    if sum(bool(cell) for row in rows for cell in row) < 3:
        return None  # a form or a diagram
    return place_table(rows, inside, xs[0], xs[-1], depth=depth, caption=caption)


def _borders(places: Iterable[float]) -> list[float]:
    """The places in order; those that are nearly the same are one."""
    return [same[0] for same in group_while(sorted(places), lambda same, place: place - same[0] <= SAME)]


def _grid_rows(
    xs: Sequence[float], ys: Sequence[float], horizontal: Sequence[Rule], vertical: Sequence[Rule], inside: list[Word]
) -> tuple[int, Cell, list[Row]]:
    """The rows of a header of several, the caption, and all rows. A cell over several columns fills the first one."""
    columns, bands = range(len(xs) - 1), range(len(ys) - 1)
    last = len(bands) - 1
    roots: dict[Place, Place] = {}
    for band, column in product(bands, columns):
        x, y = (xs[column] + xs[column + 1]) / 2, (ys[last - band] + ys[last - band + 1]) / 2
        if column and not _is_drawn(vertical, xs[column], y):
            roots[band, column] = roots[band, column - 1]
        elif band and not _is_drawn(horizontal, ys[last - band + 1], x):
            roots[band, column] = roots[band - 1, column]
        else:
            roots[band, column] = band, column
    cells: dict[Place, list[Word]] = defaultdict(list)
    for word in inside:
        cells[roots[last + 1 - bisect(ys, word.y), bisect(xs, word.x) - 1]].append(word)
    caption: Cell = ()
    top = {roots[0, column] for column in columns}
    if last > 1 and len(top) == 1:
        caption = cell_text(cells.pop((0, 0), []))
    placed = [[_repeat(cells, roots[band, column], (band, column)) for column in columns] for band in bands]
    rows = [row for places in placed for row in _band_rows(places, last)]
    merged = not caption and last > 1 and len(top) < len(columns)
    return 2 * (merged and all(map(any, zip(*rows[:2], strict=True)))), caption, rows


Place = tuple[int, int]  # band and column


def _repeat(cells: Mapping[Place, list[Word]], root: Place, own: Place) -> list[Word]:
    """The words of a place. A short cell over several rows is repeated in each, in its first column."""
    words = cells.get(root, [])
    short = sum(len(word.text) for word in words) <= _MAX_REPEATED
    return words if root == own or (root[1] == own[1] and short) else []


def _is_drawn(rules: Sequence[Rule], at: float, across: float) -> bool:
    return any(abs(rule.at - at) <= SAME and rule.start - 1 <= across <= rule.stop + 1 for rule in rules)


def _band_rows(cells: Sequence[Sequence[Word]], last: int) -> Iterator[Row]:
    """The rows between two horizontal lines: several, where few lines are drawn and each has text in its cells."""
    lines = [len(text_lines(cell)) for cell in cells]
    turned = any(word.turns for cell in cells for word in cell)
    if last >= _FEW_BANDS or max(lines) < 3 or turned or lines.count(max(lines)) < 2:
        yield tuple(map(cell_text, cells))
        return
    for line in text_lines([word for cell in cells for word in cell]):
        yield tuple(cell_text([word for word in cell if word in line.words]) for cell in cells)
