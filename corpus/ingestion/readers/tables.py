"""Tables from rows of cells: which rows are the header, and Markdown in parts that each have it."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise, zip_longest

from corpus.ingestion.readers.structure import group_while, one_line

Cells = Sequence[str]

_MAX_ROWS = 20
# Of a part, as estimated below. The smaller embedder's limit is 256; a part that is cut would lose its header.
_MAX_TOKENS = 190
MAX_NAME = 80  # characters; a longer header cell or title is text, and is not repeated with every row
_TOKENS = re.compile(r"[^\W_\u2e80-\u9fff\uac00-\ud7af]{1,4}|\S")  # up to four letters or digits, or one sign
_PADDING = re.compile(r"(?<=---)-+|(?<=[^ \t][ \t])[ \t]+")
PIPE = re.compile(r"(?<!\\)\|")

_AMOUNT = re.compile(r"\W*+\d[\d.,:/\s]*+\W*+|[.,:/\s]++")
_YEAR = re.compile(r"(?:1[5-9]|20)\d\d(?:[/–-]\d{2,4})?")
_DATE = re.compile(r"\d{1,2}\.\s?\d{1,2}\.(?:\d{2,4})?|\d{4}-\d\d-\d\d|\d{1,2}/\d{1,2}/\d{2,4}")
_TIME = re.compile(r"\d{1,2}:\d\d")
SAMPLE = 60  # rows that show what a column holds
_MAX_DEPTH = 4  # rows of a header
MAX_SHORT = 40  # characters; a longer cell is text


@dataclass(frozen=True)
class TablePart:
    """Some rows of a table under its header, or one long row as a list of "header: value"."""

    first: int  # index of its first row, from 0, without the header
    last: int
    text: str


@dataclass(frozen=True)
class Table:
    header: list[str]
    rows: list[Cells]
    depth: int  # rows that the header has in the file


def read_table(rows: Sequence[Cells], *, depth: int | None = None, letters: Sequence[str] = ()) -> Table:
    """The table in these rows of equal length. `depth` is the number of header rows, where the file says it.

    The rows of a header are joined: “Term 1” over “Test” is “Term 1 Test”. Without a header the names are `letters`.
    First cells that are blank in half of the rows or more say what the one above says.
    """
    depth = find_depth(rows) if depth is None else min(depth, len(rows))
    above = [_spread(rows[level], rows[level + 1]) for level in range(depth - 1)]
    levels = [*above, *rows[max(0, depth - 1) : depth]]
    names = [one_line(" ".join(dict.fromkeys(filter(None, column)))) for column in zip(*levels, strict=True)]
    header = names if depth else list(letters) or [""] * len(rows[0])
    return Table(header, _fill_down(rows[depth:]), depth)


def find_depth(rows: Sequence[Cells]) -> int:
    """How many of the first rows are the header: none if the first row has the shapes of those below."""
    first, body = rows[0], rows[1 : SAMPLE + 1]
    if body and first[0].strip():
        fits = fits_columns(first, body)
        is_number = all(_AMOUNT.fullmatch(cell) for cell in first if cell)
        if is_number or (not _are_labels(first, body) and (_reads_on(first, body) if fits is None else fits)):
            return 0
    depth = 1
    while depth < min(len(rows) - 1, _MAX_DEPTH) and _opens_groups(rows[depth - 1], rows[depth], rows[depth + 1 :]):
        depth += 1
    return depth


def fits_columns(row: Cells, body: Sequence[Cells]) -> bool | None:
    """Whether a row has the shapes of the columns below. None if the columns hold words alone."""
    same = differ = 0
    for column, cell in enumerate(row):
        shapes = Counter(filter(None, (_shape(other[column]) for other in body)))
        common, count = shapes.most_common(1)[0] if shapes else ("", 0)
        if not (own := _shape(cell)) or common in ("", "a") or 5 * count < 3 * shapes.total():
            continue
        same, differ = same + (own == common), differ + (own != common)
    return same >= differ if same or differ else None


def name_column(column: int) -> str:
    """The name of a column in a spreadsheet, from 0: A, B, …, AA."""
    return (name_column(column // 26 - 1) if column >= 26 else "") + chr(ord("A") + column % 26)


def aligned_rows(lines: Sequence[str]) -> list[list[str]] | None:
    """The cells of lines with the same number of tabs, or with columns set apart by spaces. None for other text."""
    tabs = {line.rstrip().count("\t") for line in lines} if len(lines) > 1 else {0}
    if min(tabs) > 0 and len({line.count("\t") for line in lines}) == 1:
        return [[cell.strip() for cell in line.split("\t")] for line in lines]
    if len(lines) < 3 or max(tabs) > 0:
        return None
    width = max(map(len, lines))
    filled = {at for line in lines for at, sign in enumerate(line) if not sign.isspace()}
    blank = "".join("x" if at in filled else " " for at in range(width))
    gaps = [match.span() for match in re.finditer(" {2,}", blank)]
    edges = [0, *(end for start, end in gaps if start), width]
    if len(edges) * len(lines) > sum(map(len, lines)):
        return None  # one wide line would give all others columns without end
    rows = [[line[start:end].strip() for start, end in pairwise(edges)] for line in lines]
    narrow = sum(sum(map(bool, row)) < 2 for row in rows)
    return rows if len(edges) > 2 and not narrow else None


def repeat_header(lines: Sequence[str]) -> Iterator[tuple[int, list[str]]]:
    """The lines of a Markdown table in parts with its header, each with the index of its first own line.

    What is repeated has no padding, which may be wider than all rows of a part. A header that fits no part is not.
    """
    narrow = [_PADDING.sub("", line) for line in lines[:2]]
    fixed = sum(_weight([line]) for line in narrow)
    parts = _group_rows([[line] for line in lines[2:]], fixed)
    for part in parts if fixed < 4 * _MAX_TOKENS else [list(range(len(lines) - 2))]:
        head = narrow if part[0] else lines[:2]
        yield part[0] + 2, [*head, *lines[part[0] + 2 : part[-1] + 3]]


def markdown_table(rows: Sequence[Cells]) -> str:
    """A Markdown table with the first row as header. Shorter rows are filled up; each cell is one line."""
    width = max(map(len, rows))
    cells = [[PIPE.sub(r"\\|", one_line(cell)) for cell in row] + [""] * (width - len(row)) for row in rows]
    lines = ["| " + " | ".join(row) + " |" for row in cells]
    return "\n".join([lines[0], "|" + " --- |" * width, *lines[1:]])


def table_parts(header: Cells, rows: Sequence[Cells]) -> Iterator[TablePart]:
    """The table in parts of at most 20 rows that fit the embedder, in order. A header alone is one part."""
    fixed = _weight(header) + 3 * len(header)  # the rule has three signs for each cell
    for part in _group_rows(rows, fixed):
        body = [rows[number] for number in part]
        is_long = fixed + _weight(body[0]) > _MAX_TOKENS
        yield TablePart(part[0], part[-1], _record(header, body[0]) if is_long else markdown_table([header, *body]))
    if not rows:
        yield TablePart(0, 0, markdown_table([header]))


def _group_rows(rows: Sequence[Cells], fixed: int) -> list[list[int]]:
    """The numbers of the rows in each part, below a header of this weight."""
    weights = list(map(_weight, rows))

    def fits(part: list[int], number: int) -> bool:
        return len(part) < _MAX_ROWS and fixed + sum(weights[one] for one in (*part, number)) <= _MAX_TOKENS

    return group_while(range(len(rows)), fits)


def write_table(rows: Sequence[Cells], depth: int | None = None) -> list[str]:
    table = read_table(rows, depth=depth)
    return [part.text for part in table_parts(table.header, table.rows)]


def _shape(cell: str) -> str:
    """What a short cell looks like: “9” for a number, “9 a” for one with a unit, “a9” for a code, “a” for words."""
    text = cell.strip()
    if len(text) > MAX_SHORT:
        return "a"
    if _DATE.fullmatch(text) or _TIME.fullmatch(text):
        return "date" if _DATE.fullmatch(text) else "time"
    text = re.sub(r"[^\W\d_]+", "a", re.sub(r"\d+(?:[.,:/]\d+)*", "9", text))
    return re.sub(r"a(?: a)+", "a", " ".join(re.sub(r"[^a9\s]", "", text).split()))


def _are_labels(row: Cells, body: Sequence[Cells]) -> bool:
    """Whether the numbers in a row are names of columns: years over other numbers, or 1, 2, 3."""
    columns = [column for column, cell in enumerate(row) if _AMOUNT.fullmatch(cell)]
    cells = [row[column].strip() for column in columns]
    if cells and all(map(_YEAR.fullmatch, cells)):
        return not all(_YEAR.fullmatch(other[column].strip()) for other in body for column in columns)
    return len(cells) > 2 and cells == [str(number) for number in range(1, len(cells) + 1)]


def _reads_on(row: Cells, body: Sequence[Cells]) -> bool:
    """Whether a row of words is one of several alike: a sentence is in it, or small letters begin a column of such."""
    if any(cell.count(" ") > 2 and cell.rstrip()[-1:] in (".", "!", "?") for cell in row):
        return True
    small = [[other[column][:1].islower() for other in (row, *body)] for column in range(len(row))]
    return len(body) > 1 and any(column[0] and 5 * sum(column) > 3 * len(column) for column in small)


def _opens_groups(row: Cells, below: Cells, body: Sequence[Cells]) -> bool:
    """Whether each name in a row without merged cells may stand over several names in the row below."""
    first = 1 if row[0] else 0
    names = [below[column] for column in range(1, len(row)) if not row[column] and any(row[first:column])]
    named = names and all(name and not _AMOUNT.fullmatch(name) for name in names)
    repeated = len(set(filter(None, below))) < len([cell for cell in below if cell])
    corner = not (row[0] and below[0])
    return bool(named and corner and (repeated or fits_columns(below, body[:SAMPLE]) is False))


def _spread(row: Cells, below: Cells) -> list[str]:
    """An upper row of a header, each name also over the columns to its right that only the row below names."""
    names = [""]
    for cell, name in zip(row, below, strict=True):
        names.append(cell or (names[-1] if name else ""))
    return names[1:]


def _fill_down(rows: Sequence[Cells]) -> list[Cells]:
    blank = [number for number, row in enumerate(rows) if number and not row[0].strip()]
    named = all(len(rows[number]) > 2 and rows[number][1].strip() for number in blank)
    grouped = named and len(blank) > 1 and 2 * len(blank) >= len(rows)
    filled = list(rows)
    for number in blank if grouped else ():
        filled[number] = [filled[number - 1][0], *rows[number][1:]]
    return filled


def _weight(row: Cells) -> int:
    return sum(len(_TOKENS.findall(cell)) + 1 for cell in row) + 1


def _record(header: Cells, row: Cells) -> str:
    names = [name if len(name) <= MAX_NAME else "" for name in map(one_line, header)]
    filled = [(name, one_line(cell)) for name, cell in zip_longest(names, row, fillvalue="") if cell.strip()]
    return "\n".join(f"- {name}: {cell}" if name else f"- {cell}" for name, cell in filled)
