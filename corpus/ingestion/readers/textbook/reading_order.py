"""In which order the files of a textbook are read. Pure.

A table of contents says so (the `nav` of MkDocs, or the SUMMARY.md of mdBook and GitBook if it is the outermost one and
lists at least half of the files there); else each folder's README or
index comes first, then its files and folders by the place that their settings state, then by name, 2 before 10.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from math import inf
from pathlib import PurePosixPath
from urllib.parse import unquote

_ABOUT = ("readme", "index", "_index", "intro", "introduction", "preface", "foreword")
_ASIDES = ("readme", "index", "_index", "summary")
_LINK = re.compile(r"\]\(\s*<?([^)\s>#]+)")
_NAVIGATION = re.compile(r"^nav\s*:\s*$\n((?:[ \t-].*\n?|\n)*)", re.MULTILINE)
_ENTRY = re.compile(r"[-:]\s+[\"']?([^\"':\n]+?\.\w+)[\"']?[ \t]*$", re.MULTILINE)
_DIGITS = re.compile(r"(\d+)")

Key = tuple[object, ...]


def reading_order(
    files: Mapping[str, str], guides: Mapping[str, str], positions: Mapping[str, float]
) -> list[str]:
    """The paths of the files in the order of reading. A table of contents is not one of them.

    `files` and `guides` are texts by path; `positions` are those that files state.
    """
    places = {**positions, **dict(_folders(guides, positions))}
    natural_key = sorted(files, key=lambda path: _key(path, places))
    if table := _table(natural_key):
        listed = _found(_LINK.findall(files[table]), table, files)
        if listed and len(listed) * 2 >= len(_below(table, files)):
            return [*listed, *(path for path in natural_key if path not in {*listed, table})]
    for path, text in sorted(guides.items()):
        if listed := _found(_navigation(text), path, files):
            return [*listed, *(path for path in natural_key if path not in set(listed))]
    return natural_key


def is_aside(path: str) -> bool:
    """Whether a file is about the others rather than a chapter by itself."""
    return PurePosixPath(path).stem.lower() in _ASIDES


def _table(paths: Iterable[str]) -> str | None:
    """The outermost summary, if it is the only one there. Those of modules are texts that sum up."""
    depths = {
        path: len(PurePosixPath(path).parts)
        for path in paths
        if PurePosixPath(path).name.lower() == "summary.md"
    }
    outermost = [path for path, depth in depths.items() if depth == min(depths.values())]
    return outermost[0] if len(outermost) == 1 else None


def _below(table: str, files: Iterable[str]) -> list[str]:
    """The other files in the folder of a table of contents and below it."""
    folder = PurePosixPath(table).parent
    return [path for path in files if path != table and PurePosixPath(path).is_relative_to(folder)]


def _navigation(text: str) -> list[str]:
    found = _NAVIGATION.search(text)
    return _ENTRY.findall(found[1]) if found else []


def _found(links: Iterable[str], table: str, files: Mapping[str, str]) -> list[str]:
    """The files that links of a table of contents lead to, each once; those of MkDocs lie in `docs`."""
    folder = PurePosixPath(table).parent
    listed: dict[str, None] = {}
    for link in links:
        for base in (folder, folder / "docs"):
            path = str(base / unquote(link).removeprefix("./"))
            if path in files and path != table:
                listed[path] = None
                break
    return list(listed)


def _folders(guides: Mapping[str, str], positions: Mapping[str, float]) -> Iterator[tuple[str, float]]:
    """The places of folders: that of its index, or what Docusaurus says of it."""
    for path, position in positions.items():
        if is_aside(path):
            yield str(PurePosixPath(path).parent), position
    for path, text in guides.items():
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
        steps.append(
            (min(first, 3) if is_file else 3, place, natural_key(name)) if first > 2 else (first, 0.0, ())
        )
    return (*steps, path)


@cache
def natural_key(name: str) -> tuple[tuple[int, int, str], ...]:
    """A name as people sort it: numbers by their size."""
    return tuple(
        (0, int(part), "") if part.isdecimal() and part.isascii() else (1, 0, part.casefold())
        for part in _DIGITS.split(name)
        if part
    )
