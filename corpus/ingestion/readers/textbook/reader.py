"""Textbooks: the Markdown files of a ZIP archive as one document, in reading order.

A table of contents defines it: the `nav` of MkDocs, or the outermost SUMMARY.md (mdBook, GitBook) if it lists at least
half of the files. Otherwise each folder starts with its README or index, followed by files and folders by the position
in their settings, then by name with numbers in numeric order.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from functools import cache
from math import inf
from pathlib import PurePosixPath
from urllib.parse import unquote

from corpus.ingestion.readers.decoding import decode
from corpus.ingestion.readers.markdown.parse_warnings import warning_notes
from corpus.ingestion.readers.markdown.reader import read_markdown
from corpus.ingestion.readers.numbering import TextbookHeading, number_headings
from corpus.ingestion.readers.structure import BOOK, Parsed, Section
from corpus.ingestion.readers.textbook.archive import unpack


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


_ABOUT = ("readme", "index", "_index", "intro", "introduction", "preface", "foreword")
_ASIDES = ("readme", "index", "_index", "summary")
_LINK = re.compile(r"\]\(\s*<?([^)\s>#]+)")
_NAVIGATION = re.compile(r"^nav\s*:\s*$\n((?:[ \t-].*\n?|\n)*)", re.MULTILINE)
_ENTRY = re.compile(r"[-:]\s+[\"']?([^\"':\n]+?\.\w+)[\"']?[ \t]*$", re.MULTILINE)
_DIGITS = re.compile(r"(\d+)")

Key = tuple[object, ...]


def reading_order(
    files: Mapping[str, str], order_files: Mapping[str, str], positions: Mapping[str, float]
) -> list[str]:
    """The paths in order, without the table of contents. `positions` are those in the settings of the files."""
    places = {**positions, **dict(_folders(order_files, positions))}
    natural_key = sorted(files, key=lambda path: _key(path, places))
    if table := _table(natural_key):
        listed = _found(_LINK.findall(files[table]), table, files)
        folder = PurePosixPath(table).parent
        below = [path for path in files if path != table and PurePosixPath(path).is_relative_to(folder)]
        if listed and len(listed) * 2 >= len(below):
            return [*listed, *(path for path in natural_key if path not in {*listed, table})]
    for path, text in sorted(order_files.items()):
        navigation = _NAVIGATION.search(text)
        if listed := _found(_ENTRY.findall(navigation[1]) if navigation else [], path, files):
            return [*listed, *(path for path in natural_key if path not in set(listed))]
    return natural_key


def is_aside(path: str) -> bool:
    """Whether a file is about the other files, not a chapter itself."""
    return PurePosixPath(path).stem.lower() in _ASIDES


def _table(paths: Iterable[str]) -> str | None:
    """The outermost SUMMARY.md if there is only one at that depth. Deeper ones are summaries of modules."""
    depths = {
        path: len(PurePosixPath(path).parts) for path in paths if PurePosixPath(path).name.lower() == "summary.md"
    }
    outermost = [path for path, depth in depths.items() if depth == min(depths.values())]
    return outermost[0] if len(outermost) == 1 else None


def _found(links: Iterable[str], table: str, files: Mapping[str, str]) -> list[str]:
    """The files that a table of contents links to, each once. Those of MkDocs are in `docs`."""
    folder = PurePosixPath(table).parent
    listed: dict[str, None] = {}
    for link in links:
        for base in (folder, folder / "docs"):
            path = str(base / unquote(link).removeprefix("./"))
            if path in files and path != table:
                listed[path] = None
                break
    return list(listed)


def _folders(order_files: Mapping[str, str], positions: Mapping[str, float]) -> Iterator[tuple[str, float]]:
    """The positions of folders: that of the index file, or of Docusaurus' `_category_.json`."""
    for path, position in positions.items():
        if is_aside(path):
            yield str(PurePosixPath(path).parent), position
    for path, text in order_files.items():
        if path.endswith(".json"):
            try:
                position = json.loads(text)["position"]
                yield str(PurePosixPath(path).parent), float(position)
            except (ValueError, TypeError, KeyError, RecursionError):
                continue


def _key(path: str, places: Mapping[str, float]) -> Key:
    parts = PurePosixPath(path).parts
    steps: list[object] = []
    for depth, name in enumerate(parts, start=1):
        is_file = depth == len(parts)
        about = PurePosixPath(name).stem.lower() if is_file else ""
        first = _ABOUT.index(about) if about in _ABOUT else len(_ABOUT)
        place = places.get("/".join(parts[:depth]), inf)
        steps.append((min(first, 3) if is_file else 3, place, natural_key(name)) if first > 2 else (first, 0.0, ()))
    return (*steps, path)


@cache
def natural_key(name: str) -> tuple[tuple[int, int, str], ...]:
    return tuple(
        (0, int(part), "") if part.isdecimal() and part.isascii() else (1, 0, part.casefold())
        for part in _DIGITS.split(name)
        if part
    )
