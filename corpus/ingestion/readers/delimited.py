"""Tables as text (.csv, .tsv). The separator is guessed."""

from __future__ import annotations

import csv
import io
from collections import Counter
from collections.abc import Iterator
from itertools import islice

from corpus.ingestion.readers.decoding import decode
from corpus.ingestion.readers.rows import NumberedRow, read_rows
from corpus.ingestion.readers.structure import CSV, Parsed, UnreadableDocument, clean
from corpus.ingestion.readers.tables import SAMPLE

_SEPARATORS = "\t;|,"  # in order of preference: a comma is often a decimal sign
_BROKEN = (
    "This table cannot be read: one of its cells is longer than Lectern accepts. A quotation mark may be missing. "
    "Open it in a spreadsheet program, save it again, and upload that."
)


def read(data: bytes) -> Parsed:
    decoded, notes = decode(data)
    text = clean(decoded)
    start = 0
    if text[:4].lower() == "sep=" and text[5:6] == "\n":  # a hint for Excel, not a row
        separator, start = text[4], 6
    else:
        separator = _separator(text)
    try:
        sections, note, _ = read_rows(_rows(text[start:], separator))
    except csv.Error as error:
        raise UnreadableDocument(_BROKEN) from error
    return Parsed(CSV, None, tuple(sections), None, (*notes, *([note] if note else [])))


def _rows(text: str, separator: str) -> Iterator[NumberedRow]:
    return enumerate(csv.reader(io.StringIO(text), delimiter=separator, skipinitialspace=True), start=1)


def _separator(text: str) -> str:
    """The separator that gives most of the first rows the same number of cells, at least two."""

    def alike(separator: str) -> int:
        try:
            widths = Counter(len(cells) for _, cells in islice(_rows(text, separator), SAMPLE))
        except csv.Error:
            return 0
        return max((rows for width, rows in widths.items() if width > 1), default=0)

    return max(_SEPARATORS, key=alike)
