"""Textbooks: the Markdown files of a ZIP archive as one document, in reading order.

A table of contents defines it: the `nav` of MkDocs, or the outermost SUMMARY.md (mdBook, GitBook) if it lists at least
half of the files. Otherwise each folder starts with its README or index, followed by files and folders by the position
in their settings, then by name with numbers in numeric order.
"""

from __future__ import annotations

import io
import json
import re
import stat
import zipfile
import zlib
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import replace
from functools import cache
from math import inf
from pathlib import PurePosixPath
from urllib.parse import unquote

from corpus.ingestion.readers.decoding import decode, is_text
from corpus.ingestion.readers.markdown.reader import MAX_PLACES, read_markdown, warning_notes
from corpus.ingestion.readers.numbering import TextbookHeading, number_headings
from corpus.ingestion.readers.sniffing import is_hidden_path, is_markdown
from corpus.ingestion.readers.structure import BOOK, Parsed, Section, UnreadableDocument, one_line
from corpus.ingestion.readers.zip_package import MAX_PARTS, MAX_XML, ErrorMessages


def read(data: bytes) -> Parsed:
    """Sections of all files. Each has the path of its file, and lines of that file."""
    contents: dict[str, bytes] = {}
    left_out: dict[str, list[str]] = defaultdict(list)
    for path, content, reason in _unpack(data):
        if reason:
            left_out[reason].append(path)
        else:
            contents[path] = content
    order_files = {path: decode(contents.pop(path))[0] for path in [*contents] if _is_order_file(path)}
    files = {path: read_markdown(content, add_title=True) for path, content in contents.items()}
    order = reading_order(
        {path: decode(content)[0] if is_aside(path) else "" for path, content in contents.items()},
        order_files,
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
    notes = [f"Left out, {reason}: {_list_paths(paths)}." for reason, paths in left_out.items()]
    return Parsed(BOOK, None, tuple(sections), None, (*notes, *warning_notes(warnings), *said))


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
    natural = sorted(files, key=lambda path: _key(path, places))
    if table := _table(natural):
        listed = _found(_LINK.findall(files[table]), table, files)
        folder = PurePosixPath(table).parent
        below = [path for path in files if path != table and PurePosixPath(path).is_relative_to(folder)]
        if listed and len(listed) * 2 >= len(below):
            return [*listed, *(path for path in natural if path not in {*listed, table})]
    for path, text in sorted(order_files.items()):
        navigation = _NAVIGATION.search(text)
        if listed := _found(_ENTRY.findall(navigation[1]) if navigation else [], path, files):
            return [*listed, *(path for path in natural if path not in set(listed))]
    return natural


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


MESSAGES = ErrorMessages("ZIP file", "Pack the Markdown files again, and upload that.")
ORDER_FILES = ("mkdocs.yml", "mkdocs.yaml", "_category_.json")
"""Files that define the reading order."""

_METHODS = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)  # other methods cannot be unpacked with a limit
_OUTSIDE = re.compile(r"/|[A-Za-z]:|(?:.*/)?\.\.(?:/|$)")  # paths that lead out of the archive
_UTF8 = 0x800  # a flag
_TOO_MANY = "This ZIP file has {found:,} files; at most {most:,} are possible. Split it into parts."


def _unpack(data: bytes) -> Iterator[tuple[str, bytes, str]]:
    """Path and content of each file, or why it is left out. Of two with one path the last one counts, as elsewhere."""
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            entries = archive.infolist()
            if len(entries) > MAX_PARTS:
                raise UnreadableDocument(_TOO_MANY.format(found=len(entries), most=MAX_PARTS))
            paths = ((_path(part), part) for part in entries if not part.is_dir())
            parts = [(path, part, _find_reason(path, part)) for path, part in paths if not is_hidden_path(path)]
            last, room = {path: part for path, part, reason in parts if not reason}, MAX_XML
            for path, part, reason in sorted(parts, key=lambda one: not one[2]):
                if reason or last[path] is not part:
                    yield path, b"", reason or "as a later file has the same path"
                    continue
                if part.flag_bits & 1:
                    raise UnreadableDocument(MESSAGES.protected)
                if part.file_size > room:
                    raise UnreadableDocument(MESSAGES.too_large)
                content = _content(archive, part)
                room -= len(content or b"")
                yield path, content or b"", _find_fault(path, content)
    except (zipfile.BadZipFile, NotImplementedError, ValueError, OSError, EOFError):
        raise UnreadableDocument(MESSAGES.damaged) from None


def _path(part: zipfile.ZipInfo) -> str:
    """The path as text. Archives of macOS have UTF-8 names without the flag for it."""
    name = part.filename
    if not part.flag_bits & _UTF8:
        with suppress(UnicodeEncodeError, UnicodeDecodeError):
            name = name.encode("cp437").decode("utf-8")
    return one_line(name.replace("\\", "/")).removeprefix("./")[-500:]


def _content(archive: zipfile.ZipFile, part: zipfile.ZipInfo) -> bytes | None:
    """The unpacked content, never more than the declared size. None if it cannot be unpacked."""
    if part.compress_type not in _METHODS:
        return None
    try:
        with archive.open(part) as file:
            return file.read(part.file_size)
    except (zipfile.BadZipFile, zlib.error, NotImplementedError, RuntimeError, EOFError):
        return None


def _find_reason(path: str, part: zipfile.ZipInfo) -> str:
    """Why a file is not to be unpacked, if so."""
    if _OUTSIDE.match(path):
        return "as their paths lead out of the archive"
    if stat.S_ISLNK(part.external_attr >> 16):
        return "as they are links to other files"
    return "" if is_markdown(path) or _is_order_file(path) else "as they are not Markdown"


def _find_fault(path: str, content: bytes | None) -> str:
    """Why a file cannot be read, if so; `content` is None if it could not be unpacked."""
    if content is None:
        return "as they are damaged"
    if _is_order_file(path):
        return ""
    if not content.strip(b"\0 \t\r\n\xef\xbb\xbf"):
        return "as they are empty"
    return "" if is_text(content) else "as they are not text"


def _is_order_file(path: str) -> bool:
    return PurePosixPath(path).name in ORDER_FILES


def _list_paths(paths: list[str]) -> str:
    if len(paths) <= MAX_PLACES:
        return ", ".join(paths)
    return f"{len(paths):,} files, such as {', '.join(paths[:MAX_PLACES])}"
