"""Plain text: one section with the lines of the file."""

from __future__ import annotations

from corpus.ingestion.readers.decoding import decode
from corpus.ingestion.readers.structure import PLAIN, Parsed, Section, clean


def read(data: bytes) -> Parsed:
    """The whole text as one section. `Section.text` is exactly the lines `Section.lines` of the file."""
    text, notes = decode(data)
    lines = clean(text).split("\n")
    filled = [number for number, line in enumerate(lines, start=1) if line.strip()]
    if not filled:
        return Parsed(PLAIN, None, ())
    first, last = filled[0], filled[-1]
    section = Section((), "\n".join(lines[first - 1 : last]), None, (first, last))
    return Parsed(PLAIN, None, (section,), None, notes)
