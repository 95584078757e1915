"""Which rows of a table an answer cites: those whose cells it names before the citation. Pure."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from chatbots.citations.entities import extract_entities
from text.function_words import content_stems
from text.tables import TableRow, body_rows, drop_tables

_CITATIONS = re.compile(r"(?:\[\d{1,3}\]\s*)+")
_QUOTED = re.compile(r"“([^”]{8,})”")
_MARKS = re.compile(r"[*_`“”\"„|]")
_MIN_LENGTH = 3  # letters or digits of a cell that identifies a row by itself


@dataclass(frozen=True)
class CitedRow:
    row: TableRow
    named: frozenset[int]  # indexes of the cells that the answer names


def find_cited_rows(text: str, start: int, end: int, *, answer: str, number: int) -> list[CitedRow]:
    """The rows in text[start:end], the passage of source `number`, that the answer cites.

    Empty if no row can be identified, or if the answer quotes the text around the tables.
    """
    found = body_rows(text, start, end)
    prose = " ".join(drop_tables(text[start:end]).split())
    frequency = Counter(cell for row in found for cell in set(row.fields))
    cited: dict[TableRow, frozenset[int]] = {}
    for statement in _cited_texts(answer, number) if found else ():
        if any(" ".join(words.split()) in prose for words in find_quotations(statement)):
            continue
        named = {row: _named(row, _flat(statement)) for row in found}
        identified = {
            row: cells
            for row, cells in named.items()
            if any(_identifies(row.fields[cell], frequency) for cell in cells)
            and (len(cells) > 1 or len(row.fields) == 1 or not prose)
        }
        most = max(map(len, identified.values()), default=0)
        for row, cells in identified.items():
            if len(cells) == most or len(cells) > 1:
                cited[row] = cited.get(row, frozenset()) | cells
    return [CitedRow(row, cited[row]) for row in found if row in cited]


def has_another_cell(claim: str, text: str, language: str) -> bool:
    """Whether a claim names a row of a table by its first cell and has a cell of a row that it does not name; or names
    a column as well, and has another number than stands there."""
    rows = [
        [(_list_tokens(name, language), _list_tokens(cell, language)) for name, cell in row.fields]
        for row in body_rows(text)
        if row.fields
    ]
    if not rows:
        return False
    words = _list_tokens(claim, language)
    named = [row for row in rows if row[0][1] and row[0][1] <= words]
    rest = words.difference(*(row[0][1] for row in named))
    own = {token for row in named for _, cell in row for token in cell}
    others = (cell for row in rows if named and row not in named for _, cell in row[1:])
    if any(cell and cell <= rest and not cell <= own for cell in others):
        return True
    columns = {frozenset(name) for row in named for name, _ in row[1:] if name and name <= words}
    return any(
        all(cell.isdisjoint(rest) for row in named for header, cell in row[1:] if header == name)
        and any(token[0].isdigit() for token in rest - name)
        for name in columns
    )


def _list_tokens(text: str, language: str) -> set[str]:
    """The content stems of a text and its numbers, each as a whole."""
    numbers = {one.key for one in extract_entities(text, language) if one.is_number}
    return numbers | {stem for stem in content_stems(text, language) if not any(map(str.isdigit, stem))}


def find_quotations(answer: str) -> list[str]:
    """The quotations of eight characters and more in an answer."""
    return _QUOTED.findall(answer[: answer.rfind("”") + 1])  # a hostile answer has many opening marks


def _cited_texts(answer: str, number: int) -> Iterator[str]:
    """The text before each citation of the source, from the start of the line or the previous citation."""
    for line in answer.splitlines():
        start = 0
        for match in _CITATIONS.finditer(line):
            if f"[{number}]" in match[0]:
                yield line[start : match.start()]
            start = match.end()


def _named(row: TableRow, statement: str) -> frozenset[int]:
    cells = (_flat(value) for _, value in row.fields)
    return frozenset(index for index, cell in enumerate(cells) if cell and _occurs_in(cell, statement))


def _occurs_in(cell: str, statement: str) -> bool:
    return re.search(rf"(?<![\w.,]){re.escape(cell)}(?!\w|[.,]\d)", statement) is not None


def _identifies(cell: tuple[str, str], frequency: Counter[tuple[str, str]]) -> bool:
    """Whether this (header, value) occurs in one row only, and the value is longer than a small number."""
    return frequency[cell] == 1 and sum(map(str.isalnum, cell[1])) >= _MIN_LENGTH


def _flat(text: str) -> str:
    return " ".join(_MARKS.sub(" ", text).split()).casefold()


def select_cells(cited: CitedRow, most: int) -> Sequence[tuple[str, str]]:
    """At most `most` cells of a row in order: the first one, the named ones, then others."""
    order = sorted(range(len(cited.row.fields)), key=lambda index: (index > 0, index not in cited.named, index))
    return [cited.row.fields[index] for index in sorted(order[:most])]
