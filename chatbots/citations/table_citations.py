"""Which rows of a table an answer cites: those whose cells it names before the citation. Pure."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from corpus.reading.tables import Row, rows, without_tables

_CITATIONS = re.compile(r"(?:\[\d{1,3}\]\s*)+")
_QUOTED = re.compile(r"“([^”]{8,})”")
_MARKS = re.compile(r"[*_`“”\"„|]")
_LEAST = 3  # letters or digits of a cell that tells a row by itself


@dataclass(frozen=True)
class CitedRow:
    row: Row
    named: frozenset[int]  # which of its cells the answer names


def find_cited_rows(text: str, start: int, end: int, *, answer: str, number: int) -> list[CitedRow]:
    """The rows in text[start:end], the passage of source `number`, that the answer cites.

    None where no row can be told from the others, or where it is the text around the tables that is quoted.
    """
    found = rows(text, start, end)
    prose = " ".join(without_tables(text[start:end]).split())
    often = Counter(cell for row in found for cell in set(row.cells))
    cited: dict[Row, frozenset[int]] = {}
    for said in _said(answer, number) if found else ():
        if any(" ".join(words.split()) in prose for words in find_quotations(said)):
            continue
        named = {row: _named(row, _flat(said)) for row in found}
        telling = {
            row: cells
            for row, cells in named.items()
            if any(_tells(row.cells[cell], often) for cell in cells)
            and (len(cells) > 1 or len(row.cells) == 1 or not prose)
        }
        most = max(map(len, telling.values()), default=0)
        for row, cells in telling.items():
            if len(cells) == most or len(cells) > 1:
                cited[row] = cited.get(row, frozenset()) | cells
    return [CitedRow(row, cited[row]) for row in found if row in cited]


def find_quotations(answer: str) -> list[str]:
    """What an answer puts between quotation marks, if it is longer than a word or two."""
    return _QUOTED.findall(answer[: answer.rfind("”") + 1])  # for the many opening marks of a hostile one


def _said(answer: str, number: int) -> Iterator[str]:
    """What stands on a line before each citation of the source, after the citations before."""
    for line in answer.splitlines():
        start = 0
        for match in _CITATIONS.finditer(line):
            if f"[{number}]" in match[0]:
                yield line[start : match.start()]
            start = match.end()


def _named(row: Row, said: str) -> frozenset[int]:
    cells = (_flat(value) for _, value in row.cells)
    return frozenset(index for index, cell in enumerate(cells) if cell and _stands_in(cell, said))


def _stands_in(cell: str, said: str) -> bool:
    return re.search(rf"(?<![\w.,]){re.escape(cell)}(?!\w|[.,]\d)", said) is not None


def _tells(cell: tuple[str, str], often: Counter[tuple[str, str]]) -> bool:
    """Whether this header and value stand in one row only, and the value is more than a small number."""
    return often[cell] == 1 and sum(map(str.isalnum, cell[1])) >= _LEAST


def _flat(text: str) -> str:
    return " ".join(_MARKS.sub(" ", text).split()).casefold()


def select_cells(cited: CitedRow, most: int) -> Sequence[tuple[str, str]]:
    """At most so many cells of a row, in order: the first, those that the answer names, then the others."""
    order = sorted(
        range(len(cited.row.cells)), key=lambda index: (index > 0, index not in cited.named, index)
    )
    return [cited.row.cells[index] for index in sorted(order[:most])]
