"""Plain text: one section with the lines of the file; lines in columns as a table."""

from __future__ import annotations

from itertools import groupby

from corpus.ingestion.readers.decoding import decode
from corpus.ingestion.readers.structure import PLAIN, Parsed, Section, clean, set_lines
from corpus.ingestion.readers.tables import aligned_rows, markdown_table, read_table

NumberedLine = tuple[int, str]


def read(data: bytes) -> Parsed:
    """The whole text as one section. But for tables, its text is exactly the lines `Section.lines` of the file."""
    text, notes = decode(data)
    shown: list[tuple[int, str]] = []
    for filled, group in groupby(enumerate(clean(text).split("\n"), start=1), key=lambda line: bool(line[1].strip())):
        lines = list(group)
        shown += _with_table(lines) if filled else lines
    full = [index for index, (_, line) in enumerate(shown) if line.strip()]
    if not full:
        return Parsed(PLAIN, None, ())
    numbers, texts = zip(*shown[full[0] : full[-1] + 1], strict=True)
    return Parsed(PLAIN, None, (set_lines(Section((), "\n".join(texts)), numbers),), None, notes)


def _with_table(lines: list[NumberedLine]) -> list[NumberedLine]:
    """The lines of a paragraph. If they are a table but for a line above or below, it is in Markdown."""
    for above, below in ((0, 0), (1, 0), (0, 1), (1, 1)):
        inner = lines[above : len(lines) - below]
        if rows := aligned_rows([line for _, line in inner]):
            table = read_table(rows)
            first, last = inner[0][0], inner[-1][0]
            text = markdown_table([table.header, *table.rows]).split("\n")
            numbered = zip([first, first, *range(first + table.depth, last + 1)], text, strict=True)
            rest = [(number, part) for number, line in lines[len(lines) - below :] for part in ("", line)]
            return [*lines[:above], *numbered, *rest]
    return lines
