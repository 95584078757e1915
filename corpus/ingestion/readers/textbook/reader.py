"""Textbooks: the Markdown files of a ZIP archive as one document, in reading order."""

from __future__ import annotations

from dataclasses import replace

from corpus.ingestion.readers.decoding import decode
from corpus.ingestion.readers.markdown.parse_warnings import warning_notes
from corpus.ingestion.readers.markdown.reader import read_markdown
from corpus.ingestion.readers.numbering import TextbookHeading, number_headings
from corpus.ingestion.readers.structure import BOOK, Parsed, Section
from corpus.ingestion.readers.textbook.archive import unpack
from corpus.ingestion.readers.textbook.reading_order import is_aside, reading_order


def read(data: bytes) -> Parsed:
    """Sections of all files. Each has the path of its file, and lines of that file."""
    unpacked = unpack(data)
    files = {path: read_markdown(content, add_title=True) for path, content in unpacked.files.items()}
    order = reading_order(
        {path: decode(content)[0] if is_aside(path) else "" for path, content in unpacked.files.items()},
        {path: decode(content)[0] for path, content in unpacked.order_files.items()},
        {path: file.position for path, file in files.items() if file.position is not None},
    )
    headings = [
        TextbookHeading(level, title, path, is_aside(path) and len(order) > 1)
        for path in order
        for level, title in files[path].builder.headings
    ]
    found, sections = number_headings(headings), list[Section]()
    for path in order:
        builder = files[path].builder
        own, found = found[: len(builder.headings)], found[len(builder.headings) :]
        sections += [replace(section, file_path=path) for section in files[path].finish(own)]
    warnings = [replace(one, file=path) for path in order for one in files[path].warnings]
    said = [f"{path}: {note}" for path in order for note in files[path].notes]
    return Parsed(BOOK, None, tuple(sections), None, (*unpacked.notes, *warning_notes(warnings), *said))
